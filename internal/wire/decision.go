package wire

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"bayestream/internal/model"
	"bayestream/internal/stream"
	"bayestream/internal/wire/shortfloat"
)

// A Source says which document a decision is about: a record, a line of a file,
// or, as the zero Source, neither (a body sent over HTTP).
type Source struct {
	Topic     string // not empty for a record
	Partition int
	Offset    int64

	File string // not empty for a file
	Line int64  // counted from 1
}

// recordSource is the Source of a record.
func recordSource(rec *stream.Record) Source {
	return Source{Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset}
}

// FileSource is the Source of a line of a file.
func FileSource(file string, line int64) Source {
	return Source{File: file, Line: line}
}

// AppendDecision appends a decision as the JSON that docs/formats.md describes:
// the keys in that order, no white space, numbers in the shortest form that reads
// back to the same float64. A DecisionEncoder does the same for many decisions.
//
// A number that is not finite, as alpha 0 gives them, becomes null, so that the
// decision remains valid JSON.
func AppendDecision(dst []byte, id string, src Source, d *model.Decision) []byte {
	return new(DecisionEncoder).Append(dst, id, src, d)
}

// A DecisionEncoder appends decisions like AppendDecision, and keeps the JSON of
// what successive decisions have in common: the classes, their prior, the model and
// the file or topic. It belongs to one goroutine. The zero value is ready for use.
type DecisionEncoder struct {
	classes []string
	keys    [][]byte // by class: a comma (not for the first), its name as a key, a colon
	priors  []float64
	prior   []byte   // their object, empty before the first
	places  [][2]int // by class: where its prior begins and ends in the object
	twins   []int    // by class: the first that had the same prior when the model was last another one
	by      string
	scoring []byte // the object of what scored by that name, up to the temper
	info    model.ModelInfo
	model   []byte // its object, empty before the first
	place   Source
	source  []byte // its object up to the last number, empty before the first
}

