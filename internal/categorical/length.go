package categorical

import (
	"cmp"
	"math/bits"
	"strconv"
)

// AppendLength appends the value of a text of n tokens, n above 0: the lengths that have its two highest bits, from the least to the
// largest. It is 1, 2, 3, 4-5, 6-7, 8-11, 12-15, 16-23 and so on: classes differ by factors, and a few documents of a class
// are enough to know its share of each.
func AppendLength(dst []byte, n int) []byte {
	lowBits := max(0, bits.Len(uint(n))-2)
	least := n >> lowBits << lowBits
	dst = strconv.AppendInt(dst, int64(least), 10)
	if lowBits == 0 {
		return dst
	}
	dst = append(dst, '-')
	return strconv.AppendInt(dst, int64(least+1<<lowBits-1), 10)
}

// CompareLengths orders values of lengths, the shortest first.
func CompareLengths(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
