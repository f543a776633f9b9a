package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
)

// statusNone is the status of a record that holds no decision.
const statusNone = "?"

// ReadDecision reads the decision of a record of the labels topic, in whatever mode it was written.
// field is the field of the decision in a document of the mode EmitEnrich. raw is its JSON, nil of
// a decision in headers, which says little. A record without a decision has the status "?".
func ReadDecision(rec *record.Record, field string) (d *Decision, raw []byte) {
	said := readHeaders(rec)
	if said.Status != "" {
		return said, nil
	}
	raw = within(rec.Value, field)
	if isStructured(rec.Headers) {
		raw = within(rec.Value, "data", field)
	}
	d, err := ParseDecision(raw)
	if err != nil {
		return &Decision{ID: said.ID, Source: said.Source, Decision: model.Decision{Status: statusNone}}, rec.Value
	}
	if said.Source != (Source{}) {
		d.Source = said.Source
	}
	return d, raw
}

// IsNone reports whether a record held no decision.
func (d *Decision) IsNone() bool { return d.Status == statusNone }

// ReadSource returns the id of the document of a decision and where the document is, as the headers
// of the record say; "" for one that has no id of its own.
func ReadSource(rec *record.Record) (id string, source *Ref) {
	for _, h := range rec.Headers {
		switch h.Key {
		case defaultPrefix + "source":
			source = ParsePlace(string(h.Value))
		case defaultPrefix + "id":
			id = string(h.Value)
		}
	}
	return id, source
}

// readHeaders reads what the headers of a record say of its decision.
func readHeaders(rec *record.Record) *Decision {
	d := &Decision{ID: string(rec.Key)}
	hasID := false
	d.Rest = math.NaN()
	d.Scoring.Temper = 1
	d.ModelInfo.Offset = -1
	confidence := math.NaN()
	for _, h := range rec.Headers {
		text := string(h.Value)
		switch h.Key {
		case defaultPrefix + "status":
			d.Status = text
		case defaultPrefix + "label":
			d.Label = text
			d.Labelled = true
		case defaultPrefix + "confidence":
			if c, err := strconv.ParseFloat(text, 64); err == nil {
				confidence = c
			}
		case defaultPrefix + "model":
			d.ModelInfo.Name, d.ModelInfo.Offset = cutOffset(text)
		case defaultPrefix + "source":
			if place := ParsePlace(text); place != nil {
				d.Source = Source{Topic: place.Topic, Partition: place.Partition, Offset: place.Offset}
			}
			if rec.Key == nil && !hasID {
				d.ID = text
			}
		case defaultPrefix + "id":
			d.ID, hasID = text, true
		}
	}
	if d.Labelled {
		d.Classes = []model.ClassScore{unknownScore(d.Label, confidence)}
	}
	return d
}

// cutOffset cuts the name of a model from the offset behind it; -1: there is none.
func cutOffset(text string) (name string, offset int64) {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		if n, err := strconv.ParseInt(text[at+1:], 10, 64); err == nil && n >= 0 {
			return text[:at], n
		}
	}
	return text, -1
}

// unknownScore is the score of a class of which the posterior alone is known.
func unknownScore(name string, posterior float64) model.ClassScore {
	return model.ClassScore{Name: name, LogPosterior: math.NaN(), Posterior: posterior, LogPrior: math.NaN()}
}

// within returns the decision at a path of fields in a document, or the whole value if there is
// none.
func within(value []byte, path ...string) []byte {
	at := json.RawMessage(value)
	for _, field := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return value
		}
		at = members[field]
	}
	var found struct{ Status string }
	if json.Unmarshal(at, &found) == nil && found.Status != "" {
		return at
	}
	return value
}

// ParseDecision reads the JSON of a decision. Only its status must be there: keys that it does not
// know are left out, and numbers that are null or missing are NaN. A logarithm of a posterior that
// is null is minus infinity.
func ParseDecision(value []byte) (*Decision, error) {
	var j decisionJSON
	if err := jsonread.Decode(value, &j); err != nil {
		return nil, fmt.Errorf("parse decision: %w", err)
	}
	if j.Status == "" {
		return nil, errors.New(`parse decision: key "status" is missing`)
	}
	return j.decision(), nil
}

// decisionJSON mirrors the JSON.
type decisionJSON struct {
	ID           string              `json:"id"`
	Label        *string             `json:"label"`
	RunnerUp     *string             `json:"runner_up"` // missing in those of older versions
	Status       string              `json:"status"`
	LogPosterior map[string]*float64 `json:"log_posterior"`
	Posterior    map[string]*float64 `json:"posterior"`
	Others       Others              `json:"others"` // only if classes are left out
	Margin       *float64            `json:"margin"`
	Risk         map[string]*float64 `json:"risk"` // only if the spec has a loss or a reject option
	Tokens       struct {
		Total int `json:"total"`
		Known int `json:"known"`
	} `json:"tokens"`
	Truncated bool                `json:"truncated"`
	Prior     map[string]*float64 `json:"prior"`
	Evidence  []evidenceJSON      `json:"evidence"`
	Rest      *float64            `json:"rest"`
	Scoring   *struct {
		Candidate string   `json:"candidate"`
		Temper    *float64 `json:"temper"`
	} `json:"scoring"` // only if candidates race or the spec has a temper
	Model struct {
		Name      string `json:"name"`
		Spec      string `json:"spec"`
		Offset    *int64 `json:"offset"`
		Documents int64  `json:"documents"`
	} `json:"model"`
	Source   *Source       `json:"source"`
	Segments []segmentJSON `json:"segments"` // only if they were asked for
}

