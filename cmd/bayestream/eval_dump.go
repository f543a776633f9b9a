package main

import (
	"bytes"
	"encoding/json"

	"bayestream/internal/tools/lab/evaluate"
)

// scoredDocument is a line of --dump.
type scoredDocument struct {
	ID           string                     `json:"id"`
	Label        string                     `json:"label"`
	Predicted    *string                    `json:"predicted"` // null: the model had no class yet
	LogPosterior map[string]evaluate.Number `json:"log_posterior"`
}

// dump collects the lines of a file, and writes them once all documents were tested.
type dump struct {
	path  string
	lines bytes.Buffer
}

// add adds the line of a document.
func (d *dump) add(o *evaluate.Outcome) error {
	line := scoredDocument{ID: o.ID, Label: o.Truth, LogPosterior: map[string]evaluate.Number{}}
	if o.Label != "" {
		line.Predicted = &o.Label
	}
	for i, class := range o.Classes {
		line.LogPosterior[class] = evaluate.Number(o.LogPosterior[i])
	}
	return json.NewEncoder(&d.lines).Encode(line)
}

// write writes the file.
func (d *dump) write() error { return writeWhole(d.path, d.lines.Bytes(), 0o644) }
