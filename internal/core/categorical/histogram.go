package categorical

import (
	"math/bits"
	"strconv"
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

// Keys returns the keys of all bins: the values of a Likelihood of a number whose distribution within a
// class is the histogram of its learned values (Silverman 1986, 2.2). It assumes no shape of the
// distribution; the price is one count for each bin.
//
// The density is the probability of the bin by its width w, which is the same in every class and so
// enters no decision. The outer bins are open: a number below the range counts in the first and a number
// above it in the last.
func (b Bins) Keys() []string {
	keys := make([]string, b.Count)
	for i := range keys {
		keys[i] = string(AppendKey(nil, i))
	}
	return keys
}
