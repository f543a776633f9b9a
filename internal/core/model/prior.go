package model

import (
	"math"

	"bayestream/internal/core/spec"
)

// logPriors sets dst, by class number, to ln P(c) of the choices. A given prior is renormalised over
// these classes; a class it does not name gets the smallest probability it names.
func (m *Model) logPriors(dst []float64, p *spec.Prior) {
	choices := m.classes.Choices()
	for _, c := range choices {
		dst[c] = priorWeight(p, m.classes.Name(c), m.classes.Documents(c))
	}
	logShares(dst, choices)
}

// priorWeight returns what P(class) is in proportion to.
func priorWeight(p *spec.Prior, class string, documents int64) float64 {
	switch p.Kind {
	case spec.Uniform:
		return 1
	case spec.Given:
		if v, ok := p.Given[class]; ok {
			return v
		}
		least := math.Inf(1)
		for _, v := range p.Given {
			least = min(least, v)
		}
		return least
	case spec.Pseudo:
		return float64(documents) + p.Given[class]
	}
	return float64(documents)
}

// logShares replaces the weights of the choices by the logarithms of their shares. It adds up in
// logarithms, because given weights may be as large as floats are.
func logShares(weights []float64, choices []int) {
	if len(choices) == 0 {
		return
	}
	for _, c := range choices {
		weights[c] = math.Log(weights[c])
	}
	largest, sum := normalise(weights, choices, nil, 1)
	rest := math.Log1p(sum)
	for _, c := range choices {
		weights[c] = weights[c] - largest - rest
	}
}
