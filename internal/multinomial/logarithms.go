package multinomial

import (
	"math"
	"slices"
)

const (
	// tableSize is how many of the first logarithms ln(n + alpha) are in the table at most. The table grows with the
	// counts that it meets: most are small.
	tableSize = 1 << 12
	// memory is how many of the others are remembered: those of the most frequent words, which come in most documents.
	memory = 1 << 13
)

// logarithms has ln(n + alpha) of several alphas for the counts n of a table.
type logarithms struct {
	alphas []float64
	none   []float64 // ln alpha, by alpha
	small  []float64 // ln(n + alpha), n < known, by n and alpha
	known  int
	keys   []int64   // by n modulo memory: the larger n whose logarithms are remembered; nil before the first
	large  []float64 // by n modulo memory and alpha
}

func newLogarithms(alphas []float64) *logarithms {
	l := &logarithms{alphas: slices.Clone(alphas)}
	l.grow(16)
	l.none = l.small[:len(alphas)]
	return l
}

// grow fills the table up to n.
func (l *logarithms) grow(n int) {
	for ; l.known < n; l.known++ {
		for _, alpha := range l.alphas {
			l.small = append(l.small, math.Log(float64(l.known)+alpha))
		}
	}
}

// of returns ln(n + alpha) by alpha, in dst or as a view of the table.
func (l *logarithms) of(dst []float64, n int64) []float64 {
	if int(n) < l.known {
		return l.small[int(n)*len(dst):][:len(dst)]
	}
	return l.find(dst, n)
}

// find is of where the table does not have n yet, or never.
func (l *logarithms) find(dst []float64, n int64) []float64 {
	if n < tableSize {
		l.grow(min(2*int(n), tableSize))
		return l.of(dst, n)
	}
	if l.keys == nil {
		l.keys = make([]int64, memory)
		l.large = make([]float64, memory*len(dst))
	}
	slot := int(n % memory)
	remembered := l.large[slot*len(dst):][:len(dst)]
	if l.keys[slot] != n {
		l.keys[slot] = n
		l.set(remembered, n)
	}
	copy(dst, remembered) // another n may take the slot
	return dst
}

// set sets dst to ln(n + alpha) by alpha.
func (l *logarithms) set(dst []float64, n int64) {
	log := math.Log(float64(n))
	for a, alpha := range l.alphas {
		r := alpha / float64(n)
		if r <= 1.0/tableSize { // then the series of ln(1 + r) is exact after three terms
			dst[a] = log + r*(1-r*(0.5-r/3))
		} else {
			dst[a] = math.Log(float64(n) + alpha)
		}
	}
}
