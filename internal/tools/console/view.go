package console

import (
	"cmp"
	"math"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/wire"
)

// Bounds on what is shown of a message.
const (
	mostSteps = 200   // of a waterfall; the others are in the rest
	mostTerms = 2000  // of a text
	mostRunes = 32768 // of a segment
)

// contrast says which classes a waterfall compares: by default the label and the runner-up.
type contrast struct{ class, against string }

// look returns a document as the model of the state sees it.
func (l *lens) look(state *fold.State, in *model.Input, id string, pair contrast) *viewJSON {
	x := l.lanes.Get().(*model.Lane)
	defer l.lanes.Put(x)
	m := state.Model()
	first := x.Decide(m, state.Next()-1, in, id, model.Options{})
	d := compared(x, pair)
	x.Extractor.SetWords(&d, in)
	v := &viewJSON{Decision: decisionOf(first, id), Numbers: numbersOf(m, in, &d),
		Values: valuesOf(m, in, &x.Features, &d), Flip: flipOf(&d)}
	if pair != (contrast{}) {
		v.Compared = decisionOf(&d, id)
	}
	l.text(v, x, in, &d)
	return v
}

// decisionOf returns a copy of a decision with as much evidence as is shown. The others are in the
// rest.
func decisionOf(d *model.Decision, id string) *wire.Decision {
	short := *d
	short.Evidence = d.Evidence[:min(len(d.Evidence), mostSteps)]
	for i := len(short.Evidence); i < len(d.Evidence); i++ {
		short.Rest += d.Evidence[i].Weight
	}
	return &wire.Decision{ID: id, Decision: *short.Clone()}
}

// judge passes on the decision of the state on a document.
func (l *lens) judge(state *fold.State, in *model.Input, id string, evidence int, then func(*model.Decision)) {
	x := l.lanes.Get().(*model.Lane)
	defer l.lanes.Put(x)
	then(x.Decide(state.Model(), state.Next()-1, in, id, model.Options{Evidence: evidence}))
}

// compared returns the decision with the evidence of the classes that are asked for.
func compared(x *model.Lane, want contrast) model.Decision {
	d := x.Decision
	if want == (contrast{}) || !d.HasMargin {
		return d
	}
	class, against := cmp.Or(want.class, d.Label), cmp.Or(want.against, d.RunnerUp)
	if class == against && want.against == "" {
		against = d.Label
	}
	if other, ok := x.Scorer.Contrast(&d, &x.Features, class, against, model.Options{}); ok {
		return other
	}
	return d
}

// flipOf returns the fewest terms without which the runner-up would win; nil if all of them are not
// enough. The weights of the terms add up, so that the largest come first.
func flipOf(d *model.Decision) *flipJSON {
	if !d.HasMargin || math.IsInf(d.Margin, 0) || d.Margin < 0 {
		return nil
	}
	f := &flipJSON{Label: d.RunnerUp, Margin: d.Margin}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		if e.Term == "" || !(e.Weight > 0) {
			continue
		}
		f.Without = append(f.Without, e.Word())
		f.Words += e.Count
		f.Margin -= e.Weight
		if f.Margin < 0 {
			f.Margin = -f.Margin
			return f
		}
	}
	return nil
}
