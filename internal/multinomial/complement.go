package multinomial

import (
	"math"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Complement is complement naive Bayes (Rennie, Shih, Teevan and Karger 2003): the parameters of a
// class are estimated from the documents of all other classes, which there are more of when classes
// are skewed. With n_t the count of term t in all classes together,
//
//	theta~_tc = (n_t - n_tc + alpha) / (N - N_c + alpha |V|)
//	score_c   = - sum_t x_t ln theta~_tc
//
// or, normalised, sum_t x_t ln theta~_tc / sum_t' ln theta~_t'c, which takes out the weight that long
// documents give to a class. The score is no likelihood: a prior does not enter, and the log-softmax
// that is reported of it ranks the classes and is no calibrated probability.
//
// The normalised form sums over the vocabulary whenever the counts change.
type Complement struct {
	logs   *smoothing.Logs
	norm   bool
	logDen []float64 // by class: ln(N - N_c + alpha |V|)
	factor []float64 // by class: what ln theta~ is multiplied with, -1 or 1/sum
}

// NewComplement returns complement naive Bayes with smoothing constant alpha > 0.
func NewComplement(alpha float64, norm bool) *Complement {
	return &Complement{logs: smoothing.NewLogs(alpha), norm: norm}
}

// Prepare must be called after the table changed and before Add and Weight.
func (l *Complement) Prepare(t *counts.Table, classes *counts.Classes) {
	var all int64
	for c := range classes.Cap() {
		all += t.Total(c)
	}
	v := l.logs.Alpha() * float64(t.Vocabulary())
	l.logDen, l.factor = l.logDen[:0], l.factor[:0]
	for c := range classes.Cap() {
		l.logDen = append(l.logDen, math.Log(float64(all-t.Total(c))+v))
		l.factor = append(l.factor, -1)
	}
	if l.norm && t.Vocabulary() > 0 {
		l.normalise(t, classes)
	}
}

// normalise sets the factors to 1 / sum over the vocabulary of ln theta~_tc.
func (l *Complement) normalise(t *counts.Table, classes *counts.Classes) {
	others := 0.0
	own := make([]float64, classes.Cap())
	for _, cells := range t.Sorted { // a sum of floats must not depend on the order of the rows
		n := total(cells)
		base := l.logs.Log(n)
		others += base
		for _, c := range cells {
			own[c.Class()] += l.logs.Log(n-c.Count()) - base
		}
	}
	for c := range l.factor {
		if sum := others + own[c] - float64(t.Vocabulary())*l.logDen[c]; sum != 0 {
			l.factor[c] = 1 / sum
		}
	}
}

// total returns n_t.
func total(cells []counts.Cell) (n int64) {
	for _, c := range cells {
		n += c.Count()
	}
	return n
}

// Add adds the score of the bag for each live class to dst, indexed by class number, and returns how
// many of its tokens are known. rows are what counts.Finder says of the bag.
func (l *Complement) Add(dst []float64, t *counts.Table, classes *counts.Classes, bag *bow.Bag, rows []int32) (known int) {
	base := 0.0
	for i, row := range rows {
		if row < 0 {
			continue
		}
		cells := t.Cells(int(row))
		x := float64(bag.Count(i))
		known += int(bag.Count(i))
		n := total(cells)
		most := l.logs.Log(n)
		base += x * most
		for _, c := range cells {
			dst[c.Class()] += x * l.factor[c.Class()] * (l.logs.Log(n-c.Count()) - most)
		}
	}
	if known == 0 {
		return 0
	}
	for _, c := range classes.Live() {
		dst[c] += l.factor[c] * (base - float64(known)*l.logDen[c])
	}
	return known
}

// AppendWeights appends, for the term of each row, what one occurrence adds to the score of class a more
// than to that of class b; 0 for a row of -1.
func (l *Complement) AppendWeights(dst []float64, t *counts.Table, rows []int32, a, b int) []float64 {
	for _, row := range rows {
		w := 0.0
		if row >= 0 {
			n := total(t.Cells(int(row)))
			ofA, ofB := t.Pair(int(row), a, b)
			w = l.factor[a]*(l.logs.Log(n-ofA)-l.logDen[a]) - l.factor[b]*(l.logs.Log(n-ofB)-l.logDen[b])
		}
		dst = append(dst, w)
	}
	return dst
}

// Row sets dst, by class number, to what one occurrence of the term of a row adds to the score.
func (l *Complement) Row(dst []float64, t *counts.Table, row int) {
	cells := t.Cells(row)
	n := total(cells)
	most := l.logs.Log(n)
	for c := range dst {
		dst[c] = l.factor[c] * (most - l.logDen[c])
	}
	for _, cell := range cells {
		c := cell.Class()
		dst[c] = l.factor[c] * (l.logs.Log(n-cell.Count()) - l.logDen[c])
	}
}