// Append appends a decision.
func (e *DecisionEncoder) Append(dst []byte, id string, src Source, d *model.Decision) []byte {
	e.remember(d)
	dst = appendString(append(dst, `{"id":`...), id)
	dst = append(dst, `,"label":`...)
	if d.Labelled {
		dst = appendString(dst, d.Label)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendString(append(dst, `,"status":`...), d.Status)
	dst = e.appendScores(append(dst, `,"log_posterior":{`...), d.Classes, logPosterior)
	dst = e.appendScores(append(dst, `,"posterior":{`...), d.Classes, posterior)
	dst = append(dst, `,"margin":`...)
	if d.HasMargin {
		dst = appendNumber(dst, d.Margin)
	} else {
		dst = append(dst, "null"...)
	}
	if d.HasRisk {
		dst = e.appendScores(append(dst, `,"risk":{`...), d.Classes, risk)
	}
	dst = strconv.AppendInt(append(dst, `,"tokens":{"total":`...), int64(d.TokensTotal), 10)
	dst = strconv.AppendInt(append(dst, `,"known":`...), int64(d.TokensKnown), 10)
	dst = append(dst, '}')
	if d.Truncated {
		dst = append(dst, `,"truncated":true`...)
	}
	dst = append(append(dst, `,"prior":{`...), e.prior...)
	dst = appendEvidence(append(dst, `,"evidence":[`...), d.Evidence)
	dst = appendNumber(append(dst, `,"rest":`...), d.Rest)
	if d.Scoring.Candidate != "" {
		dst = e.appendScoring(append(dst, `,"scoring":`...), &d.Scoring)
	}
	dst = e.appendModel(append(dst, `,"model":`...), &d.Model)
	dst = e.appendSource(append(dst, `,"source":`...), src)
	return append(appendSegments(dst, d.Segments), '}')
}

// DecisionStart returns how the JSON of a decision on the document of an id begins.
func DecisionStart(id string) []byte { return append(appendString([]byte(`{"id":`), id), ',') }

// The numbers of a class in a decision.
func logPosterior(c *model.ClassScore) float64 { return c.LogPosterior }
func posterior(c *model.ClassScore) float64    { return c.Posterior }
func risk(c *model.ClassScore) float64         { return c.Risk }

// remember keeps the names and the prior of the classes if they differ from those kept.
func (e *DecisionEncoder) remember(d *model.Decision) {
	isNew := !e.knows(d.Classes)
	if isNew {
		e.classes = e.classes[:0]
		e.keys = e.keys[:0]
		for i := range d.Classes {
			e.classes = append(e.classes, d.Classes[i].Name)
			var key []byte
			if i > 0 {
				key = append(key, ',')
			}
			e.keys = append(e.keys, append(appendString(key, d.Classes[i].Name), ':'))
		}
		e.prior = e.prior[:0]
	}
	if len(e.prior) > 0 && slices.EqualFunc(e.priors, d.Classes, func(p float64, c model.ClassScore) bool { return p == c.LogPrior }) {
		return
	}
	e.priors = slices.Grow(e.priors[:0], len(d.Classes))
	for i := range d.Classes {
		e.priors = append(e.priors, d.Classes[i].LogPrior)
	}
	if isNew || d.Model != e.info {
		e.findTwins()
	}
	e.appendPriors()
}

// findTwins sets e.twins.
func (e *DecisionEncoder) findTwins() {
	first := map[float64]int{}
	e.twins = e.twins[:0]
	for i, p := range e.priors {
		if _, ok := first[p]; !ok {
			first[p] = i
		}
		e.twins = append(e.twins, first[p])
	}
}

// appendPriors sets e.prior. Under a temper the priors are others for each document, but those of classes with as many documents are equal:
// their digits are copied.
func (e *DecisionEncoder) appendPriors() {
	e.places = e.places[:0]
	dst := e.prior[:0]
	for i, p := range e.priors {
		dst = append(dst, e.keys[i]...)
		begin := len(dst)
		if twin := e.twins[i]; twin < i && math.Float64bits(p) == math.Float64bits(e.priors[twin]) {
			dst = append(dst, dst[e.places[twin][0]:e.places[twin][1]]...)
		} else {
			dst = appendNumber(dst, p)
		}
		e.places = append(e.places, [2]int{begin, len(dst)})
	}
	e.prior = append(dst, '}')
}

// knows reports whether the names of the classes are those kept.
func (e *DecisionEncoder) knows(classes []model.ClassScore) bool {
	return slices.EqualFunc(e.classes, classes, func(name string, c model.ClassScore) bool { return name == c.Name })
}

// appendScores appends one number of each class by name, and the end of their object.
func (e *DecisionEncoder) appendScores(dst []byte, classes []model.ClassScore, score func(*model.ClassScore) float64) []byte {
	for i := range classes {
		dst = append(dst, e.keys[i]...)
		dst = appendNumber(dst, score(&classes[i]))
	}
	return append(dst, '}')
}

// appendEvidence appends the terms and blocks with the most weight, and the end of their list.
func appendEvidence(dst []byte, evidence []model.Evidence) []byte {
	for i := range evidence {
		if i > 0 {
			dst = append(dst, ',')
		}
		e := &evidence[i]
		if e.Block != "" {
			dst = appendBlock(dst, e)
		} else {
			dst = appendString(append(dst, `{"term":`...), e.Term)
			if len(e.As) > 0 {
				dst = appendStrings(append(dst, `,"as":`...), e.As)
			}
			dst = strconv.AppendInt(append(dst, `,"count":`...), int64(e.Count), 10)
		}
		dst = appendNumber(append(dst, `,"weight":`...), e.Weight)
		dst = append(appendSpans(dst, e.Spans), '}')
	}
	return append(dst, ']')
}

// appendBlock appends the name and the fields of a block, and what it is of where the text has that.
func appendBlock(dst []byte, e *model.Evidence) []byte {
	dst = appendString(append(dst, `{"block":`...), e.Block)
	dst = appendStrings(append(dst, `,"fields":`...), e.Fields)
	if e.Value != "" {
		dst = appendString(append(dst, `,"value":`...), e.Value)
	}
	if len(e.FieldWeights) == 0 {
		return dst
	}
	dst = append(dst, `,"weights":[`...)
	for i, weight := range e.FieldWeights {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumber(dst, weight)
	}
	return append(dst, ']')
}

// appendStrings appends a list of strings.
func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

// appendScoring appends what scored the document.
func (e *DecisionEncoder) appendScoring(dst []byte, s *model.Scoring) []byte {
	if e.by != s.Candidate {
		e.by = s.Candidate
		e.scoring = append(appendString(append(e.scoring[:0], `{"candidate":`...), e.by), `,"temper":`...)
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
	to := appendString(append(e.model[:0], `{"name":`...), m.Name)
	to = appendString(append(to, `,"spec":`...), m.Spec)
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

// appendSource appends where the document is.
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
			e.source = appendString(append(e.source[:0], `{"topic":`...), src.Topic)
			e.source = strconv.AppendInt(append(e.source, `,"partition":`...), int64(src.Partition), 10)
			e.source = append(e.source, `,"offset":`...)
		} else {
			e.source = appendString(append(e.source[:0], `{"file":`...), src.File)
			e.source = append(e.source, `,"line":`...)
		}
	}
	return append(strconv.AppendInt(append(dst, e.source...), last, 10), '}')
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

// appendString appends s as a JSON string. HTML characters stay as they are, U+2028
// and U+2029 are escaped for old JavaScript, and invalid UTF-8 becomes U+FFFD, so
// that the result is always valid JSON.
func appendString(dst []byte, s string) []byte {
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
