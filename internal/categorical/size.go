package categorical

import (
	"bytes"
	"cmp"
	"math/bits"
	"strconv"

	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// SizeAlpha smooths the counts of sizes.
const SizeAlpha = 1

// AppendSize appends the value of the size n >= 0 of something: the sizes that have its two highest bits, from the least to the
// largest. It is 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15, 16-23 and so on: classes differ by factors, and a few documents of a class
// are enough to know its share of each.
func AppendSize(dst []byte, n int) []byte {
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

// placeOf returns the place of the value of a size among all, from 0 on.
func placeOf(n int) int {
	low := lowBits(n)
	return 2*low + n>>low
}

// CompareSizes orders values of sizes, the smallest first.
func CompareSizes(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Sizes is a Likelihood of sizes, with the smoothing constant SizeAlpha, that has its few rows ready. Between two calls of Prepare any
// number of goroutines may use it.
type Sizes struct {
	table   *counts.Table
	classes *counts.Classes
	logs    *smoothing.Logs
	none    []float64   // by class: the logarithm of a size that no document of it has
	rows    [][]float64 // by place of the size, then class; empty: no document has it
}

// NewSizes returns the likelihood over a table that counts documents by the values of AppendSize.
func NewSizes(t *counts.Table, classes *counts.Classes) *Sizes {
	return &Sizes{table: t, classes: classes, logs: smoothing.NewLogs(SizeAlpha)}
}

// Prepare brings the rows up to date. It must be called after the counts changed and before Set.
func (s *Sizes) Prepare() {
	s.none = s.none[:0]
	for c := range s.classes.Cap() {
		s.none = append(s.none, s.logs.Log(0)-s.logs.LogTotal(s.table.Total(c), s.table.Vocabulary()))
	}
	for i := range s.rows {
		s.rows[i] = s.rows[i][:0]
	}
	for value, cells := range s.table.Rows {
		if n, ok := sizeOf(value); ok {
			s.setRow(n, cells)
		}
	}
}

// sizeOf returns the least size that has a value; none has a value that is not as AppendSize writes it.
func sizeOf(value []byte) (n int, ok bool) {
	least, _, _ := bytes.Cut(value, []byte("-"))
	n, err := strconv.Atoi(string(least))
	if err != nil || n < 0 {
		return 0, false
	}
	var written [48]byte
	return n, bytes.Equal(AppendSize(written[:0], n), value)
}

// setRow sets the row of the value of a size.
func (s *Sizes) setRow(n int, cells []counts.Cell) {
	at := placeOf(n)
	for len(s.rows) <= at {
		s.rows = append(s.rows, nil)
	}
	row := append(s.rows[at], s.none...)
	for _, cell := range cells {
		row[cell.Class()] += s.logs.Log(cell.Count()) - s.logs.Log(0)
	}
	s.rows[at] = row
}

// Set sets dst to ln P(size | class) of the size n, by class number. It reports false, and leaves dst alone, when no document has it.
func (s *Sizes) Set(dst []float64, n int) bool {
	at := placeOf(n)
	if at >= len(s.rows) || len(s.rows[at]) == 0 {
		return false
	}
	copy(dst, s.rows[at])
	return true
}