// evidenceJSON is a term or a block.
type evidenceJSON struct {
	Term    string     `json:"term"`
	As      []string   `json:"as"`
	Count   int        `json:"count"`
	Spans   []spanJSON `json:"spans"`
	Block   string     `json:"block"`
	Fields  []string   `json:"fields"`
	Value   string     `json:"value"`
	Weights []*float64 `json:"weights"`
	Weight  *float64   `json:"weight"`

	Correction *float64 `json:"correction"`
}

// spanJSON is a model.Span under its JSON names.
type spanJSON struct {
	Segment int `json:"segment"`
	Start   int `json:"start"`
	End     int `json:"end"`
}

// segmentJSON is a model.Segment.
type segmentJSON struct {
	Mark string `json:"mark"`
	Text string `json:"text"`
}

// decision converts the mirror into the value that is written.
func (j *decisionJSON) decision() *Decision {
	d := &Decision{ID: j.ID, Others: j.Others}
	d.Status = j.Status
	d.Tokens = j.Tokens.Total
	d.Known = j.Tokens.Known
	d.Truncated = j.Truncated
	d.HasRisk = j.Risk != nil
	d.Rest = number(j.Rest)
	d.Scoring.Temper = 1
	d.ModelInfo = model.ModelInfo{Name: j.Model.Name, Spec: j.Model.Spec, Offset: -1, Documents: j.Model.Documents}
	if j.Label != nil {
		d.Label = *j.Label
		d.Labelled = true
		if runnerUp := cmp.Or(j.RunnerUp, runnerUpOf(d.Label, j.LogPosterior)); runnerUp != nil {
			d.RunnerUp = *runnerUp
		}
	}
	if j.Margin != nil {
		d.Margin = *j.Margin
		d.HasMargin = true
	}
	if j.Scoring != nil {
		d.Scoring = model.Scoring{Candidate: j.Scoring.Candidate, Temper: number(j.Scoring.Temper)}
	}
	if j.Model.Offset != nil {
		d.ModelInfo.Offset = *j.Model.Offset
	}
	if j.Source != nil {
		d.Source = *j.Source
	}
	for i := range j.Evidence {
		d.Evidence = append(d.Evidence, j.Evidence[i].evidence())
	}
	for _, s := range j.Segments {
		d.Segments = append(d.Segments, model.Segment{Mark: s.Mark, Text: []byte(s.Text)})
	}
	d.Classes = j.classes()
	return d
}

func (j *evidenceJSON) evidence() model.Evidence {
	e := model.Evidence{Term: j.Term, As: j.As, Count: j.Count, Block: j.Block, Fields: j.Fields, Value: j.Value,
		Weight: number(j.Weight)}
	if j.Correction != nil {
		e.Correction = *j.Correction
	}
	for _, s := range j.Spans {
		e.Spans = append(e.Spans, model.Span(s))
	}
	for _, weight := range j.Weights {
		e.FieldWeights = append(e.FieldWeights, number(weight))
	}
	return e
}

// classes joins the objects by class, sorted by name. The label is one of them, even if nothing is
// known of it.
func (j *decisionJSON) classes() []model.ClassScore {
	var classes []model.ClassScore
	for name, p := range j.Posterior {
		c := unknownScore(name, number(p))
		if lp, known := j.LogPosterior[name]; known {
			c.LogPosterior = logProbability(lp)
		}
		c.LogPrior = number(j.Prior[name])
		if j.Risk != nil {
			c.Risk = number(j.Risk[name])
		}
		classes = append(classes, c)
	}
	if j.Label != nil {
		if _, known := j.Posterior[*j.Label]; !known {
			classes = append(classes, unknownScore(*j.Label, math.NaN()))
		}
	}
	slices.SortFunc(classes, func(a, b model.ClassScore) int { return strings.Compare(a.Name, b.Name) })
	return classes
}

// runnerUpOf returns the runner-up of a decision that does not name it, which has the log
// posteriors of all classes: the likeliest class beside the label; nil if there is none.
func runnerUpOf(label string, logPosterior map[string]*float64) (best *string) {
	for name, p := range logPosterior {
		if name == label || p == nil {
			continue
		}
		if best == nil || *p > *logPosterior[*best] || *p == *logPosterior[*best] && name < *best {
			best = &name
		}
	}
	return best
}

// logProbability returns the logarithm, minus infinity for null.
func logProbability(f *float64) float64 {
	if f == nil {
		return math.Inf(-1)
	}
	return *f
}

// number returns the number, or NaN for null.
func number(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}
