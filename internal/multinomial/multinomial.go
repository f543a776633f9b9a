// Package multinomial is the multinomial event model of naive Bayes: a document of class c is drawn
// word by word, and term t comes with probability
//
//	theta_tc = (n_tc + alpha) / (N_c + alpha |V|)
//
// (McCallum and Nigam 1998; Manning, Raghavan and Schütze 2008, eq. 13.7). The log likelihood of a
// document with x_t occurrences of term t is sum_t x_t ln theta_tc; the multinomial coefficient is
// the same in every class and left out.
//
// A term that no class has counted does not vote: it is outside V.
//
// The denominator does not depend on the term, so the sum is taken as
//
//	sum_t x_t ln(n_tc + alpha)  -  (sum_t x_t) ln(N_c + alpha |V|)
//
// and of the first sum only the classes that have counted t are visited: all others share ln alpha.
package multinomial

import (
	"math"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Likelihood evaluates ln P(document | class). It holds what depends on the table but not on the
// document; Prepare brings it up to date.
type Likelihood struct {
	logs   *smoothing.Logs
	zero   float64   // ln alpha
	logDen []float64 // by class: ln(N_c + alpha |V|)
	absent []float64 // by class: ln theta_tc of a term that the class never had
}

// New returns the likelihood with smoothing constant alpha > 0.
func New(alpha float64) *Likelihood {
	logs := smoothing.NewLogs(alpha)
	return &Likelihood{logs: logs, zero: logs.Log(0)}
}

// Prepare must be called after the table changed and before Add and AppendWeights.
func (l *Likelihood) Prepare(t *counts.Table, classes *counts.Classes) {
	l.logDen, l.absent = l.logDen[:0], l.absent[:0]
	v := l.logs.Alpha() * float64(t.Vocabulary())
	for c := range classes.Cap() {
		l.logDen = append(l.logDen, math.Log(float64(t.Total(c))+v))
		l.absent = append(l.absent, l.zero-l.logDen[c])
	}
}

// Add adds the log likelihood of the bag under each live class to dst, indexed by class number, and
// returns how many of its tokens are known: occurrences of terms with a count in some class. rows are
// what counts.Finder says of the bag.
func (l *Likelihood) Add(dst []float64, t *counts.Table, classes *counts.Classes, bag *bow.Bag, rows []int32) (known int) {
	for i, row := range rows {
		if row < 0 {
			continue
		}
		cells := t.Cells(int(row))
		x := int(bag.Count(i))
		known += x
		for _, c := range cells {
			dst[c.Class()] += float64(x) * (l.logs.Log(c.Count()) - l.zero)
		}
	}
	if known == 0 {
		return 0 // with an empty vocabulary the denominators are zero
	}
	for _, c := range classes.Live() {
		dst[c] += float64(known) * (l.zero - l.logDen[c])
	}
	return known
}

// AppendWeights appends, for the term of each row, ln theta_ta - ln theta_tb: the weight of evidence (Good
// 1950) of one occurrence for class a against class b; 0 for a row of -1.
func (l *Likelihood) AppendWeights(dst []float64, t *counts.Table, rows []int32, a, b int) []float64 {
	for _, row := range rows {
		w := 0.0
		if row >= 0 {
			ofA, ofB := t.Pair(int(row), a, b)
			w = (l.logs.Log(ofA) - l.logDen[a]) - (l.logs.Log(ofB) - l.logDen[b])
		}
		dst = append(dst, w)
	}
	return dst
}

// Row sets dst, by class number, to ln theta_tc of the term of a row.
func (l *Likelihood) Row(dst []float64, t *counts.Table, row int) {
	copy(dst, l.absent)
	for _, cell := range t.Cells(row) {
		c := cell.Class()
		dst[c] = l.logs.Log(cell.Count()) - l.logDen[c]
	}
}
