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
	"fmt"
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
func New(rows [][]float64, labels []string) (*Rows, error) {
	if len(rows) == 0 {
		return nil, fmt.Errorf("no training rows: want at least one")
	}
	if len(rows) != len(labels) {
		return nil, fmt.Errorf("%d training rows have %d labels", len(rows), len(labels))
	}
	r := &Rows{rows: rows, class: make([]int, len(rows))}
	r.classes = slices.Compact(slices.Sorted(slices.Values(labels)))
	for i, row := range rows {
		if len(row) != len(rows[0]) || len(row) == 0 {
			return nil, fmt.Errorf("training row %d has %d numbers, row 0 has %d: all need the same, at least 1", i, len(row),
				len(rows[0]))
		}
		if err := finite(row); err != nil {
			return nil, fmt.Errorf("training row %d: %w", i, err)
		}
		r.class[i], _ = slices.BinarySearch(r.classes, labels[i])
	}
	return r, nil
}

// finite returns an error if a number is not finite.
func finite(x []float64) error {
	for j, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("number %d is %v: distances need finite numbers", j, v)
		}
	}
	return nil
}

// Classes returns the labels, sorted by name. It is a view.
func (r *Rows) Classes() []string { return r.classes }

// Neighbor is a training row near x.
type Neighbor struct {
	Row      int
	Class    int     // index into Classes
	Distance float64 // Euclidean
}

// AppendNearest appends the k rows nearest to x, nearest first; of equal distances the lower row
// comes first.
func (r *Rows) AppendNearest(dst []Neighbor, x []float64, k int) ([]Neighbor, error) {
	if k < 1 || k > len(r.rows) {
		return dst, fmt.Errorf("%d nearest of %d training rows: want 1 to %d", k, len(r.rows), len(r.rows))
	}
	if len(x) != len(r.rows[0]) {
		return dst, fmt.Errorf("row has %d numbers, the training rows have %d", len(x), len(r.rows[0]))
	}
	if err := finite(x); err != nil {
		return dst, err
	}
	start := len(dst)
	for i, row := range r.rows {
		n := Neighbor{Row: i, Class: r.class[i], Distance: distance(row, x)}
		near := dst[start:]
		if len(near) == k && n.Distance >= near[k-1].Distance {
			continue // of equal distances the lower row, found before, stays
		}
		if len(near) == k {
			dst = dst[:len(dst)-1]
		}
		at := sort.Search(len(dst)-start, func(j int) bool { return dst[start+j].Distance > n.Distance })
		dst = slices.Insert(dst, start+at, n)
	}
	return dst, nil
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

// AppendPosterior appends P(j|x) = K_j/K for each class, in the order of Classes.
func (r *Rows) AppendPosterior(dst, x []float64, k int) ([]float64, error) {
	near, err := r.AppendNearest(nil, x, k)
	if err != nil {
		return dst, err
	}
	for _, v := range r.votes(near) {
		dst = append(dst, float64(v)/float64(k))
	}
	return dst, nil
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
func (r *Rows) LogDensity(x []float64, k int) (float64, error) {
	near, err := r.AppendNearest(nil, x, k)
	if err != nil {
		return math.NaN(), err
	}
	return math.Log(float64(k)) - math.Log(float64(len(r.rows))) - logBall(len(x), near[k-1].Distance), nil
}

// AppendLogDensities appends ln p(x|j) = ln K_j - ln N_j - ln V for each class, in the order of
// Classes: -Inf for a class that has none of the k nearest rows.
func (r *Rows) AppendLogDensities(dst, x []float64, k int) ([]float64, error) {
	near, err := r.AppendNearest(nil, x, k)
	if err != nil {
		return dst, err
	}
	all := make([]int, len(r.classes))
	for _, c := range r.class {
		all[c]++
	}
	volume := logBall(len(x), near[k-1].Distance)
	for j, v := range r.votes(near) {
		density := math.Inf(-1) // even if the volume is 0
		if v > 0 {
			density = math.Log(float64(v)) - math.Log(float64(all[j])) - volume
		}
		dst = append(dst, density)
	}
	return dst, nil
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
