package wire

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire/jsonread"
)

// A ParsedDecision is a decision read back from its JSON.
type ParsedDecision struct {
	ID       string
	Source   Source
	Decision model.Decision // a class whose logarithms are left out has NaN for them
	Others   Others         // classes that are not in Decision
}

// ParseDecision reads the JSON that AppendDecision writes. It is strict: an unknown
// key, a missing one, or anything after the object is an error. A number that is
// null reads as NaN.
func ParseDecision(value []byte) (*ParsedDecision, error) {
	var j decisionJSON
	if err := jsonread.Decode(value, &j); err != nil {
		return nil, fmt.Errorf("parse decision: %w", err)
	}
	missing := j.missing()
	if missing != "" {
		return nil, fmt.Errorf("parse decision: key %q is missing", missing)
	}
	return j.parsed()
}

// decisionJSON mirrors the JSON. Raw members distinguish null from missing.
type decisionJSON struct {
	ID           *string             `json:"id"`
	Label        jsonread.Raw        `json:"label"`
	RunnerUp     *string             `json:"runner_up"` // missing in those of older versions
	Status       *string             `json:"status"`
	LogPosterior map[string]*float64 `json:"log_posterior"`
	Posterior    map[string]*float64 `json:"posterior"`
	Others       Others              `json:"others"` // only if classes are left out
	Margin       jsonread.Raw        `json:"margin"`
	Risk         map[string]*float64 `json:"risk"` // only if the spec has a loss or a reject option
	Tokens       *struct {
		Total int `json:"total"`
		Known int `json:"known"`
	} `json:"tokens"`
	Truncated bool                `json:"truncated"`
	Prior     map[string]*float64 `json:"prior"`
	Evidence  *[]evidenceJSON     `json:"evidence"`
	Rest      jsonread.Raw        `json:"rest"`
	Scoring   *struct {
		Candidate string   `json:"candidate"`
		Temper    *float64 `json:"temper"`
	} `json:"scoring"` // only if candidates race or the spec has a temper
	Model *struct {
		Name      string `json:"name"`
		Spec      string `json:"spec"`
		Offset    *int64 `json:"offset"`
		Documents int64  `json:"documents"`
	} `json:"model"`
	Source   jsonread.Raw  `json:"source"`
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

// missing returns the first key that is missing, or "".
func (j *decisionJSON) missing() string {
	for _, key := range []struct {
		name    string
		missing bool
	}{
		{"id", j.ID == nil}, {"label", j.Label == nil}, {"status", j.Status == nil},
		{"log_posterior", j.LogPosterior == nil}, {"posterior", j.Posterior == nil}, {"margin", j.Margin == nil},
		{"tokens", j.Tokens == nil}, {"prior", j.Prior == nil}, {"evidence", j.Evidence == nil},
		{"rest", j.Rest == nil}, {"model", j.Model == nil}, {"source", j.Source == nil},
	} {
		if key.missing {
			return key.name
		}
	}
	return ""
}

// parsed converts the mirror into the types that AppendDecision takes.
func (j *decisionJSON) parsed() (*ParsedDecision, error) {
	p := &ParsedDecision{ID: *j.ID, Others: j.Others}
	d := &p.Decision
	d.Status = *j.Status
	d.TokensTotal = j.Tokens.Total
	d.TokensKnown = j.Tokens.Known
	d.Truncated = j.Truncated
	var label *string
	var margin, rest *float64
	var source *sourceJSON
	for _, field := range []struct {
		name string
		raw  jsonread.Raw
		into any
	}{{"label", j.Label, &label}, {"margin", j.Margin, &margin}, {"rest", j.Rest, &rest}, {"source", j.Source, &source}} {
		if err := jsonread.Decode(field.raw, field.into); err != nil {
			return nil, fmt.Errorf("parse decision: key %q: %w", field.name, err)
		}
	}
	if label != nil {
		d.Label = *label
		d.Labelled = true
		if runnerUp := cmp.Or(j.RunnerUp, runnerUpOf(d.Label, j.LogPosterior)); runnerUp != nil {
			d.RunnerUp = *runnerUp
		}
	}
	d.HasRisk = j.Risk != nil
	if margin != nil {
		d.Margin = *margin
		d.HasMargin = true
	}
	d.Rest = number(rest)
	if j.Scoring != nil {
		d.Scoring = model.Scoring{Candidate: j.Scoring.Candidate, Temper: number(j.Scoring.Temper)}
	}
	if source != nil {
		p.Source = Source(*source)
	}
	for _, e := range *j.Evidence {
		d.Evidence = append(d.Evidence, e.parsed())
	}
	for _, s := range j.Segments {
		d.Segments = append(d.Segments, model.Segment{Mark: s.Mark, Text: []byte(s.Text)})
	}
	d.Model = model.ModelInfo{Name: j.Model.Name, Spec: j.Model.Spec, Offset: -1, Documents: j.Model.Documents}
	if j.Model.Offset != nil {
		d.Model.Offset = *j.Model.Offset
	}
	var err error
	d.Classes, err = j.classes(d)
	return p, err
}

// parsed converts a term or a block.
func (j *evidenceJSON) parsed() model.Evidence {
	e := model.Evidence{Term: j.Term, As: j.As, Count: j.Count, Block: j.Block, Fields: j.Fields, Value: j.Value, Weight: number(j.Weight)}
	for _, s := range j.Spans {
		e.Spans = append(e.Spans, model.Span(s))
	}
	for _, weight := range j.Weights {
		e.FieldWeights = append(e.FieldWeights, number(weight))
	}
	return e
}

// sourceJSON is a Source under its JSON names.
type sourceJSON struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
	File      string `json:"file"`
	Line      int64  `json:"line"`
}

// classes joins the objects by class, sorted by name. Either all classes have logarithms, or the label and the runner-up.
func (j *decisionJSON) classes(d *model.Decision) ([]model.ClassScore, error) {
	var classes []model.ClassScore
	isFull := len(j.LogPosterior) == len(j.Posterior)
	compared := 0
	for name, p := range j.Posterior {
		lp, hasLog := j.LogPosterior[name]
		prior, hasPrior := j.Prior[name]
		if wants := isFull || d.Labelled && name == d.Label || name == d.RunnerUp; hasLog != wants || hasPrior != wants {
			return nil, fmt.Errorf("parse decision: class %q is not in all of log_posterior, posterior and prior", name)
		}
		c := model.ClassScore{Name: name, LogPosterior: math.NaN(), Posterior: number(p), LogPrior: math.NaN()}
		if hasLog {
			compared++
			c.LogPosterior = logProbability(lp)
			c.LogPrior = number(prior)
		}
		if j.Risk != nil {
			c.Risk = number(j.Risk[name])
		}
		classes = append(classes, c)
	}
	if len(j.LogPosterior) != compared || len(j.Prior) != compared {
		return nil, fmt.Errorf("parse decision: log_posterior, posterior and prior name different classes")
	}
	slices.SortFunc(classes, func(a, b model.ClassScore) int { return strings.Compare(a.Name, b.Name) })
	return classes, nil
}

// logProbability returns the logarithm, that of 0 for null.
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
