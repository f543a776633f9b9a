package categorical

import (
	"cmp"
	"math/bits"
	"strconv"

	"bayestream/internal/bow"
)

// Sizes numbers the values of all sizes, the smallest first: a value stands for the sizes that have
// its two highest bits, from the least to the largest. They are 0, 1, 2, 3, 4-5, 6-7, 8-11, 12-15,
// 16-23 and so on: they differ by factors, and a few documents of a class are enough to know its
// share of each. It does not change.
var Sizes = func() *bow.Lexicon {
	l := bow.NewLexicon()
	for n := 0; n >= 0; { // it ends where the next size is none that an int can hold
		largest := n + 1<<lowBits(n) - 1
		name := strconv.Itoa(n)
		if largest > n {
			name += "-" + strconv.Itoa(largest)
		}
		l.Number([]byte(name))
		n = largest + 1
	}
	return l
}()

// lowBits returns how many bits of n are below its two highest.
func lowBits(n int) int { return max(0, bits.Len(uint(n))-2) }

// SizeNumber returns the number in Sizes of the value of the size n >= 0.
func SizeNumber(n int) uint32 {
	low := lowBits(n)
	return uint32(2*low + n>>low)
}

// CompareSizes orders values of sizes, the smallest first.
func CompareSizes(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
