package model

import (
	"bayestream/internal/bernoulli"
	"bayestream/internal/bow"
	"bayestream/internal/core/spec"
	"bayestream/internal/multinomial"
)

// eventModel is a likelihood of text over the counts of a model. It holds what depends on the counts and not
// on a document; after Prepare any number of goroutines may read it.
type eventModel interface {
	Prepare()
}

// textScorer scores documents under an eventModel. It is scratch of one goroutine.
type textScorer interface {
	// Add adds the score of the bag for each live class to dst, indexed by class number, and returns how
	// many of its tokens are known.
	Add(dst []float64, bag *bow.Bag) (known int)
	// AppendWeights appends, for each term of the bag of the last call of Add, what it adds to the score of
	// class a more than to that of class b; NaN for a term that is not known.
	AppendWeights(dst []float64, bag *bow.Bag, a, b int) []float64
}

// newEventModel returns the likelihood that a block of text asks for.
func (m *Model) newEventModel(t *spec.Text) eventModel {
	switch {
	case t.Likelihood == spec.Bernoulli:
		return bernoulli.New(t.Alpha, m.text, &m.classes)
	case t.Likelihood == spec.Complement && t.Norm:
		return multinomial.New(multinomial.Normalized, weightingOf(t.Candidate()), m.text, &m.classes)
	}
	return multinomial.New(kindOf(t.Likelihood), weightingOf(t.Candidate()), m.text, &m.classes)
}

// kindOf returns the kind of a likelihood that can race.
func kindOf(likelihood string) multinomial.Kind {
	switch likelihood {
	case spec.Complement:
		return multinomial.Complement
	case spec.OneVsAll:
		return multinomial.OneVsAll
	}
	return multinomial.Multinomial
}

// weightingOf returns how a candidate weighs counts.
func weightingOf(c spec.Candidate) multinomial.Weighting {
	return multinomial.Weighting{Alpha: c.Alpha, Sublinear: c.Sublinear}
}

// newTextScorer returns a scorer for one goroutine.
func newTextScorer(e eventModel) textScorer {
	if l, ok := e.(*multinomial.Likelihood); ok {
		return multinomial.NewScorer(l)
	}
	return bernoulli.NewScorer(e.(*bernoulli.Likelihood))
}
