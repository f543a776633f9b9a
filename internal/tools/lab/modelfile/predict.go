package modelfile

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/tools/lab/dataset"
)

// Predictor labels records with a state that does not change. It belongs to one goroutine.
type Predictor struct {
	state   *fold.State
	lane    *model.Lane
	options model.Options
}

// NewPredictor returns a predictor whose decisions have the options o.
func NewPredictor(state *fold.State, o model.Options) (*Predictor, error) {
	lane, err := model.NewLane(state.Model().Spec())
	if err != nil {
		return nil, err
	}
	return &Predictor{state: state, lane: lane, options: o}, nil
}

// Decide returns the decision on a record, which is valid until the next call. The error is a
// *wire.LineError around a *wire.Reject.
func (p *Predictor) Decide(rec *dataset.Record) (*model.Decision, error) {
	return p.lane.Decide(p.state.Model(), p.state.Next()-1, &rec.Input, rec.ID, p.options), nil
}
