package bayestream

import (
	"strings"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
)

// reader turns documents into features by a spec. It belongs to one goroutine at a time.
type reader struct {
	spec     *spec.Spec
	plain    *wire.Decoder // of Document.body
	record   *wire.Decoder // of Document.Record
	lane     *model.Lane
	document wire.Document
}

// newReader returns a reader for a spec. key is the key of hashed terms, nil without.
func newReader(s *spec.Spec, key *spec.TermsKey) (*reader, error) {
	keyed, err := s.WithKey(key)
	if err != nil {
		return nil, err
	}
	lane, err := model.NewLane(keyed)
	if err != nil {
		return nil, err
	}
	schema := wire.SchemaOf(s)
	record := wire.NewDecoder(schema)
	schema.Format = wire.FormatJSON
	schema.DocumentFrom = nil // body has the names of the spec, except the names of the texts
	keys := make([]string, len(schema.TextFields))
	for i := range keys {
		keys[i] = textKey(i)
	}
	schema.TextFields = keys
	return &reader{spec: s, plain: wire.NewDecoder(schema), record: record, lane: lane}, nil
}

// read sets r.document. An error about the document is a *DocumentError.
func (r *reader) read(d *Document) error {
	decoder, body := r.record, d.Record
	if body == nil {
		var err error
		decoder = r.plain
		if body, err = d.body(r.spec.TextFields(), r.spec.Text != nil && r.spec.Text.Apart); err != nil {
			return err
		}
	}
	if err := decoder.Body(body, &r.document); err != nil {
		return documentError(err)
	}
	return nil
}

// extract sets r.lane.Features to the features of a document.
func (r *reader) extract(d *Document) error {
	err := r.read(d)
	if err == nil {
		r.lane.Extractor.Extract(&r.lane.Features, &r.document.Input)
	}
	return err
}

// Classifier labels documents by states that somebody else keeps, as package follow does. Other
// modules have no such states. It is safe for concurrent use.
type Classifier struct {
	evidence int
	key      *spec.TermsKey
	readers  sync.Pool // of *reader
}

// NewClassifier returns a classifier.
func NewClassifier(o ...Option) (*Classifier, error) {
	settings, err := newOptions(o)
	if err != nil {
		return nil, err
	}
	return &Classifier{evidence: settings.evidence, key: settings.key}, nil
}

// Classify returns the decision on a document by a state, which nobody changes meanwhile. An error
// about the document is a
// *DocumentError.
func (c *Classifier) Classify(s *fold.State, d *Document) (*Decision, error) {
	r, err := c.reader(s.Spec())
	if err != nil {
		return nil, err
	}
	defer c.readers.Put(r)
	if err := r.read(d); err != nil {
		return nil, err
	}
	decision := r.lane.Decide(s.Model(), s.Next()-1, &r.document.Input, r.document.ID, model.Options{Evidence: c.evidence})
	return &Decision{ID: strings.Clone(r.document.ID), Decision: *decision.Clone()}, nil
}

func (c *Classifier) reader(s *spec.Spec) (*reader, error) {
	if r, _ := c.readers.Get().(*reader); r != nil && r.spec == s {
		return r, nil
	}
	return newReader(s, c.key)
}
