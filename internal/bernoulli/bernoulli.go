// Package bernoulli is the multivariate Bernoulli event model of naive Bayes: a document of class c
// has or has not each term t of the vocabulary, with probability
//
//	p_tc = (d_tc + alpha) / (D_c + 2 alpha)
//
// where d_tc of the D_c documents of c have the term (McCallum and Nigam 1998; Manning, Raghavan and
// Schütze 2008, 13.3). The log likelihood is a sum over the whole vocabulary,
//
//	sum over present t of ln p_tc  +  sum over absent t of ln(1 - p_tc).
//
// The absent terms are exact without visiting them: with S_c = sum over all t of ln(1 - p_tc),
//
//	S_c + sum over present t of [ln p_tc - ln(1 - p_tc)]
//
// and S_c needs, for each class, only how many terms have each count (the count of counts).
package bernoulli

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Likelihood evaluates ln P(document | class) over presence and absence. The table it reads holds
// d_tc and keeps its count of counts.
type Likelihood struct {
	logs   *smoothing.Logs
	absent []float64 // by class: S_c
	zero   []float64 // by class: ln p - ln(1-p) of a term that the class never had
	logDen []float64 // by class: ln(D_c + 2 alpha)
	docs   []int64   // by class: D_c
}

// New returns the likelihood with smoothing constant alpha > 0.
func New(alpha float64) *Likelihood { return &Likelihood{logs: smoothing.NewLogs(alpha)} }

// Prepare must be called after the table or the documents changed and before Add and Weight.
func (l *Likelihood) Prepare(t *counts.Table, classes *counts.Classes) {
	l.absent, l.zero, l.logDen, l.docs = l.absent[:0], l.zero[:0], l.logDen[:0], l.docs[:0]
	alpha := l.logs.Alpha()
	for c := range classes.Cap() {
		d := classes.Documents(c)
		l.docs = append(l.docs, d)
		l.logDen = append(l.logDen, math.Log(float64(d)+2*alpha))
		l.zero = append(l.zero, l.logs.Log(0)-l.logs.Log(d))
		l.absent = append(l.absent, l.allAbsent(t, c, d))
	}
}

// allAbsent returns S_c. The counts are visited in order: a sum of floats must not depend on the
// order of a map.
func (l *Likelihood) allAbsent(t *counts.Table, class int, d int64) float64 {
	if d == 0 {
		return 0
	}
	byCount := t.CountOfCounts(class)
	order := make([]int64, 0, len(byCount))
	for n := range byCount {
		order = append(order, n)
	}
	slices.Sort(order)
	rest := int64(t.Vocabulary())
	sum := 0.0
	for _, n := range order {
		terms := byCount[n]
		sum += float64(terms) * l.logs.Log(d-n)
		rest -= terms
	}
	return sum + float64(rest)*l.logs.Log(d) - float64(t.Vocabulary())*l.logDen[class]
}

// Add adds the log likelihood of the bag under each live class to dst, indexed by class number, and
// returns how many of its tokens are known. Occurrences beyond the first count as known but say
// nothing more. rows are what counts.Finder says of the bag.
func (l *Likelihood) Add(dst []float64, t *counts.Table, classes *counts.Classes, bag *bow.Bag, rows []int32) (known int) {
	present := 0
	for i, row := range rows {
		if row < 0 {
			continue
		}
		cells := t.Cells(int(row))
		known += int(bag.Count(i))
		present++
		for _, cell := range cells {
			c, n := cell.Class(), cell.Count()
			dst[c] += l.logs.Log(n) - l.logs.Log(l.docs[c]-n) - l.zero[c]
		}
	}
	for _, c := range classes.Live() {
		dst[c] += l.absent[c] + float64(present)*l.zero[c]
	}
	return known
}

// AppendWeights appends, for the term of each row, ln p_ta - ln p_tb: what its presence says for class a
// against class b; 0 for a row of -1.
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
