package logistic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Model is a fitted regression. It is safe for concurrent use.
type Model struct {
	Classes   []string    // sorted by name
	Weights   [][]float64 // by logit, then by field: one logit, of the second class, for two classes, else one for each
	Intercept []float64   // by logit
	Mean      []float64   // by field; subtracted from x; 0 without standardisation
	Scale     []float64   // by field; divides x - mean; 1 without standardisation
}

// AppendLogPosterior appends ln P(class|x) for each of Classes.
func (m *Model) AppendLogPosterior(dst, x []float64) ([]float64, error) {
	if len(x) != len(m.Mean) {
		return dst, fmt.Errorf("row has %d numbers, the regression was fitted to %d", len(x), len(m.Mean))
	}
	z := make([]float64, len(m.Weights))
	for k, w := range m.Weights {
		z[k] = m.Intercept[k]
		for j := range x {
			z[k] += w[j] * (x[j] - m.Mean[j]) / m.Scale[j]
		}
	}
	start := len(dst)
	dst = append(dst, make([]float64, len(m.Classes))...)
	normalise(dst[start:], z)
	return dst, nil
}

// Label returns the class of the largest log posterior; of equal ones the first by name.
func (m *Model) Label(logPosterior []float64) string { return m.Classes[floats.MaxIdx(logPosterior)] }

// normalise sets dst to the log posteriors of the logits z. Two classes have one logit, for the
// second class.
func normalise(dst, z []float64) {
	if len(z) == 1 {
		dst[0] = -softplus(z[0])
		dst[1] = -softplus(-z[0])
		return
	}
	all := floats.LogSumExp(z)
	for k, v := range z {
		dst[k] = min(v-all, 0)
	}
}

// softplus returns ln(1 + e^z), without overflow for large z and without rounding to 0 for small z.
func softplus(z float64) float64 {
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}
