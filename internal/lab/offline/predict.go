package offline

import (
	"bayestream/internal/fold"
	"bayestream/internal/lab/dataset"
	"bayestream/internal/model"
)

// Predictor labels the records of files by a state that does not change. It belongs to one goroutine.
type Predictor struct {
	state    *fold.State
	extract  *model.Extractor
	scorer   *model.Scorer
	options  model.Options
	features model.Features
	decision model.Decision
}

// NewPredictor returns a predictor with the options of its decisions.
func NewPredictor(state *fold.State, o model.Options) (*Predictor, error) {
	x, err := model.NewExtractor(state.Model().Spec())
	if err != nil {
		return nil, err
	}
	return &Predictor{state: state, extract: x, scorer: model.NewScorer(), options: o}, nil
}

// Decide returns the decision on a record; it may be used until the next call. The error is a
// *wire.LineError around a *wire.Reject.
func (p *Predictor) Decide(rec *dataset.Record) (*model.Decision, error) {
	if err := extract(p.extract, &p.features, &rec.Input); err != nil {
		return nil, lineError(rec, err)
	}
	p.scorer.Decide(&p.decision, p.state.Model(), &p.features, rec.ID, p.options)
	p.decision.Model.Offset = p.state.Next() - 1 // -1: never on a log
	return &p.decision, nil
}
