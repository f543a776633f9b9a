package model

import "bayestream/internal/core/spec"

// A Lane decides on one document after the other: it extracts, scores, and names the words that
// decided. It belongs to one goroutine.
type Lane struct {
	Extractor *Extractor
	Scorer    *Scorer
	Features  Features // of the document
	Decision  Decision // valid until the next document
}

// NewLane returns a lane for models of the spec.
func NewLane(s *spec.Spec) (*Lane, error) {
	x, err := NewExtractor(s)
	if err != nil {
		return nil, err
	}
	return &Lane{Extractor: x, Scorer: NewScorer()}, nil
}

// Decide returns the decision on a document by a model that has folded its log up to the offset;
// -1: it follows none.
func (l *Lane) Decide(m *Model, offset int64, in *Input, id string, o Options) *Decision {
	l.Extractor.Extract(&l.Features, in)
	l.Scorer.Decide(&l.Decision, m, &l.Features, id, o)
	l.Extractor.SetWords(&l.Decision, in)
	l.Decision.Offset = offset
	return &l.Decision
}
