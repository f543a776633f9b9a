package categorical

import (
	"math"
	"math/bits"
	"strconv"

	"bayestream/internal/counts"
)

// Bins divides the numbers from From to To, in fixed point, into Count bins of equal width. A bin
// holds its lower end.
type Bins struct {
	From, To int64
	Count    int
}

// Index returns the bin of v, 0 <= Index < Count, in integer arithmetic: every machine finds the same.
func (b Bins) Index(v int64) int {
	if v < b.From {
		return 0
	}
	if v >= b.To {
		return b.Count - 1
	}
	hi, lo := bits.Mul64(uint64(v-b.From), uint64(b.Count))
	q, _ := bits.Div64(hi, lo, uint64(b.To-b.From))
	return int(q)
}

// AppendKey appends the name under which a bin is counted.
func AppendKey(dst []byte, bin int) []byte { return strconv.AppendInt(dst, int64(bin), 10) }

// A Histogram evaluates ln p(x | class) of a number whose distribution within a class is the histogram that was
// seen: the range is divided into bins of equal width w, and
//
//	p(x|c) = (n_bc + alpha) / (N_c + alpha B) / w
//
// for x in bin b of B (lecture 2: the insects and their antennae; Silverman 1986, 2.2): the probability of the bin
// as a categorical value, less ln w. Nothing is assumed of the shape; the price is one count for each bin.
//
// The outer bins are open: a number below the range counts in the first and a number above it in the last. Their
// width is taken to be w, which is the same in every class. The table holds n_bc under the keys of the bins.
type Histogram struct {
	logWidth float64
	cells    *Likelihood
}

// NewHistogram returns the likelihood with smoothing constant alpha >= 0; with alpha 0 an empty bin has the
// density 0. digits are the decimals of the fixed point numbers.
func NewHistogram(bins Bins, alpha float64, digits int) *Histogram {
	keys := make([]string, bins.Count)
	for i := range keys {
		keys[i] = string(AppendKey(nil, i))
	}
	width := (float64(bins.To) - float64(bins.From)) / math.Pow10(digits) / float64(bins.Count)
	return &Histogram{logWidth: math.Log(width), cells: New(alpha, keys)}
}

// Prepare must be called after the table changed and before Set.
func (h *Histogram) Prepare(t *counts.Table, classes *counts.Classes) { h.cells.Prepare(t, classes) }

// Set sets dst, indexed by class number, to the log density of the bin with the key under each live
// class.
func (h *Histogram) Set(dst []float64, t *counts.Table, classes *counts.Classes, key []byte) bool {
	if !h.cells.Set(dst, t, classes, key) {
		return false
	}
	for _, c := range classes.Live() {
		dst[c] -= h.logWidth
	}
	return true
}
