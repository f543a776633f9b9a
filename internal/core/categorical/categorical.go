// Package categorical is naive Bayes over one field with a finite set of values (the outlook of the
// weather, a country): value v has in class c the probability
//
//	(n_vc + alpha) / (N_c + alpha K)
//
// where N_c documents of c have the field and K is the number of distinct values, seen or given.
//
// A value never seen and not given does not vote, nor does a missing one; a given value with count
// zero does.
//
// With alpha 0 it is the table of the textbook, n_vc / N_c: a value that a class never had rules
// the class out. Of a class in which no document has the field, 0/0, the table says nothing; no
// value votes then.
package categorical

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Likelihood evaluates ln P(value | class). Between two calls of Prepare any number of goroutines
// may use it.
type Likelihood struct {
	table   *counts.Table // n_vc
	classes *counts.Classes
	logs    *smoothing.Logs
	given   map[string]bool
	logDen  []float64 // by class: ln(N_c + alpha K)
	unknown bool      // alpha is 0, and no document of some class has the field
}

// New returns the likelihood with smoothing constant alpha >= 0 over a table that holds n_vc; given
// are the values that exist whether counted or not. With alpha 0 it is the maximum-likelihood
// estimate, which may be
// -Inf.
func New(alpha float64, given []string, t *counts.Table, classes *counts.Classes) *Likelihood {
	l := &Likelihood{table: t, classes: classes, logs: smoothing.NewLogs(alpha), given: map[string]bool{}}
	for _, v := range given {
		l.given[v] = true
	}
	return l
}

// Prepare brings the denominators up to date. It must be called after the counts changed and before
// Set.
func (l *Likelihood) Prepare() {
	k := l.table.Vocabulary()
	for v := range l.given {
		if l.find([]byte(v)) < 0 {
			k++
		}
	}
	l.logDen = l.logDen[:0]
	for c := range l.classes.Cap() {
		l.logDen = append(l.logDen, l.logs.LogTotal(l.table.Total(c), k))
	}
	l.unknown = slices.ContainsFunc(l.classes.Choices(), l.Unknown)
}

// Unknown reports whether the table says nothing of a class: alpha is 0, and no document of it has
// the field.
func (l *Likelihood) Unknown(class int) bool {
	return l.table.Total(class) == 0 && math.IsInf(l.logs.Log(0), -1)
}

// find returns the row of a value, -1 if no class has counted it.
func (l *Likelihood) find(value []byte) int {
	row := l.table.Lookup(bow.Hash(value), value)
	if row >= 0 && len(l.table.Cells(row)) == 0 {
		return -1
	}
	return row
}

// Set sets dst, indexed by class number, to ln P(value | class) for each live class. It reports
// false, and leaves dst alone, when the value does not vote.
func (l *Likelihood) Set(dst []float64, value []byte) bool {
	return l.set(dst, value, l.find(value))
}

// SetNumber is Set of the value that has a number in a lexicon. The finder remembers its row, because a
// stream has the same values again and again.
func (l *Likelihood) SetNumber(dst []float64, f *counts.Finder, values *bow.Lexicon, number uint32) bool {
	return l.set(dst, values.Term(number), f.Row(l.table, values, number))
}

// set is Set of the value in a row.
func (l *Likelihood) set(dst []float64, value []byte, row int) bool {
	if l.unknown || row < 0 && !l.given[string(value)] {
		return false
	}
	none := l.logs.Log(0)
	for _, c := range l.classes.Choices() {
		dst[c] = none - l.logDen[c]
	}
	if row >= 0 {
		for _, cell := range l.table.Cells(row) {
			dst[cell.Class()] = l.logs.Log(cell.Count()) - l.logDen[cell.Class()]
		}
	}
	return true
}
