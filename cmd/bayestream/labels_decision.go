package main

import (
	"bytes"
	"encoding/json"
	"math"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli/table"
)

// decision is what the table shows of a decision.
type decision struct {
	*wire.Decision
	raw []byte // its JSON; nil of one in headers
}

// decided reads the decision of a record, of whatever emit mode it is. field holds the
// decision in a document.
func decided(rec *stream.Record, field string) *decision {
	d, raw := wire.ReadDecision(rec, field)
	return &decision{d, raw}
}

// words lists the words that decided.
func (d *decision) words(width int) string { return table.Words(d.Evidence, width) }

// line returns the decision as a line of JSON: its own bytes, or what the headers say beside the document.
func (d *decision) line(rec *stream.Record) ([]byte, error) {
	if d.raw != nil {
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
	}{ID: d.ID, Status: d.Status, Model: d.Version(), Document: string(rec.Value)}
	if d.Labelled {
		out.Label = &d.Label
	}
	if confidence := d.Confidence(); d.Labelled && !math.IsNaN(confidence) {
		out.Confidence = &confidence
	}
	if at := d.Source.Place(); at != nil {
		out.Source = at.String()
	}
	if json.Valid(rec.Value) {
		out.Document = json.RawMessage(rec.Value)
	}
	return json.Marshal(out)
}
