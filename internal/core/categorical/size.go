package categorical

import (
	"cmp"
	"math/bits"
	"strconv"

	"bayestream/internal/counts"
	"bayestream/internal/smoothing"
)

// SizeAlpha smooths the counts of sizes.
const SizeAlpha = 1

// SizeName returns the value of the size n >= 0 of something: the sizes that have its two highest
// bits, from the least to the largest. It is 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15, 16-23 and so on:
// classes differ by factors, and a few documents of a class are enough to know its share of each.
func SizeName(n int) string { return sizeNames[SizePlace(n)] }

// SizeNames returns the values of all sizes, the smallest first. It must not be changed.
func SizeNames() []string { return sizeNames }

var (
	sizeNames  = makeSizeNames()
	sizePlaces = placesOf(sizeNames)
)

// makeSizeNames returns the values of all sizes, the smallest first.
func makeSizeNames() (names []string) {
	for n := 0; n >= 0; { // it ends where the next size is none that an int can hold
		largest := n + 1<<lowBits(n) - 1
		name := strconv.Itoa(n)
		if largest > n {
			name += "-" + strconv.Itoa(largest)
		}
		names = append(names, name)
		n = largest + 1
	}
	return names
}

func placesOf(names []string) map[string]int {
	places := make(map[string]int, len(names))
	for i, name := range names {
		places[name] = i
	}
	return places
}

// lowBits returns how many bits of n are below its two highest.
func lowBits(n int) int { return max(0, bits.Len(uint(n))-2) }

// SizePlace returns the index of SizeName(n) in SizeNames.
func SizePlace(n int) int {
	low := lowBits(n)
	return 2*low + n>>low
}

// CompareSizes orders values of sizes, the smallest first.
func CompareSizes(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Sizes is a Likelihood of sizes, with the smoothing constant SizeAlpha, that has its few rows
// ready. Between two calls of Prepare any number of goroutines may use it.
type Sizes struct {
	table   *counts.Table
	classes *counts.Classes
	logs    *smoothing.Logs
	none    []float64   // by class: the logarithm of a size that no document of it has
	rows    [][]float64 // by place of the size, then class; empty: no document has it
}

// NewSizes returns the likelihood over a table that counts documents by the values of SizeName.
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
		if at, ok := sizePlaces[string(value)]; ok {
			s.setRow(at, cells)
		}
	}
}

// setRow sets the row of the value at a place.
func (s *Sizes) setRow(at int, cells []counts.Cell) {
	for len(s.rows) <= at {
		s.rows = append(s.rows, nil)
	}
	row := append(s.rows[at], s.none...)
	for _, cell := range cells {
		row[cell.Class()] += s.logs.Log(cell.Count()) - s.logs.Log(0)
	}
	s.rows[at] = row
}

// Set sets dst to ln P(size | class) of the size n, by class number. It reports false, and leaves
// dst alone, when no document has it.
func (s *Sizes) Set(dst []float64, n int) bool {
	at := SizePlace(n)
	if at >= len(s.rows) || len(s.rows[at]) == 0 {
		return false
	}
	copy(dst, s.rows[at])
	return true
}
