package modelfile

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/tools/lab/dataset"
)

// Predictor labels records with a state that does not change. It belongs to one goroutine.
type Predictor struct {
	state    *fold.State
	extract  *model.Extractor
	scorer   *model.Scorer
	options  model.Options
	features model.Features
	decision model.Decision
}

// NewPredictor returns a predictor whose decisions have the options o.
func NewPredictor(state *fold.State, o model.Options) (*Predictor, error) {
	x, err := model.NewExtractor(state.Model().Spec())
	if err != nil {
		return nil, err
	}
	return &Predictor{state: state, extract: x, scorer: model.NewScorer(), options: o}, nil
}

// Decide returns the decision on a record, which is valid until the next call. The error is a *wire.LineError
// around a *wire.Reject.
func (p *Predictor) Decide(rec *dataset.Record) (*model.Decision, error) {
	p.extract.Extract(&p.features, &rec.Input)
	p.scorer.Decide(&p.decision, p.state.Model(), &p.features, rec.ID, p.options)
	p.extract.SetWords(&p.decision, &rec.Input)
	p.decision.ModelInfo.Offset = p.state.Next() - 1 // -1: the state never followed a log
	return &p.decision, nil
}
