package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"

	"go.yaml.in/yaml/v3"
)

// Cases reads a YAML file of documents with the labels they must get:
//
//	tests:
//	  - {text: "You won a prize", label: spam}
//	  - {text: "See you at six", numbers: {length: 14}, label: ham}
//
// A document has the fields of a training record. The error is a *wire.LineError that names the
// line.
func Cases(s *spec.Spec, file string) ([]Record, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the tests: %w", err)
	}
	var listed struct {
		Tests []yaml.Node `yaml:"tests"`
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&listed); err != nil && !errors.Is(err, io.EOF) {
		return nil, &wire.LineError{File: file, Line: 1,
			Err: errors.New("want tests: and a list of documents with labels, and no other key")}
	}
	if len(listed.Tests) == 0 {
		return nil, &wire.LineError{File: file, Line: 1,
			Err: errors.New("want tests: and a list of documents with labels; the list is empty")}
	}
	var out []Record
	for i := range listed.Tests {
		c, err := readCase(s, file, &listed.Tests[i])
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// readCase reads one document by way of JSON, so that its fields mean the same as in a record.
func readCase(s *spec.Spec, file string, n *yaml.Node) (Record, error) {
	bad := func(err error) (Record, error) {
		return Record{}, &wire.LineError{File: file, Line: int64(n.Line), Err: err}
	}
	var fields map[string]any
	if err := n.Decode(&fields); err != nil {
		return bad(errors.New("want a document: fields and their values, such as {text: you won, label: spam}"))
	}
	line, err := json.Marshal(fields)
	if err != nil {
		return bad(fmt.Errorf("a field cannot be part of a document: %w", err))
	}
	textField := "" // both names are said: errors do not advise flags that say them
	if s.Text != nil && len(s.TextFields()) == 1 {
		textField = s.TextFields()[0]
	}
	o := Options{Spec: s, LabelType: wire.LabelAny, TextField: textField, LabelField: "label"}
	r, err := newValues(o, wire.FormatJSON, file, nil)
	if err != nil {
		return bad(err)
	}
	var rec Record
	if err := r.decode(line, &rec); err != nil {
		return bad(err)
	}
	rec.place(file, int64(n.Line))
	return rec, nil
}
