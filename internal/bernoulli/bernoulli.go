// Package bernoulli is the multivariate Bernoulli event model of naive Bayes: a document of class c
// has or has not each term t of the vocabulary, with probability
//
//	p_tc = (d_tc + alpha) / (D_c + 2 alpha)
//
// where d_tc of the D_c documents of c have the term (McCallum and Nigam 1998; Manning, Raghavan
// and Schütze 2008, 13.3). The log likelihood is a sum over the whole vocabulary,
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
	"maps"
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Likelihood evaluates ln P(document | class) over presence and absence. Between two calls of
// Prepare any number of goroutines may use it.
type Likelihood struct {
	table   *counts.Table // d_tc
	classes *counts.Classes
	logs    *smoothing.Logs
	absent  []float64 // by class: S_c
	zero    []float64 // by class: ln p - ln(1-p) of a term that the class never had
	logDen  []float64 // by class: ln(D_c + 2 alpha)
}

// New returns the likelihood with smoothing constant alpha > 0. The table holds d_tc and keeps its
// count of counts, and classes holds D_c.
func New(alpha float64, t *counts.Table, classes *counts.Classes) *Likelihood {
	return &Likelihood{table: t, classes: classes, logs: smoothing.NewLogs(alpha)}
}

// Prepare brings what depends on the counts up to date. It must be called after the table or the
// documents changed and before Add and AppendWeights.
func (l *Likelihood) Prepare() {
	l.absent = l.absent[:0]
	l.zero = l.zero[:0]
	l.logDen = l.logDen[:0]
	for c := range l.classes.Cap() {
		d := l.classes.Documents(c)
		l.logDen = append(l.logDen, l.logs.LogTotal(d, 2))
		l.zero = append(l.zero, l.logs.Log(0)-l.logs.Log(d))
		l.absent = append(l.absent, l.allAbsent(c))
	}
}

// allAbsent returns S_c.
func (l *Likelihood) allAbsent(class int) float64 {
	d := l.classes.Documents(class)
	byCount := l.table.CountOfCounts(class)
	rest := int64(l.table.Vocabulary())
	sum := 0.0
	for _, n := range slices.Sorted(maps.Keys(byCount)) { // a sum of floats must not depend on the order of a map
		terms := byCount[n]
		sum += float64(terms) * l.logs.Log(d-n)
		rest -= terms
	}
	return sum + float64(rest)*l.logs.Log(d) - float64(l.table.Vocabulary())*l.logDen[class]
}

// A Scorer scores documents with a Likelihood. It is scratch of one goroutine.
type Scorer struct {
	like   *Likelihood
	finder counts.Finder
	rows   []int32 // of the terms of the last bag, -1 where no class has counted one
}

// NewScorer returns a scorer of documents under l.
func NewScorer(l *Likelihood) *Scorer { return &Scorer{like: l} }

// Add adds the log likelihood of the bag under each live class to dst, indexed by class number, and
// returns how many of its tokens are known: those of terms that any class has counted. Tokens of a
// term beyond the first are known but do not change the score.
func (s *Scorer) Add(dst []float64, bag *bow.Bag) (known int) {
	l := s.like
	s.rows = s.rows[:0]
	present := 0
	for i := range bag.Len() {
		row := s.finder.Row(l.table, bag.Lexicon(), bag.Number(i))
		s.rows = append(s.rows, int32(row))
		if row < 0 {
			continue
		}
		known += int(bag.Count(i))
		present++
		for _, cell := range l.table.Cells(row) {
			c := cell.Class()
			n := cell.Count()
			dst[c] += l.logs.Log(n) - l.logs.Log(l.classes.Documents(c)-n) - l.zero[c]
		}
	}
	for _, c := range l.classes.Choices() {
		dst[c] += l.absent[c] + float64(present)*l.zero[c]
	}
	return known
}

// AppendWeights appends, for each term of the bag, ln p_ta - ln p_tb: the weight of evidence (Good
// 1950) of its presence for class a against class b; NaN for a term that no class has counted. The
// bag must be that of the last call of Add.
func (s *Scorer) AppendWeights(dst []float64, _ *bow.Bag, a, b int) []float64 {
	l := s.like
	for _, row := range s.rows {
		w := math.NaN()
		if row >= 0 {
			ofA := l.table.Count(int(row), a)
			ofB := l.table.Count(int(row), b)
			w = (l.logs.Log(ofA) - l.logDen[a]) - (l.logs.Log(ofB) - l.logDen[b])
		}
		dst = append(dst, w)
	}
	return dst
}
