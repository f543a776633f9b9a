package logistic

import (
	"fmt"
	"math"
)

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
// p is the prior of class 1, m0 and m1 are the means of the classes, v the variances. The quadratic
// terms of the densities are equal and cancel: the log odds are linear in x.
func FromGaussian(p float64, m0, m1, v []float64) (*Hyperplane, error) {
	if !(p > 0 && p < 1) {
		return nil, fmt.Errorf("prior of class 1 is %v: want a number between 0 and 1", p)
	}
	if len(m0) != len(m1) || len(m0) != len(v) {
		return nil, fmt.Errorf("%d and %d means and %d variances: want a mean of each class and a variance for each field",
			len(m0), len(m1), len(v))
	}
	h := &Hyperplane{W0: math.Log((1 - p) / p), W: make([]float64, len(v))}
	for j := range v {
		if !(v[j] > 0) || math.IsInf(v[j], 0) {
			return nil, fmt.Errorf("variance of field %d is %v: want a number above 0", j, v[j])
		}
		// m1^2 - m0^2 as a product: the difference of two large squares would lose digits.
		h.W0 += (m1[j] - m0[j]) * (m1[j] + m0[j]) / (2 * v[j])
		h.W[j] = (m0[j] - m1[j]) / v[j]
	}
	return h, nil
}

// LogPosterior returns ln P(0|x) and ln P(1|x).
func (h *Hyperplane) LogPosterior(x []float64) (zero, one float64, err error) {
	if len(x) != len(h.W) {
		return math.NaN(), math.NaN(), fmt.Errorf("row has %d numbers, the hyperplane has %d weights", len(x), len(h.W))
	}
	z := h.W0
	for j := range x {
		z += h.W[j] * x[j]
	}
	return -softplus(-z), -softplus(z), nil
}
