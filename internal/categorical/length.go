package categorical

import (
	"bytes"
	"cmp"
	"math/bits"
	"strconv"

	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// LengthAlpha smooths the counts of lengths.
const LengthAlpha = 1

// AppendLength appends the value of a text of n tokens, n above 0: the lengths that have its two highest bits, from the least to the
// largest. It is 1, 2, 3, 4-5, 6-7, 8-11, 12-15, 16-23 and so on: classes differ by factors, and a few documents of a class
// are enough to know its share of each.
func AppendLength(dst []byte, n int) []byte {
	low := lowBits(n)
	least := n >> low << low
	dst = strconv.AppendInt(dst, int64(least), 10)
	if low == 0 {
		return dst
	}
	dst = append(dst, '-')
	return strconv.AppendInt(dst, int64(least+1<<low-1), 10)
}

// lowBits returns how many bits of n are below its two highest.
func lowBits(n int) int { return max(0, bits.Len(uint(n))-2) }

// placeOf returns the place of the value of n tokens among all, from 1 on.
func placeOf(n int) int {
	low := lowBits(n)
	return 2*low + n>>low
}

// CompareLengths orders values of lengths, the shortest first.
func CompareLengths(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Lengths is a Likelihood of lengths, with the smoothing constant LengthAlpha, that has its few rows ready. Between two calls of Prepare any
// number of goroutines may use it.
type Lengths struct {
	table   *counts.Table
	classes *counts.Classes
	logs    *smoothing.Logs
	none    []float64   // by class: the logarithm of a length that no document of it has
	rows    [][]float64 // by place of the length, then class; empty: no document is so long
}

// NewLengths returns the likelihood over a table that counts documents by the values of AppendLength.
func NewLengths(t *counts.Table, classes *counts.Classes) *Lengths {
	return &Lengths{table: t, classes: classes, logs: smoothing.NewLogs(LengthAlpha)}
}

// Prepare brings the rows up to date. It must be called after the counts changed and before Set.
func (l *Lengths) Prepare() {
	l.none = l.none[:0]
	for c := range l.classes.Cap() {
		l.none = append(l.none, l.logs.Log(0)-l.logs.LogTotal(l.table.Total(c), l.table.Vocabulary()))
	}
	for i := range l.rows {
		l.rows[i] = l.rows[i][:0]
	}
	for value, cells := range l.table.Rows {
		if n, ok := lengthOf(value); ok {
			l.setRow(n, cells)
		}
	}
}

// lengthOf returns the least length that has a value; none has a value that is not as AppendLength writes it.
func lengthOf(value []byte) (n int, ok bool) {
	least, _, _ := bytes.Cut(value, []byte("-"))
	n, err := strconv.Atoi(string(least))
	if err != nil || n < 1 {
		return 0, false
	}
	var written [48]byte
	return n, bytes.Equal(AppendLength(written[:0], n), value)
}

// setRow sets the row of the value of n tokens.
func (l *Lengths) setRow(n int, cells []counts.Cell) {
	at := placeOf(n)
	for len(l.rows) <= at {
		l.rows = append(l.rows, nil)
	}
	row := append(l.rows[at], l.none...)
	for _, cell := range cells {
		row[cell.Class()] += l.logs.Log(cell.Count()) - l.logs.Log(0)
	}
	l.rows[at] = row
}

// Set sets dst to ln P(length | class) of n tokens, by class number. It reports false, and leaves dst alone, when no document is so long,
// or n is 0.
func (l *Lengths) Set(dst []float64, n int) bool {
	at := placeOf(n)
	if n == 0 || at >= len(l.rows) || len(l.rows[at]) == 0 {
		return false
	}
	copy(dst, l.rows[at])
	return true
}
