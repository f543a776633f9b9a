package wire

import (
	"math"
	"strconv"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/shortfloat"
)

// A Decision is a decision with the document that it is about. A DecisionEncoder writes it,
// ParseDecision and ReadDecision read it. What was read has NaN for numbers that are not known.
type Decision struct {
	model.Decision
	ID     string
	Source Source
	Others Others // classes that are not in Classes
}

// MarshalJSON returns the JSON that classify writes to the labels topic by default. With more than
// DefaultClasses classes it has the numbers of the likeliest ones; Classes has all.
func (d *Decision) MarshalJSON() ([]byte, error) {
	e := DecisionEncoder{Form: Form{Classes: DefaultClasses}}
	e.prepare(&d.Decision, d.Others)
	return e.append(nil, d.ID, d.Source, &d.Decision), nil
}

// UnmarshalJSON reads the JSON of a decision as ParseDecision does.
func (d *Decision) UnmarshalJSON(value []byte) error {
	parsed, err := ParseDecision(value)
	if err == nil {
		*d = *parsed
	}
	return err
}

// A Source says which document a decision is about: a record, a line of a file,
// or, as the zero Source, neither (a body sent over HTTP).
type Source struct {
	Topic     string `json:"topic"` // not empty for a record
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`

	File string `json:"file"` // not empty for a file
	Line int64  `json:"line"` // counted from 1
}

func recordSource(rec *record.Record) Source {
	return Source{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset}
}

// Place returns the place of a record; nil of what is none.
func (s *Source) Place() *Ref {
	if s.Topic == "" {
		return nil
	}
	return &Ref{Topic: s.Topic, Partition: s.Partition, Offset: s.Offset}
}

// FileSource is the Source of a line of a file.
func FileSource(file string, line int64) Source {
	return Source{File: file, Line: line}
}

// A DecisionEncoder appends decisions as the JSON that docs/formats.md describes, in a form, without
// white space. It keeps the JSON of what successive decisions have in common: the names of classes,
// the model and the file or topic. It belongs to one goroutine. The zero value is ready for use. It
// leaves nothing out, and writes numbers in the shortest form that reads back to the same float64.
//
// A number that is not finite, as alpha 0 gives them, becomes null.
type DecisionEncoder struct {
	Form Form

	chosen
	decimals
	keys    []key // by class
	by      string
	scoring []byte // the object of what scored by that name, up to the temper
	info    model.ModelInfo
	model   []byte // its object, empty before the first
	place   Source
	source  []byte // its object up to the last number, empty before the first
}

// key is the name of a class, and the same in JSON with a colon.
type key struct {
	name string
	json []byte
}

// Append appends a decision.
func (e *DecisionEncoder) Append(dst []byte, id string, src Source, d *model.Decision) []byte {
	e.prepare(d, Others{})
	return e.append(dst, id, src, d)
}

// prepare chooses the classes of a decision, which lacks others, and rounds its numbers.
func (e *DecisionEncoder) prepare(d *model.Decision, others Others) {
	e.choose(d, e.Form.Classes, others)
	e.round(d, e.Form.Digits, &e.chosen)
}

// append appends the decision for which prepare was called.
func (e *DecisionEncoder) append(dst []byte, id string, src Source, d *model.Decision) []byte {
	dst = AppendString(append(dst, `{"id":`...), id)
	dst = appendName(append(dst, `,"label":`...), d.Label, d.Labelled)
	dst = appendName(append(dst, `,"runner_up":`...), d.RunnerUp, d.RunnerUp != "")
	dst = AppendString(append(dst, `,"status":`...), d.Status)
	dst = e.appendScores(append(dst, `,"log_posterior":{`...), d.Classes, e.compared, logPosterior)
	dst = e.appendPosteriors(append(dst, `,"posterior":{`...), d.Classes)
	dst = append(dst, `,"margin":`...)
	if d.HasMargin {
		dst = e.appendRounded(dst, d.Margin, e.margin)
	} else {
		dst = append(dst, "null"...)
	}
	if d.HasRisk {
		dst = e.appendScores(append(dst, `,"risk":{`...), d.Classes, e.listed, risk)
	}
	dst = strconv.AppendInt(append(dst, `,"tokens":{"total":`...), int64(d.Tokens), 10)
	dst = strconv.AppendInt(append(dst, `,"known":`...), int64(d.Known), 10)
	dst = append(dst, '}')
	if d.Truncated {
		dst = append(dst, `,"truncated":true`...)
	}
	dst = e.appendScores(append(dst, `,"prior":{`...), d.Classes, e.compared, prior)
	dst = e.appendEvidence(append(dst, `,"evidence":[`...), d.Evidence)
	dst = e.appendRounded(append(dst, `,"rest":`...), d.Rest, e.rest)
	if d.Scoring.Candidate != "" {
		dst = e.appendScoring(append(dst, `,"scoring":`...), &d.Scoring)
	}
	dst = e.appendModel(append(dst, `,"model":`...), &d.ModelInfo)
	dst = e.appendSource(append(dst, `,"source":`...), src)
	return append(appendSegments(dst, d.Segments), '}')
}

// DecisionStart returns how the JSON of a decision on the document of an id begins.
func DecisionStart(id string) []byte { return append(AppendString([]byte(`{"id":`), id), ',') }

// appendName appends the name of a class, null if there is none.
func appendName(dst []byte, name string, exists bool) []byte {
	if !exists {
		return append(dst, "null"...)
	}
	return AppendString(dst, name)
}

// The numbers of a class in a decision.
func logPosterior(c *model.ClassScore) float64 { return c.LogPosterior }
func risk(c *model.ClassScore) float64         { return c.Risk }
func prior(c *model.ClassScore) float64        { return c.LogPrior }

// appendScores appends one number of each of some classes by name, and the end of their object.
func (e *DecisionEncoder) appendScores(dst []byte, classes []model.ClassScore, which []int,
	score func(*model.ClassScore) float64) []byte {
	for i, at := range which {
		dst = e.appendKey(dst, i, at, classes[at].Name)
		dst = e.appendNumber(dst, score(&classes[at]))
	}
	return append(dst, '}')
}

// appendPosteriors appends the posteriors of the listed classes, the end of their object, and what
// the others are.
func (e *DecisionEncoder) appendPosteriors(dst []byte, classes []model.ClassScore) []byte {
	for i, at := range e.listed {
		dst = e.appendKey(dst, i, at, classes[at].Name)
		dst = e.appendShare(dst, classes[at].Posterior, i)
	}
	dst = append(dst, '}')
	if e.others.Classes == 0 {
		return dst
	}
	dst = strconv.AppendInt(append(dst, `,"others":{"classes":`...), int64(e.others.Classes), 10)
	dst = e.appendShare(append(dst, `,"posterior":`...), e.others.Posterior, len(e.listed))
	return append(dst, '}')
}

// appendKey appends the i-th key of an object, the name of the class with an index.
func (e *DecisionEncoder) appendKey(dst []byte, i, class int, name string) []byte {
	for len(e.keys) <= class {
		e.keys = append(e.keys, key{})
	}
	k := &e.keys[class]
	if k.name != name || len(k.json) == 0 {
		k.name = name
		k.json = append(AppendString(k.json[:0], name), ':')
	}
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, k.json...)
}

// appendEvidence appends the terms and blocks with the most weight, and the end of their list.
func (e *DecisionEncoder) appendEvidence(dst []byte, evidence []model.Evidence) []byte {
	for i := range evidence {
		if i > 0 {
			dst = append(dst, ',')
		}
		x := &evidence[i]
		if x.Block != "" {
			dst = e.appendBlock(dst, x)
		} else {
			dst = AppendString(append(dst, `{"term":`...), x.Term)
			if len(x.As) > 0 {
				dst = appendStrings(append(dst, `,"as":`...), x.As)
			}
			dst = strconv.AppendInt(append(dst, `,"count":`...), int64(x.Count), 10)
		}
		if x.Correction != 0 {
			dst = e.appendNumber(append(dst, `,"correction":`...), x.Correction)
		}
		dst = e.appendNumber(append(dst, `,"weight":`...), x.Weight)
		dst = append(appendSpans(dst, x.Spans), '}')
	}
	return append(dst, ']')
}

// appendBlock appends the name and the fields of a block, and what it is of where the text has
// that.
func (e *DecisionEncoder) appendBlock(dst []byte, x *model.Evidence) []byte {
	dst = AppendString(append(dst, `{"block":`...), x.Block)
	dst = appendStrings(append(dst, `,"fields":`...), x.Fields)
	if x.Value != "" {
		dst = AppendString(append(dst, `,"value":`...), x.Value)
	}
	if len(x.FieldWeights) == 0 {
		return dst
	}
	dst = append(dst, `,"weights":[`...)
	for i, weight := range x.FieldWeights {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.appendNumber(dst, weight)
	}
	return append(dst, ']')
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

func (e *DecisionEncoder) appendScoring(dst []byte, s *model.Scoring) []byte {
	if e.by != s.Candidate {
		e.by = s.Candidate
		e.scoring = append(AppendString(append(e.scoring[:0], `{"candidate":`...), e.by), `,"temper":`...)
	}
	return append(appendNumber(append(dst, e.scoring...), s.Temper), '}')
}

// appendModel appends the model that decided. An offset of -1, of a model in a file
// without a log, becomes null.
func (e *DecisionEncoder) appendModel(dst []byte, m *model.ModelInfo) []byte {
	if len(e.model) > 0 && e.info == *m {
		return append(dst, e.model...)
	}
	e.info = *m
	to := AppendString(append(e.model[:0], `{"name":`...), m.Name)
	to = AppendString(append(to, `,"spec":`...), m.Spec)
	to = append(to, `,"offset":`...)
	if m.Offset < 0 {
		to = append(to, "null"...)
	} else {
		to = strconv.AppendInt(to, m.Offset, 10)
	}
	to = strconv.AppendInt(append(to, `,"documents":`...), m.Documents, 10)
	e.model = append(to, '}')
	return append(dst, e.model...)
}

func (e *DecisionEncoder) appendSource(dst []byte, src Source) []byte {
	last := src.Line
	if src.Topic != "" {
		last = src.Offset
	} else if src.File == "" {
		return append(dst, "null"...)
	}
	src.Offset = 0
	src.Line = 0
	if len(e.source) == 0 || e.place != src {
		e.place = src
		if src.Topic != "" {
			e.source = AppendString(append(e.source[:0], `{"topic":`...), src.Topic)
			e.source = strconv.AppendInt(append(e.source, `,"partition":`...), int64(src.Partition), 10)
			e.source = append(e.source, `,"offset":`...)
		} else {
			e.source = AppendString(append(e.source[:0], `{"file":`...), src.File)
			e.source = append(e.source, `,"line":`...)
		}
	}
	return append(strconv.AppendInt(append(dst, e.source...), last, 10), '}')
}

// AppendRefusal appends what stands in the place of a decision on a document that cannot be used: why,
// and where the document is, if it is anywhere.
func AppendRefusal(dst []byte, r *Reject, src Source) []byte {
	dst = AppendString(append(dst, `{"error":{"reason":`...), string(r.Reason))
	dst = append(AppendString(append(dst, `,"message":`...), r.Error()), '}')
	if src != (Source{}) {
		dst = new(DecisionEncoder).appendSource(append(dst, `,"source":`...), src)
	}
	return append(dst, '}')
}

// appendNumber appends a float64 in its shortest form, or null if it is not finite.
func appendNumber(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return shortfloat.Append(dst, f)
}

// isPlain reports by byte which ASCII characters stand for themselves in a string.
var isPlain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string, as decisions have it. HTML characters stay as they are, U+2028
// and U+2029 are escaped for old JavaScript, and invalid UTF-8 becomes U+FFFD, so
// that the result is always valid JSON.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if isPlain[c] {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && size == 1) && r != '\u2028' && r != '\u2029' {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscaped(dst, s[i:i+size])
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendEscaped appends one character that cannot stand for itself.
func appendEscaped(dst []byte, char string) []byte {
	switch char {
	case `"`, `\`:
		return append(dst, '\\', char[0])
	case "\n":
		return append(dst, `\n`...)
	case "\r":
		return append(dst, `\r`...)
	case "\t":
		return append(dst, `\t`...)
	case "\b":
		return append(dst, `\b`...)
	case "\f":
		return append(dst, `\f`...)
	case "\u2028":
		return append(dst, `\u2028`...)
	case "\u2029":
		return append(dst, `\u2029`...)
	}
	c := char[0]
	if c < ' ' {
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
	return append(dst, "\uFFFD"...)
}
