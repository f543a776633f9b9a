package multinomial

import (
	"math"
	"slices"
)

// Columns are the scores that a Panel computes of each class: under Multinomial with some weightings, followed by those under Complement with some.
// The alphas are above 0.
type Columns struct{ Multinomial, Complement []Weighting }

// columnLogs is the logarithms of the counts of a term that the columns are computed from. It is scratch of one goroutine.
type columnLogs struct {
	columns    []Weighting
	complement int         // the first column of Complement
	own        *logarithms // for the columns of Multinomial
	rest       *logarithms // for those of Complement

	// What of and ofAll return.
	ofOwn, ofRest, ofEach []float64
}

func newColumnLogs(c Columns) *columnLogs {
	m := len(c.Multinomial)
	n := len(c.Complement)
	return &columnLogs{
		columns: slices.Concat(c.Multinomial, c.Complement), complement: m, own: newLogarithms(alphasOf(c.Multinomial)), rest: newLogarithms(alphasOf(c.Complement)),
		ofOwn: make([]float64, m), ofRest: make([]float64, n), ofEach: make([]float64, n),
	}
}

// alphasOf returns the alphas of some columns.
func alphasOf(columns []Weighting) (alphas []float64) {
	for _, w := range columns {
		alphas = append(alphas, w.Alpha)
	}
	return alphas
}

// of returns the logarithms of the count n of a class, by column of Multinomial, and of the other counts of a total, by column of Complement. They
// are views.
func (l *columnLogs) of(n, total int64) (own, rest []float64) {
	return l.own.of(l.ofOwn, n), l.rest.of(l.ofRest, total-n)
}

// ofAll returns the logarithms of the total of all counts, by column of Complement. It is a view.
func (l *columnLogs) ofAll(total int64) []float64 { return l.rest.of(l.ofEach, total) }

// appendDenominators appends the logarithms of the denominators of a class, by column: it has n of all tokens, and the vocabulary has so many terms.
func (l *columnLogs) appendDenominators(dst []float64, n, all int64, vocabulary int) []float64 {
	for a, w := range l.columns {
		tokens := n
		if a >= l.complement {
			tokens = all - n
		}
		dst = append(dst, math.Log(float64(tokens)+w.Alpha*float64(vocabulary)))
	}
	return dst
}
