package gaussian

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// maxCondition is the condition number of a correlation matrix beyond which the last digits of its
// inverse mean nothing: the matrix is taken for singular.
const maxCondition = 1e13

// correlated is the density of a class whose fields have a full covariance matrix
// S = D R D, D = diag(scale) and R the correlations: scaling first makes the result independent of
// the units and keeps the factorisation R = L L' (Cholesky) accurate.
type correlated struct {
	digits int
	mean   []float64
	center []center // the same, for differences
	cov    *covariance
}

// covariance is a covariance matrix, factorised as S = D L L' D.
type covariance struct {
	scale    []float64 // D: the standard deviations, in units of the record
	lower    []float64 // L, rows i of i+1 entries, one after the other
	constant float64   // -1/2 (d ln 2pi + ln det S)
	singular Problem   // why it cannot be used
}

func (d *correlated) problem([]Number) Problem { return d.cov.singular }

// logDensity returns -1/2 (d ln 2pi + ln det S + diff' S^-1 diff).
func (d *correlated) logDensity(x []Number, buf []float64) float64 {
	diff := buf[:len(x)]
	for i, v := range x {
		diff[i] = d.center[i].diff(v.Value, d.digits)
	}
	return d.cov.constant - 0.5*d.cov.mahalanobis(diff)
}

// mahalanobis returns diff' S^-1 diff by forward substitution; diff is overwritten.
func (c *covariance) mahalanobis(diff []float64) float64 {
	sum := 0.0
	row := 0 // where row i of L begins
	for i := range diff {
		v := diff[i] / c.scale[i]
		for j := range i {
			v -= c.lower[row+j] * diff[j]
		}
		v /= c.lower[row+i]
		diff[i] = v
		sum += v * v
		row += i + 1
	}
	return sum
}

// factor returns the covariance matrix s ready for use.
func factor(s *mat.SymDense) *covariance {
	d := s.SymmetricDim()
	c := &covariance{scale: make([]float64, d)}
	for i := range d {
		if !usable(s.At(i, i)) {
			c.singular = noVariance(i)
			return c
		}
		c.scale[i] = math.Sqrt(s.At(i, i))
	}
	r := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			r.SetSym(i, j, s.At(i, j)/c.scale[i]/c.scale[j])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(r) || !(chol.Cond() <= maxCondition) {
		c.singular = Problem{
			Field:  AllFields,
			Reason: "the covariance matrix is singular: too few rows for its fields, or fields that depend on each other",
		}
		return c
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	logDet := 0.0
	for i := range d {
		for j := range i + 1 {
			c.lower = append(c.lower, lower.At(i, j))
		}
		logDet += 2 * (math.Log(c.scale[i]) + math.Log(lower.At(i, i)))
	}
	c.constant = -0.5 * (float64(d)*log2Pi + logDet)
	return c
}

// fitFull fits the densities of the classes in live.
func (b *Block) fitFull(live []int) {
	extra := b.smoothing(live)
	var pooled *covariance
	if b.o.Kind == LDA {
		pooled = b.pooledCovariance(live, extra)
	}
	for _, c := range live {
		s := b.Sums(c)
		if s == nil || s.rows(0) == 0 {
			continue
		}
		d := &correlated{digits: b.o.Digits, cov: pooled}
		for i := range b.o.Fields {
			d.mean = append(d.mean, s.mean(i, b.o.Digits))
			d.center = append(d.center, s.center(i))
		}
		if pooled == nil {
			d.cov = b.ownCovariance(s, extra)
		}
		b.classes[c].density = d
	}
}

// ownCovariance is QDA's: S_c with the denominator n or n-1, then (1-r) S + r I.
func (b *Block) ownCovariance(s *Sums, extra float64) *covariance {
	n := s.rows(0)
	if b.o.Unbiased {
		n--
	}
	m := b.classCovariance(s, n)
	for i := range b.o.Fields {
		for j := i; j < b.o.Fields; j++ {
			m.SetSym(i, j, (1-b.o.RegParam)*m.At(i, j))
		}
		m.SetSym(i, i, m.At(i, i)+b.o.RegParam+extra)
	}
	return factor(m)
}

// classCovariance returns scatter/n in squared units, zero for n = 0.
func (b *Block) classCovariance(s *Sums, n int64) *mat.SymDense { return b.pooledExact([]*Sums{s}, n) }

// pooledCovariance is LDA's: the scatters of all classes over n or n-L, shrunk as the options say.
func (b *Block) pooledCovariance(live []int, extra float64) *covariance {
	withRows, n := b.withRows(live, 0)
	var m *mat.SymDense
	if b.o.OAS {
		m = b.pooledOAS(withRows, n)
	} else {
		m = b.pooledExact(withRows, n)
		shrink(m, b.o.Shrinkage)
	}
	for i := range b.o.Fields {
		m.SetSym(i, i, m.At(i, i)+extra)
	}
	return factor(m)
}

// pooledExact returns the sum of the classes' scatters over n, in squared units, zero for n = 0.
func (b *Block) pooledExact(classes []*Sums, n int64) *mat.SymDense {
	m := mat.NewSymDense(b.o.Fields, nil)
	if n <= 0 {
		return m
	}
	var parts []*scatters
	for _, s := range classes {
		parts = append(parts, newScatters(s))
	}
	unit := perRowUnit(n, b.o.Digits)
	sum := newFloat()
	q := newFloat()
	for i := range b.o.Fields {
		for j := i; j < b.o.Fields; j++ {
			sum.SetInt64(0)
			for _, x := range parts {
				sum.Add(sum, x.at(i, j))
			}
			m.SetSym(i, j, round(q.Quo(sum, unit)))
		}
	}
	return m
}

// Discriminant returns the weights w and the constant w0 of LDA's linear discriminant function of a
// class, delta_c(x) = w'x + w0 (+ ln P(c)): w = S^-1 mu_c, w0 = -1/2 mu_c' S^-1 mu_c (Hastie,
// Tibshirani and Friedman 2009, eq. 4.10). ok is false where the block is no LDA or cannot
// evaluate.
func (b *Block) Discriminant(class int) (w []float64, w0 float64, ok bool) {
	d := b.correlated(class)
	if d == nil || b.o.Kind != LDA {
		return nil, 0, false
	}
	w = d.cov.solve(d.mean)
	for i, m := range d.mean {
		w0 -= 0.5 * w[i] * m
	}
	return w, w0, true
}

// correlated returns the density of a class in a full block, nil if it cannot be evaluated.
func (b *Block) correlated(class int) *correlated {
	d, ok := b.of(class).density.(*correlated)
	if !ok || d.cov.singular != (Problem{}) {
		return nil
	}
	return d
}

// solve returns S^-1 v, by substitution forward with L and back with its transpose.
func (c *covariance) solve(v []float64) []float64 {
	y := append([]float64(nil), v...)
	c.mahalanobis(y) // leaves L^-1 D^-1 v
	d := len(y)
	at := func(i, j int) float64 { return c.lower[i*(i+1)/2+j] }
	for i := d - 1; i >= 0; i-- {
		for j := i + 1; j < d; j++ {
			y[i] -= at(j, i) * y[j]
		}
		y[i] /= at(i, i)
	}
	for i := range y {
		y[i] /= c.scale[i]
	}
	return y
}

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
