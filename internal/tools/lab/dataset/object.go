package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"bayestream/internal/core/spec"
	"bayestream/internal/gaussian"
	"bayestream/internal/shell/wire"
)

// Body returns the value of the record of a topic that workers with a spec read: an object, with
// the label or without, or for a spec of the format mail or text the mail or the line itself, which
// has no place for a label. It shares memory with the record.
func (r *Record) Body(s *spec.Spec, labelled bool) ([]byte, error) {
	switch {
	case !s.IsJSON() && r.Format != s.Format:
		return nil, r.Error(fmt.Errorf("the model reads records of the format %s, and this file holds others: see --format",
			s.Format))
	case !s.IsJSON():
		return r.Value, nil
	case r.Format == wire.FormatMail:
		return nil, r.Error(errors.New("the model reads records of the format json, which have no parts of a mail: a model " +
			"of mails has a spec with format: mail"))
	}
	return r.Object(s, labelled)
}

// Object returns the document as a JSON object that workers with a spec read, with the label or
// without: numbers and categories in the objects of these names, texts at the fields of the spec.
// The id is in it if the file says it.
func (r *Record) Object(s *spec.Spec, labelled bool) ([]byte, error) {
	fields, at := map[string]any{}, s.RecordPlaces()
	if r.Explicit && at.ID.Header == "" {
		put(fields, at.ID.Field, r.ID)
	}
	if labelled && at.Label.Header == "" {
		put(fields, at.Label.Field, r.Label)
	}
	if labelled && r.Weight > 1 && at.Weight.Header == "" {
		put(fields, at.Weight.Field, r.Weight)
	}
	if numbers := r.numbers(s); len(numbers) > 0 {
		fields["numbers"] = numbers
	}
	if categories := r.categories(s); len(categories) > 0 {
		fields["categories"] = categories
	}
	for i, name := range s.TextFields() {
		if i < len(r.Input.Segments) {
			put(fields, name, string(r.Input.Segments[i].Text))
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return nil, r.Error(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// put sets the value at a path.
func put(fields map[string]any, path string, value any) {
	names := wire.SplitPath(path)
	for i, name := range names {
		if i == len(names)-1 {
			fields[name] = value
			return
		}
		inner, ok := fields[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			fields[name] = inner
		}
		fields = inner
	}
}

// numbers returns the numbers that the document has, by name.
func (r *Record) numbers(s *spec.Spec) map[string]json.Number {
	out := map[string]json.Number{}
	for i, name := range s.NumberFields() {
		if i < len(r.Input.Numbers) && r.Input.Numbers[i].Present {
			out[name] = json.Number(gaussian.FormatFixed(r.Input.Numbers[i].Value, s.Digits()))
		}
	}
	return out
}

// categories returns the categories that the document has, by name.
func (r *Record) categories(s *spec.Spec) map[string]string {
	out := map[string]string{}
	for i, name := range s.CategoryFields() {
		if i < len(r.Input.Categories) && r.Input.Categories[i].Present {
			out[name] = string(r.Input.Categories[i].Value)
		}
	}
	return out
}
