// Package smoothing estimates probabilities from counts.
//
// The estimate of an event seen n times in N trials with K possible outcomes is
//
//	P = (n + alpha) / (N + alpha K)
//
// which is Laplace's rule of succession for alpha = 1, Lidstone's for any other alpha > 0, and the
// maximum-likelihood estimate n/N for alpha = 0. It is the posterior mean under a symmetric
// Dirichlet(alpha) prior. Smoothing happens when counts are read: the counts themselves stay
// integers, so alpha can change without learning anything again.
package smoothing

import "math"

// Estimate returns (n + alpha)/(total + alpha k).
func Estimate(n, total int64, alpha float64, k int) float64 {
	return (float64(n) + alpha) / (float64(total) + alpha*float64(k))
}

const tableSize = 1 << 12

// Logs gives ln(n + alpha) for one alpha, from a table for the small n that nearly all counts are.
type Logs struct {
	alpha float64
	small []float64
}

// NewLogs returns the logarithms for alpha > 0.
func NewLogs(alpha float64) *Logs {
	l := &Logs{alpha: alpha, small: make([]float64, tableSize)}
	for n := range l.small {
		l.small[n] = math.Log(float64(n) + alpha)
	}
	return l
}

// Alpha returns the constant that is added to every count.
func (l *Logs) Alpha() float64 { return l.alpha }

// Log returns ln(n + alpha), n >= 0.
func (l *Logs) Log(n int64) float64 {
	if uint64(n) < tableSize {
		return l.small[n]
	}
	return math.Log(float64(n) + l.alpha)
}
