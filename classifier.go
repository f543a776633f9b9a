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
	extract  *model.Extractor
	document wire.Document
	features model.Features
}

// newReader returns a reader for a spec. key is that of hashed terms, nil without.
func newReader(s *spec.Spec, key *spec.TermsKey) (*reader, error) {
	keyed, err := s.WithKey(key)
	if err != nil {
		return nil, err
	}
	extract, err := model.NewExtractor(keyed)
	if err != nil {
		return nil, err
	}
	schema := wire.SchemaOf(s)
	record, err := wire.NewDecoder(schema)
	if err != nil {
		return nil, err
	}
	schema.Format = wire.FormatJSON
	schema.DocumentFrom = nil // body has the names of the spec, but for those of the texts
	keys := make([]string, len(schema.TextFields))
	for i := range keys {
		keys[i] = textKey(i)
	}
	schema.TextFields = keys
	plain, err := wire.NewDecoder(schema)
	if err != nil {
		return nil, err
	}
	return &reader{spec: s, plain: plain, record: record, extract: extract}, nil
}

// read sets r.document and r.features to those of a document. An error about the document is a *DocumentError.
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
	r.extract.Extract(&r.features, &r.document.Input)
	return nil
}

// Classifier labels documents by states that somebody else keeps, as package follow does. Other modules have no such states. It
// is safe for concurrent use.
type Classifier struct {
	evidence int
	key      *spec.TermsKey
	lanes    sync.Pool // of *lane
}

// lane is the scratch of one document.
type lane struct {
	*reader
	scorer   *model.Scorer
	decision model.Decision
}

// NewClassifier returns a classifier.
func NewClassifier(o ...Option) (*Classifier, error) {
	settings, err := newOptions(o)
	if err != nil {
		return nil, err
	}
	return &Classifier{evidence: settings.evidence, key: settings.key}, nil
}

// Classify returns the decision on a document by a state, which nobody changes meanwhile. An error about the document is a
// *DocumentError.
func (c *Classifier) Classify(s *fold.State, d *Document) (*Decision, error) {
	l, err := c.lane(s.Spec())
	if err != nil {
		return nil, err
	}
	defer c.lanes.Put(l)
	if err := l.read(d); err != nil {
		return nil, err
	}
	l.scorer.Decide(&l.decision, s.Model(), &l.features, l.document.ID, model.Options{Evidence: c.evidence})
	l.extract.SetWords(&l.decision, &l.document.Input)
	l.decision.ModelInfo.Offset = s.Next() - 1
	return &Decision{ID: strings.Clone(l.document.ID), Decision: *l.decision.Clone()}, nil
}

// lane returns a lane for a spec.
func (c *Classifier) lane(s *spec.Spec) (*lane, error) {
	if l, _ := c.lanes.Get().(*lane); l != nil && l.spec == s {
		return l, nil
	}
	r, err := newReader(s, c.key)
	if err != nil {
		return nil, err
	}
	return &lane{reader: r, scorer: model.NewScorer()}, nil
}
