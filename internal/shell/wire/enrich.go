package wire

import (
	"fmt"
	"maps"
	"slices"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
)

// enricher puts decisions into documents, in the mode EmitEnrich.
type enricher struct {
	field    string
	key      []byte // the name of the field as a JSON string
	reader   jsonread.Reader
	decision []byte // scratch
	plain    []byte // scratch
}

// NewEnricher makes an Emitter of the mode EmitEnrich: the decision is a field of the document,
// which keeps all its other bytes. It refuses documents that are no JSON, and a field that means
// something else in them.
func NewEnricher(s Schema, field string, form Form) (*Emitter, error) {
	if s.Format != FormatJSON {
		return nil, fmt.Errorf("emit mode enrich puts the decision into a JSON object, and "+
			"documents are %s: use event or headers", s.Format)
	}
	if slices.Contains(s.members(), field) {
		return nil, fmt.Errorf("emit mode enrich: the field %q of a document has a meaning of "+
			"its own: give the decision another one", field)
	}
	e := newEmitter(EmitEnrich, defaultPrefix, form)
	e.field = field
	e.key = AppendString(nil, field)
	return e, nil
}

// members returns the members of a record that mean something, or in which such a field is.
func (s *Schema) members() []string {
	names := []string{"ref", "numbers", "categories"}
	for _, field := range s.slots() {
		names = append(names, root(field.name))
	}
	for _, path := range slices.Concat(append(slices.Collect(maps.Values(s.DocumentFrom)), s.fieldNames())...) {
		names = append(names, root(path))
	}
	return names
}

// appendEnriched appends the value of a record with the decision in its document; nil takes one out
// that it came with. ok is false if the document is packed in a CloudEvent.
func (e *enricher) appendEnriched(dst []byte, in *record.Record, decision []byte) (grown []byte, ok bool) {
	if in.Schema != nil {
		var value []byte
		var err error
		value, e.plain, err = in.Schema.JSON(in, e.plain[:0])
		if err != nil {
			return dst, false
		}
		return e.reader.AppendWith(dst, value, e.field, e.key, decision), true
	}
	if !isStructured(in.Headers) {
		return e.reader.AppendWith(dst, in.Value, e.field, e.key, decision), true
	}
	start, end, ok := dataOf(in.Value, &e.reader)
	if !ok {
		return dst, false
	}
	dst = append(dst, in.Value[:start]...)
	dst = e.reader.AppendWith(dst, in.Value[start:end], e.field, e.key, decision)
	return append(dst, in.Value[end:]...), true
}

// found returns the decision in an enriched document.
func (e *enricher) found(answer *record.Record) (decision []byte, found bool) {
	document := answer.Value
	if isStructured(answer.Headers) {
		start, end, ok := dataOf(document, &e.reader)
		if !ok {
			return nil, false
		}
		document = document[start:end]
	}
	decision = e.reader.Member(document, e.field)
	return decision, decision != nil
}
