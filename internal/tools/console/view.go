package console

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
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
func (l *lens) look(state *fold.State, in *model.Input, id string, pair contrast) *View {
	x := l.scratch.Get().(*scratch)
	defer l.scratch.Put(x)
	m := state.Model()
	x.extract.Extract(&x.features, in)
	x.scorer.Decide(&x.decision, m, &x.features, id, model.Options{})
	x.decision.Model.Offset = state.Next() - 1
	d := x.pair(pair)
	x.extract.SetWords(&d, in)
	v := &View{Decision: full(&x.decision), Numbers: numbersOf(m, in, &d), Values: valuesOf(m, in, &x.features, &d), Flip: flipOf(&d)}
	v.Decision.Waterfall = waterfallOf(&d)
	x.text(v, in, &d, l)
	return v
}

// judge returns the decision of the state on a document, in short.
func (l *lens) judge(state *fold.State, in *model.Input, id string, evidence int, then func(*model.Decision)) {
	x := l.scratch.Get().(*scratch)
	defer l.scratch.Put(x)
	x.extract.Extract(&x.features, in)
	x.scorer.Decide(&x.decision, state.Model(), &x.features, id, model.Options{Evidence: evidence})
	x.extract.SetWords(&x.decision, in)
	then(&x.decision)
}

// pair returns the decision with the evidence of the classes that are asked for.
func (x *scratch) pair(want contrast) model.Decision {
	d := x.decision
	if want == (contrast{}) || !d.HasMargin {
		return d
	}
	class, against := cmp.Or(want.class, d.Label), cmp.Or(want.against, d.RunnerUp)
	if class == against && want.against == "" {
		against = d.Label
	}
	if other, ok := x.scorer.Contrast(&d, &x.features, class, against, model.Options{}); ok {
		return other
	}
	return d
}

// full returns a decision for JSON, without its waterfall.
func full(d *model.Decision) FullDecision {
	out := FullDecision{Status: d.Status, Classes: []ClassScore{}, Tokens: &Tokens{d.TokensTotal, d.TokensKnown}, Truncated: d.Truncated}
	if d.Labelled {
		label, sure := d.Label, d.Posterior()
		out.Label = &label
		out.Confidence = &sure
	}
	if d.HasMargin {
		runnerUp := d.RunnerUp
		out.RunnerUp = &runnerUp
		out.Margin = finite(d.Margin)
	}
	for i := range d.Classes {
		c := &d.Classes[i]
		score := ClassScore{Name: c.Name, Posterior: c.Posterior, LogPosterior: finite(c.LogPosterior), LogPrior: finite(c.LogPrior)}
		if d.HasRisk {
			score.Risk = finite(c.Risk)
		}
		out.Classes = append(out.Classes, score)
	}
	if d.Scoring.Candidate != "" {
		out.Scoring = &Scoring{d.Scoring.Candidate, d.Scoring.Temper}
	}
	out.Model = &ModelInfo{Name: d.Model.Name, Spec: d.Model.Spec, Documents: d.Model.Documents}
	if d.Model.Offset >= 0 {
		offset := d.Model.Offset
		out.Model.Offset = &offset
	}
	return out
}

// waterfallOf returns how the margin of a decision adds up; nil with fewer than two classes or without evidence.
func waterfallOf(d *model.Decision) *Waterfall {
	if !d.HasMargin || d.RunnerUp == "" {
		return nil
	}
	w := &Waterfall{For: d.Label, Against: d.RunnerUp, Temper: 1}
	if d.Scoring.Temper > 0 {
		w.Temper = d.Scoring.Temper
	}
	step := func(s Step, weight float64) {
		s.Weight = finite(weight)
		s.Plain = finite(weight / w.Temper)
		w.Steps = append(w.Steps, s)
	}
	var prior float64
	for i := range d.Classes {
		switch d.Classes[i].Name {
		case d.Label:
			prior += d.Classes[i].LogPrior
		case d.RunnerUp:
			prior -= d.Classes[i].LogPrior
		}
	}
	step(Step{Kind: "prior", Name: "prior"}, prior)
	rest := d.Rest
	for i := range d.Evidence {
		e := &d.Evidence[i]
		if i >= mostSteps {
			rest += e.Weight
			continue
		}
		s := Step{Kind: "term", Name: e.Term, As: slices.Clone(e.As), Count: e.Count}
		if e.Block != "" {
			s = Step{Kind: "block", Name: e.Block, Fields: e.Fields, Value: strings.Clone(e.Value), Weights: slices.Clone(e.FieldWeights)}
		}
		step(s, e.Weight)
	}
	step(Step{Kind: "rest", Name: "rest"}, rest)
	w.Margin = finite(d.Margin)
	w.PlainMargin = finite(d.Margin / w.Temper)
	return w
}

// flipOf returns the fewest terms without which the runner-up would win; nil if all of them are not enough. The weights of the
// terms add up, so that the largest come first.
func flipOf(d *model.Decision) *Flip {
	if !d.HasMargin || math.IsInf(d.Margin, 0) || d.Margin < 0 {
		return nil
	}
	f := &Flip{Label: d.RunnerUp, Margin: d.Margin}
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
