package gaussian

import (
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// pooledOAS returns the mean of the classes' covariances, each shrunk by its own coefficient,
// weighed by their rows over n; zero for n = 0. It adds as exactly as pooledExact does: the inverse
// of a nearly singular matrix magnifies the last digit of a sum, and a decision must not depend on
// the order of the classes.
func (b *Block) pooledOAS(classes []*Sums, n int64) *mat.SymDense {
	m := mat.NewSymDense(b.o.Fields, nil)
	if n <= 0 {
		return m
	}
	var parts []*mat.SymDense
	var weights []*big.Float
	for _, s := range classes {
		own := b.classCovariance(s, s.rows(0))
		shrink(own, oas(own, s.rows(0)))
		parts = append(parts, own)
		weights = append(weights, floatOf(s.rows(0)))
	}
	all := floatOf(n)
	sum := newFloat()
	x := newFloat()
	for i := range b.o.Fields {
		for j := i; j < b.o.Fields; j++ {
			sum.SetInt64(0)
			for k, own := range parts {
				sum.Add(sum, x.Mul(x.SetFloat64(own.At(i, j)), weights[k]))
			}
			m.SetSym(i, j, round(sum.Quo(sum, all)))
		}
	}
	return m
}

// shrink replaces S by (1-s) S + s tr(S)/d I.
func shrink(m *mat.SymDense, s float64) {
	if s == 0 {
		return
	}
	d := m.SymmetricDim()
	mu := mat.Trace(m) / float64(d)
	for i := range d {
		for j := i; j < d; j++ {
			m.SetSym(i, j, (1-s)*m.At(i, j))
		}
		m.SetSym(i, i, m.At(i, i)+s*mu)
	}
}

// oas returns the oracle approximating shrinkage coefficient of a maximum-likelihood covariance of
// n rows (Chen, Wiesel, Eldar and Hero 2010, eq. 23, in the form with the exponents corrected that
// scikit-learn computes).
func oas(m *mat.SymDense, n int64) float64 {
	d := m.SymmetricDim()
	squares := 0.0
	for i := range d {
		for j := range d {
			squares += m.At(i, j) * m.At(i, j)
		}
	}
	p := float64(d)
	alpha := squares / (p * p)
	mu := mat.Trace(m) / p
	num := alpha + mu*mu
	den := float64(n+1) * (alpha - mu*mu/p)
	if !(den > 0) { // alpha >= mu^2/p, except for rounding if all variances are equal
		return 1
	}
	return min(num/den, 1)
}
