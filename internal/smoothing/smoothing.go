// Package smoothing turns counts into logarithms of probabilities.
//
// The estimate of an event seen n times in N trials with K possible outcomes is
//
//	P = (n + alpha) / (N + alpha K)
//
// which is Laplace's rule of succession for alpha = 1, Lidstone's for any other alpha > 0, and the
// maximum-likelihood estimate n/N for alpha = 0. It is the posterior mean under a symmetric
// Dirichlet(alpha) prior (Manning, Raghavan and Schütze 2008, 11.3.2). Smoothing happens when
// counts are read: the counts themselves stay integers, so alpha can change without learning again.
//
// The logarithm ln P = Log(n) - LogTotal(N, K) has two parts. The first occurs once for each term
// and class and is looked up; the second does not depend on the event and is computed once for each
// class.
package smoothing

import "math"

// tableSize is how many of the first logarithms ln(n + alpha) are in the table: 32 KiB.
const tableSize = 1 << 12

// Logs computes the natural logarithms of both parts of the estimate for one alpha.
type Logs struct {
	alpha float64
	small []float64 // by n
}

// laplace is the table of alpha 1, which nearly all blocks of nearly all models have.
var laplace = logarithms(1)

// NewLogs returns the logarithms for alpha >= 0. With alpha 0, Log(0) is -Inf.
func NewLogs(alpha float64) *Logs {
	small := laplace
	if alpha != 1 {
		small = logarithms(alpha)
	}
	return &Logs{alpha: alpha, small: small}
}

// logarithms returns ln(n + alpha) for each n below tableSize.
func logarithms(alpha float64) []float64 {
	small := make([]float64, tableSize)
	for n := range small {
		small[n] = math.Log(float64(n) + alpha)
	}
	return small
}

// Log returns ln(n + alpha), n >= 0.
func (l *Logs) Log(n int64) float64 {
	if uint64(n) < tableSize {
		return l.small[n]
	}
	return math.Log(float64(n) + l.alpha)
}

// LogTotal returns ln(total + alpha k): the denominator of an estimate with k possible outcomes.
func (l *Logs) LogTotal(total int64, k int) float64 {
	return math.Log(float64(total) + l.alpha*float64(k))
}
