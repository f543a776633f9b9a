package main

import (
	"bytes"
	"encoding/json"
	"strconv"

	"bayestream/internal/cli/table"
	"bayestream/internal/model"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// decision is what the table shows of a decision. Other keys may come, so it is read less strictly than package wire
// reads what it writes.
type decision struct {
	ID         string             `json:"id"`
	Label      *string            `json:"label"`
	Status     string             `json:"status"`
	Confidence *float64           `json:"confidence,omitempty"` // of a decision in headers
	Posterior  map[string]float64 `json:"posterior,omitempty"`
	Evidence   []struct {
		Term   string   `json:"term"`
		As     []string `json:"as,omitempty"`
		Weight float64  `json:"weight"`
	} `json:"evidence,omitempty"`
	Model  string `json:"-"`
	Source string `json:"-"`

	inHeaders bool
	raw       []byte // its JSON
}

// decided reads the decision of a record, of whatever emit mode it is. field is that of the decision in a document.
func decided(rec *stream.Record, field string) *decision {
	d := &decision{}
	for _, h := range rec.Headers {
		text := string(h.Value)
		switch h.Key {
		case "bayestream-status":
			d.Status, d.inHeaders = text, true
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
	if d.inHeaders {
		d.ID = string(rec.Key)
		if rec.Key == nil {
			d.ID = d.Source
		}
		return d
	}
	d.raw = within(rec.Value, field)
	if wire.IsStructuredEvent(rec) {
		d.raw = within(rec.Value, "data", field)
	}
	if err := json.Unmarshal(d.raw, d); err != nil || d.Status == "" {
		return &decision{ID: d.Source, Status: "?", Source: d.Source, raw: rec.Value}
	}
	return d
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
	var found struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(at, &found) == nil && found.Status != "" {
		return at
	}
	return value
}

// confidence returns the posterior of the label.
func (d *decision) confidence() float64 {
	if d.Confidence != nil {
		return *d.Confidence
	}
	return d.Posterior[*d.Label]
}

// words lists the words that decided.
func (d *decision) words(width int) string {
	var evidence []model.Evidence
	for _, e := range d.Evidence {
		evidence = append(evidence, model.Evidence{Term: e.Term, As: e.As, Weight: e.Weight})
	}
	return table.Words(evidence, width)
}

// line returns the decision as a line of JSON: its own bytes, or what the headers say beside the document.
func (d *decision) line(rec *stream.Record) ([]byte, error) {
	if !d.inHeaders {
		var compact bytes.Buffer
		if json.Compact(&compact, d.raw) == nil {
			return compact.Bytes(), nil
		}
	}
	out := struct {
		ID         string   `json:"id"`
		Label      *string  `json:"label"`
		Status     string   `json:"status"`
		Confidence *float64 `json:"confidence"`
		Model      string   `json:"model"`
		Source     string   `json:"source"`
		Document   any      `json:"document"`
	}{d.ID, d.Label, d.Status, d.Confidence, d.Model, d.Source, string(rec.Value)}
	if json.Valid(rec.Value) {
		out.Document = json.RawMessage(rec.Value)
	}
	return json.Marshal(out)
}
