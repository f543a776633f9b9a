package drift

import (
	"math/bits"

	"bayestream/internal/core/race"
)

const (
	// fraction is how many bits of a logarithm are behind the point.
	fraction = 30
	// mostSample is above what is compared of a side: larger counts are taken for a sample of them. A
	// sum of seven terms n log2 n of two sides then fits into 63 bits.
	mostSample = 1 << 24
	// ln2 is the natural logarithm of 2, in race.Unit.
	ln2 = 726817
)

// log2 returns the logarithm of n > 0, cut off behind so many bits: its integer part is the length
// of n, and each further bit says whether the square is 2 or more.
func log2(n uint64) int64 {
	out := int64(bits.Len64(n) - 1)
	n <<= bits.LeadingZeros64(n) // 1 to 2, with 63 bits behind the point
	for range fraction {
		out <<= 1
		n, _ = bits.Mul64(n, n) // 62 bits behind the point
		if n>>63 == 1 {
			out++
		} else {
			n <<= 1
		}
	}
	return out
}

// entropy returns n log2 n, with fraction bits behind the point.
func entropy(n int64) int64 {
	if n <= 1 {
		return 0
	}
	return n * log2(uint64(n))
}

// ratio returns the log-likelihood ratio G² (Dunning 1993) of a table of two rows and any number of
// columns, in race.Unit: how much better two distributions explain the rows than one does. It is
// computed in integers, and so the same on every architecture. Rows of more than mostSample are
// taken for a sample.
func ratio(a, b []int64) int64 {
	var sums [2]int64
	for i := range a {
		sums[0] += a[i]
		sums[1] += b[i]
	}
	cut := [2]int{shift(sums[0]), shift(sums[1])}
	var whole int64
	var rows [2]int64
	for i := range a {
		x := a[i] >> cut[0]
		y := b[i] >> cut[1]
		rows[0] += x
		rows[1] += y
		whole += entropy(x) + entropy(y) - entropy(x+y)
	}
	whole += entropy(rows[0]+rows[1]) - entropy(rows[0]) - entropy(rows[1])
	if whole <= 0 {
		return 0
	}
	const unit = fraction - 20 // bits below those of race.Unit
	inBits := whole >> unit
	return 2 * (inBits/race.Unit*ln2 + inBits%race.Unit*ln2/race.Unit)
}

// shift returns by how many bits a count is too long for a sample.
func shift(n int64) int { return max(0, bits.Len64(uint64(n))-bits.Len64(mostSample-1)) }
