// Package categorical is naive Bayes over one field with a finite set of values (the outlook of the
// weather, a country): value v has in class c the probability
//
//	(n_vc + alpha) / (N_c + alpha K)
//
// where N_c documents of c have the field and K is the number of distinct values, seen or given.
//
// A value never seen and not given does not vote, nor does a missing one; a given value with count
// zero does.
package categorical

import (
	"math"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// Likelihood evaluates ln P(value | class). The table it reads holds n_vc.
type Likelihood struct {
	logs   *smoothing.Logs
	given  map[string]bool
	logDen []float64 // by class: ln(N_c + alpha K)
}

// New returns the likelihood with smoothing constant alpha >= 0 and the values that are known to
// exist. With alpha 0 it is the maximum-likelihood estimate, which may be -Inf.
func New(alpha float64, given []string) *Likelihood {
	l := &Likelihood{logs: smoothing.NewLogs(alpha), given: map[string]bool{}}
	for _, v := range given {
		l.given[v] = true
	}
	return l
}

// Prepare must be called after the table changed and before Add.
func (l *Likelihood) Prepare(t *counts.Table, classes *counts.Classes) {
	k := t.Vocabulary()
	for v := range l.given {
		if row := t.Lookup(bow.Hash([]byte(v)), []byte(v)); row < 0 || len(t.Cells(row)) == 0 {
			k++
		}
	}
	l.logDen = l.logDen[:0]
	for c := range classes.Cap() {
		l.logDen = append(l.logDen, math.Log(float64(t.Total(c))+l.logs.Alpha()*float64(k)))
	}
}

// Set sets dst, indexed by class number, to the log likelihood of value under each live class. It
// reports false, and leaves dst alone, when the value does not vote.
func (l *Likelihood) Set(dst []float64, t *counts.Table, classes *counts.Classes, value []byte) bool {
	row := t.Lookup(bow.Hash(value), value)
	if row >= 0 && len(t.Cells(row)) == 0 {
		row = -1
	}
	if row < 0 && !l.given[string(value)] {
		return false
	}
	for _, c := range classes.Live() {
		var n int64
		if row >= 0 {
			n = t.Count(row, c)
		}
		dst[c] = l.logs.Log(n) - l.logDen[c]
	}
	return true
}
