package codec

import (
	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog/logpb"
)

// PrequentialProto returns the protobuf form of what the decisions on scored records come to.
func PrequentialProto(x *race.Prequential) *logpb.Prequential {
	p := &logpb.Prequential{Scored: x.Scored, Errors: x.Errors, Loss: x.Loss}
	for i := range x.Window {
		b := &x.Window[i]
		p.Window = append(p.Window, &logpb.Block{
			Scored: b.Scored, Errors: b.Decided.Errors, Loss: b.Decided.Loss, Confidence: confidenceProto(&b.Decided.Confidence),
			Classes: talliesProto(b.Classes),
		})
	}
	return p
}

// ReadPrequential reads and checks the protobuf form of what the decisions on scored records come
// to.
func ReadPrequential(p *logpb.Prequential) (*race.Prequential, error) {
	x := &race.Prequential{Scored: p.GetScored(), Errors: p.GetErrors(), Loss: p.GetLoss()}
	for _, w := range p.GetWindow() {
		b := race.Block{Scored: w.GetScored(), Decided: race.Decided{Errors: w.GetErrors(), Loss: w.GetLoss()}}
		if err := readConfidence(&b.Decided.Confidence, w.GetConfidence()); err != nil {
			return nil, err
		}
		var err error
		b.Classes, err = readTallies(w.GetClasses())
		if err != nil {
			return nil, err
		}
		x.Window = append(x.Window, b)
	}
	return x, x.Check()
}
