package wire

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"bayestream/internal/stream"
	"bayestream/internal/wire/jsonread"
)

// What Shorten does to an answer.
const (
	ShortenedEvidence = "no_evidence" // the evidence was left out
	ShortenedHeaders  = "headers"     // the decision was moved into headers
)

// Shortenings are all of them.
var Shortenings = []string{ShortenedEvidence, ShortenedHeaders}

// enricher puts decisions into documents, in the mode EmitEnrich.
type enricher struct {
	field    string
	key      []byte // the name of the field as a JSON string
	reader   jsonread.Reader
	decision []byte // scratch
}

// NewEnricher makes an Emitter of the mode EmitEnrich: the decision is a field of the document, which keeps all its
// other bytes. It refuses documents that are no JSON, and a field that means something else in them.
func NewEnricher(s Schema, field string) (*Emitter, error) {
	s = s.withDefaults()
	if s.Format != FormatJSON {
		return nil, fmt.Errorf("emit mode enrich puts the decision into a JSON object, and documents are %s: use event or headers", s.Format)
	}
	if slices.Contains(s.members(), field) {
		return nil, fmt.Errorf("emit mode enrich: the field %q of a document has a meaning of its own: give the decision another one", field)
	}
	e := newEmitter(EmitEnrich, defaultPrefix)
	e.field = field
	e.key = appendString(nil, field)
	return e, nil
}

// members returns the members of a record that mean something, or in which such a field stands.
func (s *Schema) members() []string {
	names := []string{"weight", "ref", "numbers", "categories", root(s.LabelField), root(s.IDField)}
	for _, path := range slices.Concat(append(slices.Collect(maps.Values(s.DocumentFrom)), s.fieldNames())...) {
		names = append(names, root(path))
	}
	return names
}

// appendEnriched appends the value of a record with the decision in its document; nil takes one out that it came with.
// ok is false if the document is packed in a CloudEvent.
func (e *enricher) appendEnriched(dst []byte, in *stream.Record, decision []byte) (grown []byte, ok bool) {
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

// Shorten makes an answer smaller that Append made of the document in and that is too large for its topic: first the
// evidence is left out, then the decision is in headers. It returns what it did, "" if nothing can be done.
func (e *Emitter) Shorten(answer, in *stream.Record) (action string) {
	if e.mode != EmitEnrich || answer.Value == nil {
		return ""
	}
	decision, found := e.found(answer)
	if !found {
		return ""
	}
	p, err := ParseDecision(decision)
	if err != nil {
		return ""
	}
	d := &p.Decision
	if len(d.Evidence) > 0 {
		rest := d.Rest
		for i := range d.Evidence {
			rest += d.Evidence[i].Weight
		}
		if !math.IsNaN(rest) { // of infinite evidence, whose weight is null, there is no rest
			d.Rest = rest
		}
		d.Evidence = nil
		e.Append(nil, answer, in, p.ID, d)
		return ShortenedEvidence
	}
	e.Append(nil, answer, in, p.ID, d)
	w := headerWriter{headers: answer.Headers}
	e.appendVerdict(&w, d)
	answer.Headers = w.headers
	answer.Value, _ = e.appendEnriched(nil, in, nil)
	return ShortenedHeaders
}

// found returns the decision in an enriched document.
func (e *enricher) found(answer *stream.Record) (decision []byte, found bool) {
	document := answer.Value
	if isStructured(answer.Headers) {
		start, end, ok := dataOf(document, &e.reader)
		if !ok {
			return nil, false
		}
		document = document[start:end]
	}
	for e.reader.Reset(document); e.reader.Next(); {
		if string(e.reader.Name()) == e.field {
			return e.reader.Value(), true
		}
	}
	return nil, false
}
