package logistic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// iterations is the largest number of iterations of the first method.
const iterations = 10_000

// Fit learns from rows and their labels. c is the weight of the data against the penalty: larger fits
// more closely. Each field is divided by its standard deviation (denominator n) first, so that units
// do not change the penalty.
func Fit(rows [][]float64, labels []string, c float64) (*Model, error) {
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) < 2 {
		return nil, fmt.Errorf("logistic regression: all rows are of class %q, at least two classes are needed", classes[0])
	}
	p := newProblem(rows, labels, classes, c)
	theta, err := p.minimise()
	if err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	return p.model(classes, theta), nil
}

// moments returns the mean and the standard deviation of each field; for a constant field its value
// and 1.
func moments(rows [][]float64) (mean, sd []float64) {
	n := float64(len(rows))
	mean = make([]float64, len(rows[0]))
	sd = make([]float64, len(rows[0]))
	for j := range mean {
		constant := true
		for _, row := range rows {
			mean[j] += row[j] / n
			constant = constant && row[j] == rows[0][j]
		}
		squares := 0.0
		for _, row := range rows {
			squares += (row[j] - mean[j]) * (row[j] - mean[j])
		}
		sd[j] = math.Sqrt(squares / n)
		if constant || !(sd[j] > 0) {
			mean[j] = rows[0][j]
			sd[j] = 1
		}
	}
	return mean, sd
}

// model returns the regression with the parameters theta. Softmax does not change when the same
// number is added to all intercepts: their sum is set to 0.
func (p *problem) model(classes []string, theta []float64) *Model {
	fields := p.width - 1
	m := &Model{Classes: classes, Mean: p.mean, Scale: p.sd}
	for k := range p.logits {
		m.Weights = append(m.Weights, p.logit(theta, k)[:fields])
		m.Intercept = append(m.Intercept, p.logit(theta, k)[fields])
	}
	if p.logits > 1 {
		floats.AddConst(-floats.Sum(m.Intercept)/float64(p.logits), m.Intercept)
	}
	return m
}

// Model is a fitted regression. It is safe for concurrent use.
type Model struct {
	Classes   []string    // sorted by name
	Weights   [][]float64 // by logit, then by field: one logit, of the second class, for two classes, else one for each
	Intercept []float64   // by logit
	Mean      []float64   // by field; subtracted from x
	Scale     []float64   // by field; divides x - mean
}

// LogPosterior returns ln P(class|x) for each of Classes.
func (m *Model) LogPosterior(x []float64) []float64 {
	z := make([]float64, len(m.Weights))
	for k, w := range m.Weights {
		z[k] = m.Intercept[k]
		for j := range x {
			z[k] += w[j] * (x[j] - m.Mean[j]) / m.Scale[j]
		}
	}
	out := make([]float64, len(m.Classes))
	normalise(out, z)
	return out
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

// Hyperplane is the logistic form of two classes, with the sign of Mitchell (2017):
//
//	P(1|x) = 1 / (1 + exp(w0 + sum over j of w_j x_j))
//
// Its sign is opposite to that of Model's logit: it is positive where class 0 is more likely, and 0
// on the plane between the classes.
type Hyperplane struct {
	W0 float64   `json:"w0"`
	W  []float64 `json:"w"`
}

// FromGaussian returns the logistic form of a Gaussian naive Bayes classifier of two classes whose
// variances they share (Mitchell 2017, section 3.1):
//
//	w0 = ln((1-p)/p) + sum over j of (m1_j^2 - m0_j^2) / (2 v_j)      w_j = (m0_j - m1_j) / v_j
//
// p is the prior of class 1, between 0 and 1; m0 and m1 are the means of the classes, v the variances. The quadratic
// terms of the densities are equal and cancel: the log odds are linear in x.
func FromGaussian(p float64, m0, m1, v []float64) *Hyperplane {
	h := &Hyperplane{W0: math.Log((1 - p) / p), W: make([]float64, len(v))}
	for j := range v {
		// m1^2 - m0^2 as a product: the difference of two large squares would lose digits.
		h.W0 += (m1[j] - m0[j]) * (m1[j] + m0[j]) / (2 * v[j])
		h.W[j] = (m0[j] - m1[j]) / v[j]
	}
	return h
}

// LogPosterior returns ln P(0|x) and ln P(1|x).
func (h *Hyperplane) LogPosterior(x []float64) (zero, one float64) {
	z := h.W0 + floats.Dot(h.W, x)
	return -softplus(-z), -softplus(z)
}
