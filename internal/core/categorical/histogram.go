package categorical

import (
	"math"
	"math/bits"
	"strconv"

	"bayestream/internal/counts"
)

// Bins divides the numbers from From to To, in fixed point, into Count bins of equal width. The
// lower end of a bin belongs to it, the upper one to the next.
type Bins struct {
	From, To int64
	Count    int
}

// Index returns the bin of v, 0 <= Index < Count, in integer arithmetic: every machine finds the
// same.
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

// AppendKey appends the key of a bin: the value under which a table counts it.
func AppendKey(dst []byte, bin int) []byte { return strconv.AppendInt(dst, int64(bin), 10) }

// A Histogram evaluates ln p(x | class) of a number whose distribution within a class is the
// histogram of its learned values: the range is divided into B bins of equal width w, and
//
//	p(x|c) = (n_bc + alpha) / (N_c + alpha B) / w
//
// for x in bin b (Silverman 1986, 2.2): the probability of the bin as a categorical value, divided
// by w. It assumes no shape of the distribution; the price is one count for each bin.
//
// The outer bins are open: a number below the range counts in the first and a number above it in
// the last. Their width is taken to be w, which is the same in every class.
type Histogram struct {
	*Likelihood // of the bins

	logWidth float64 // ln w, w in units of the record
}

// NewHistogram returns the likelihood with smoothing constant alpha >= 0 over a table that holds
// n_bc under the keys of the bins. With alpha 0 an empty bin has the density 0. digits are the
// decimals of the fixed point numbers.
func NewHistogram(bins Bins, alpha float64, digits int, t *counts.Table, classes *counts.Classes) *Histogram {
	keys := make([]string, bins.Count)
	for i := range keys {
		keys[i] = string(AppendKey(nil, i))
	}
	width := (float64(bins.To) - float64(bins.From)) / math.Pow10(digits) / float64(bins.Count)
	return &Histogram{New(alpha, keys, t, classes), math.Log(width)}
}

// Set sets dst, indexed by class number, to ln p(x | class) for any x of the bin with the key, for
// each live class. It reports false, and leaves dst alone, for a key of no bin.
func (h *Histogram) Set(dst []float64, key []byte) bool {
	if !h.Likelihood.Set(dst, key) {
		return false
	}
	for _, c := range h.classes.Choices() {
		dst[c] -= h.logWidth
	}
	return true
}
