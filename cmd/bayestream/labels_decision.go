package main

import (
	"bytes"
	"encoding/json"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli/table"
)

// decision is what the table shows of a decision.
type decision struct{ *wire.Decided }

// decided reads the decision of a record, of whatever emit mode it is. field is that of the decision in a document.
func decided(rec *stream.Record, field string) *decision {
	return &decision{wire.ReadDecided(rec, field)}
}

// confidence returns the posterior of the label.
func (d *decision) confidence() float64 {
	if c := d.Sure(); c != nil {
		return *c
	}
	return 0
}

// words lists the words that decided.
func (d *decision) words(width int) string { return table.Words(d.Evidences(), width) }

// line returns the decision as a line of JSON: its own bytes, or what the headers say beside the document.
func (d *decision) line(rec *stream.Record) ([]byte, error) {
	if !d.InHeaders {
		var compact bytes.Buffer
		if json.Compact(&compact, d.Raw) == nil {
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
