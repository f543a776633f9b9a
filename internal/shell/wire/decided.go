package wire

import (
	"cmp"
	"encoding/json"
	"strconv"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/record"
)

// Decided is the decision of a record as any reader of the labels topic can read it, in whatever form classify wrote it. It is
// read less strictly than ParseDecision does: other keys may come, and of what stands in headers little is known. What is not
// known is nil.
type Decided struct {
	ID           string
	Label        *string
	RunnerUp     *string `json:"runner_up,omitempty"`
	Status       string
	Confidence   *float64            // of a decision in headers
	LogPosterior map[string]*float64 `json:"log_posterior,omitempty"`
	Posterior    map[string]float64  // of the likeliest classes
	Others       Others              // the classes that are not in Posterior
	Prior        map[string]*float64
	Margin       *float64
	Tokens       *struct{ Total, Known int }
	Truncated    bool
	Evidence     []DecidedEvidence
	Rest         *float64
	Scoring      *struct {
		Candidate string
		Temper    float64
	}
	Info *struct {
		Name, Spec string
		Offset     *int64
		Documents  int64
	} `json:"model,omitempty"`
	Place *struct {
		Topic     string
		Partition int
		Offset    int64
	} `json:"source,omitempty"` // nil: it says none

	Model     string `json:"-"` // as a header says it
	Source    string `json:"-"` // topic/partition/offset of the document
	InHeaders bool   `json:"-"`
	Raw       []byte `json:"-"` // its JSON
}

// DecidedEvidence is a term or a block.
type DecidedEvidence struct {
	Term    string
	As      []string
	Count   int
	Block   string
	Fields  []string
	Value   string
	Weights []float64
	Weight  *float64 // nil: infinite
}

// ReadDecided reads the decision of a record. field is that of the decision in a document of the emit mode enrich. The
// status of what is no decision is "?".
func ReadDecided(rec *record.Record, field string) *Decided {
	d := &Decided{}
	d.readHeaders(rec)
	if d.InHeaders {
		d.ID = string(rec.Key)
		if rec.Key == nil {
			d.ID = d.Source
		}
		return d
	}
	d.Raw = within(rec.Value, field)
	if IsStructuredEvent(rec) {
		d.Raw = within(rec.Value, "data", field)
	}
	if err := json.Unmarshal(d.Raw, d); err != nil || d.Status == "" {
		return &Decided{ID: d.Source, Status: "?", Source: d.Source, Raw: rec.Value}
	}
	if d.Label != nil {
		d.RunnerUp = cmp.Or(d.RunnerUp, runnerUpOf(*d.Label, d.LogPosterior))
	}
	if d.Source == "" && d.Place != nil && d.Place.Topic != "" {
		d.Source = string(appendRecordID(nil, d.Place.Topic, d.Place.Partition, d.Place.Offset))
	}
	return d
}

// readHeaders reads what the headers say of the decision.
func (d *Decided) readHeaders(rec *record.Record) {
	for _, h := range rec.Headers {
		text := string(h.Value)
		switch h.Key {
		case "bayestream-status":
			d.Status, d.InHeaders = text, true
		case "bayestream-label":
			d.Label = &text
		case "bayestream-confidence":
			if c, err := strconv.ParseFloat(text, 64); err == nil {
				d.Confidence = &c
			}
		case "bayestream-model":
			d.Model = text
		case "bayestream-source":
			d.Source = text
		}
	}
}

// Sure returns the posterior of the label; nil without a label.
func (d *Decided) Sure() *float64 {
	if d.Confidence != nil || d.Label == nil {
		return d.Confidence
	}
	p, known := d.Posterior[*d.Label]
	if !known {
		return nil
	}
	return &p
}

// runnerUpOf returns the runner-up of a decision that does not name it, which has the log posteriors of all classes:
// the likeliest class beside the label; nil if there is none.
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

// Evidences returns the evidence as the model gives it.
func (d *Decided) Evidences() (list []model.Evidence) {
	for _, e := range d.Evidence {
		list = append(list, model.Evidence{Term: e.Term, As: e.As, Count: e.Count, Block: e.Block, Fields: e.Fields, Value: e.Value, FieldWeights: e.Weights, Weight: number(e.Weight)})
	}
	return list
}

// within returns the decision at a path of fields in a document, or the whole value if there is none.
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
