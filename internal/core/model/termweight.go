package model

import (
	"iter"
	"math"

	"bayestream/internal/core/spec"
)

// TermWeight is what one occurrence of a term, or under Bernoulli its presence, says for a class
// against others.
type TermWeight struct {
	Term          []byte // valid until the next one
	Count, Others int64  // of the term, in the class and in the others
	Weight        float64
}

// AllOthers is the class against which terms are weighed that stands for all others together.
const AllOthers = -1

// TermWeights is each term that a class or the others have, in no particular order, with the
// logarithm of the quotient of its smoothed shares there, as the words are scored now: by the alpha
// that decides, and under Bernoulli by documents. It is without the temper and without corrections.
// The model must have a block of text.
func (m *Model) TermWeights(class, against int) iter.Seq[TermWeight] {
	return func(yield func(TermWeight) bool) {
		shares := m.TermShares(class, against)
		for term, cells := range m.text.Rows {
			x := TermWeight{Term: term}
			for _, cell := range cells {
				switch c := cell.Class(); {
				case c == class:
					x.Count = cell.Count()
				case against == AllOthers || c == against:
					x.Others += cell.Count()
				}
			}
			x.Weight = shares.Weight(x.Count, x.Others)
			if x.Count+x.Others > 0 && !yield(x) {
				return
			}
		}
	}
}

// TermShares are what makes the counts of a term in a class and in others its weight.
type TermShares struct{ own, rest share }

// TermShares returns those of a class against another one, or against AllOthers.
func (m *Model) TermShares(class, against int) TermShares {
	lead, _ := m.Deciding()
	return TermShares{
		own:  m.shareOf(&lead, func(c int) bool { return c == class }),
		rest: m.shareOf(&lead, func(c int) bool { return c == against || against == AllOthers && c != class }),
	}
}

// Weight returns the weight of a term by its counts in the class and in the others.
func (s TermShares) Weight(count, others int64) float64 { return s.own.log(count) - s.rest.log(others) }

// share is what makes a count a smoothed share.
type share struct{ alpha, logTotal float64 }

func (s share) log(n int64) float64 { return math.Log(float64(n)+s.alpha) - s.logTotal }

// shareOf returns the share of terms in some classes together.
func (m *Model) shareOf(t *spec.Text, in func(class int) bool) share {
	outcomes := float64(max(1, m.text.Vocabulary()))
	total := m.text.Total
	if t.Likelihood == spec.Bernoulli {
		outcomes = 2
		total = m.classes.Documents
	}
	var sum int64
	for _, c := range m.classes.Live() {
		if in(c) {
			sum += total(c)
		}
	}
	return share{t.Alpha, math.Log(float64(sum) + t.Alpha*outcomes)}
}
