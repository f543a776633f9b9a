package model

import (
	"bayestream/internal/bernoulli"
	"bayestream/internal/bow"
	"bayestream/internal/core/spec"
	"bayestream/internal/multinomial"
)

// eventModel is a likelihood of text over the counts of a model. It holds what depends on the
// counts and not on a document; after Prepare any number of goroutines may read it.
type eventModel interface {
	Prepare()
}

// textScorer scores documents under an eventModel. It is scratch of one goroutine.
type textScorer interface {
	// Add adds the score of the bag for each live class to dst, indexed by class number, and returns
	// how many of its tokens are known.
	Add(dst []float64, bag *bow.Bag) (known int)
	// AppendWeights appends, for each term of the bag of the last call of Add, what it adds to the
	// score of class a more than to that of class b; NaN for a term that is not known.
	AppendWeights(dst []float64, bag *bow.Bag, a, b int) []float64
}

// newEventModel returns the likelihood that a block of text asks for.
func (m *Model) newEventModel(t *spec.Text) eventModel {
	if t.Likelihood == spec.Bernoulli {
		return bernoulli.New(t.Alpha, m.text, &m.classes)
	}
	form := formOf(t.Candidate())
	if t.Likelihood == spec.Complement && t.Norm {
		form.Kind = multinomial.Normalized
	}
	return multinomial.New(form, m.text, &m.classes, m.wordCorrections())
}

// formOf returns a candidate as it scores words.
func formOf(c spec.Candidate) multinomial.Form {
	form := multinomial.Form{Kind: multinomial.Multinomial, Alpha: c.Alpha, Sublinear: c.Sublinear,
		Corrections: c.Corrections}
	switch c.Likelihood {
	case spec.Complement:
		form.Kind = multinomial.Complement
	case spec.OneVsAll:
		form.Kind = multinomial.OneVsAll
	}
	return form
}

func newTextScorer(e eventModel) textScorer {
	if l, ok := e.(*multinomial.Likelihood); ok {
		return multinomial.NewScorer(l)
	}
	return bernoulli.NewScorer(e.(*bernoulli.Likelihood))
}
