package evaluate

import (
	"math"
	"math/bits"
)

// total adds up numbers from 0 to 2^53 as fixed-point integers with 64 bits after the point.
// Integers add in any order to the same result, and what was added can be taken out again: so a
// report does not depend on the order of its documents, and a sliding window does not drift. What
// is below 2^-64 of a number is cut off, so a mean is at most 5.5e-20 too small.
type total struct {
	whole, fraction uint64
}

// fixed returns x as a total.
func fixed(x float64) total {
	whole, fraction := math.Modf(x)
	return total{uint64(whole), uint64(fraction * 0x1p64)}
}

func (t *total) add(u total) {
	var carry uint64
	t.fraction, carry = bits.Add64(t.fraction, u.fraction, 0)
	t.whole += u.whole + carry
}

func (t *total) subtract(u total) {
	var borrow uint64
	t.fraction, borrow = bits.Sub64(t.fraction, u.fraction, 0)
	t.whole -= u.whole + borrow
}

func (t *total) float() float64 { return float64(t.whole) + float64(t.fraction)*0x1p-64 }

// mean returns the total divided by n, NaN for n = 0.
func (t *total) mean(n int64) float64 {
	if n == 0 {
		return math.NaN()
	}
	return t.float() / float64(n)
}
