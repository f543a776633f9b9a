// Package neighbors classifies by the k nearest training rows, for comparison with the models that
// learn from a stream. It keeps every row.
//
// Let K rows lie in the smallest ball around x that holds the K nearest rows, K_j of them of class
// j, and let V be its volume. Out of N rows, N_j of class j (Bishop 2006, section 2.5.2):
//
//	p(x) = K / (N V)    p(x|j) = K_j / (N_j V)    P(j) = N_j / N    so that    P(j|x) = K_j / K
//
// The search compares x with every row.
//
// Distances are Euclidean in the units of the fields, so fields of different units should be
// standardised first. The density is improper (its integral diverges), and infinite where K rows
// equal x.
package neighbors

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
)

// Rows is a training set. It is safe for concurrent use.
type Rows struct {
	rows    [][]float64
	class   []int // by row: index into classes
	classes []string
}

// New returns a training set of the rows, each with its label. It keeps the rows, which must not
// change.
func New(rows [][]float64, labels []string) *Rows {
	r := &Rows{rows: rows, class: make([]int, len(rows))}
	r.classes = slices.Compact(slices.Sorted(slices.Values(labels)))
	for i := range rows {
		r.class[i], _ = slices.BinarySearch(r.classes, labels[i])
	}
	return r
}

// Classes returns the labels, sorted by name. It is a view.
func (r *Rows) Classes() []string { return r.classes }

// Neighbor is a training row near x.
type Neighbor struct {
	Class    int     // index into Classes
	Distance float64 // Euclidean
}

// Nearest returns the k rows nearest to x, nearest first; of equal distances the lower row comes
// first.
func (r *Rows) Nearest(x []float64, k int) []Neighbor {
	near := make([]Neighbor, 0, k)
	for i, row := range r.rows {
		n := Neighbor{Class: r.class[i], Distance: distance(row, x)}
		if len(near) == k && n.Distance >= near[k-1].Distance {
			continue // of equal distances the lower row, found before, stays
		}
		at := sort.Search(len(near), func(j int) bool { return near[j].Distance > n.Distance })
		near = slices.Insert(near[:min(len(near), k-1)], at, n)
	}
	return near
}

// distance returns the length of a - b; +Inf if the sum of the squares overflows, as with numbers
// beyond 1e153.
func distance(a, b []float64) float64 {
	sum := 0.0
	for j := range a {
		d := a[j] - b[j]
		sum += d * d
	}
	return math.Sqrt(sum)
}

// Posterior returns P(j|x) = K_j/K for each class, in the order of Classes.
func (r *Rows) Posterior(x []float64, k int) []float64 {
	out := make([]float64, len(r.classes))
	for j, v := range r.votes(r.Nearest(x, k)) {
		out[j] = float64(v) / float64(k)
	}
	return out
}

// votes returns how many of the rows have each class.
func (r *Rows) votes(near []Neighbor) []int {
	out := make([]int, len(r.classes))
	for _, n := range near {
		out[n.Class]++
	}
	return out
}

// Label returns the class of the largest posterior; of equal ones the first by name.
func (r *Rows) Label(posterior []float64) string { return r.classes[floats.MaxIdx(posterior)] }

// LogDensity returns ln p(x) = ln K - ln N - ln V: +Inf where k rows equal x.
func (r *Rows) LogDensity(x []float64, k int) float64 {
	near := r.Nearest(x, k)
	return math.Log(float64(k)) - math.Log(float64(len(r.rows))) - logBall(len(x), near[k-1].Distance)
}

// LogDensities returns ln p(x|j) = ln K_j - ln N_j - ln V for each class, in the order of Classes:
// -Inf for a class that has none of the k nearest rows.
func (r *Rows) LogDensities(x []float64, k int) []float64 {
	near := r.Nearest(x, k)
	all := make([]int, len(r.classes))
	for _, c := range r.class {
		all[c]++
	}
	volume := logBall(len(x), near[k-1].Distance)
	out := make([]float64, len(r.classes))
	for j, v := range r.votes(near) {
		out[j] = math.Inf(-1) // even if the volume is 0
		if v > 0 {
			out[j] = math.Log(float64(v)) - math.Log(float64(all[j])) - volume
		}
	}
	return out
}

// logBall returns the natural logarithm of the volume of a ball in d dimensions,
//
//	V = pi^(d/2) r^d / Gamma(d/2 + 1)
//
// which leaves the range of float64 in many dimensions; its logarithm does not.
func logBall(d int, r float64) float64 {
	half := float64(d) / 2
	gamma, _ := math.Lgamma(half + 1)
	return half*math.Log(math.Pi) - gamma + float64(d)*math.Log(r)
}
