package tokenize

import "encoding/binary"

// Eight bytes in one number: what is true of each byte stands in its high bit.
const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// eightAt returns the eight bytes from b[i] on, the first one lowest. Where b ends before, the rest is
// whatever its memory holds, or zero where that ends too: the caller masks it off.
func eightAt(b []byte, i int) (eight uint64) {
	if i+8 <= cap(b) {
		return binary.LittleEndian.Uint64(b[i : i+8])
	}
	for j := len(b) - 1; j >= i; j-- {
		eight = eight<<8 | uint64(b[j])
	}
	return eight
}

// lowerEight folds eight ASCII characters. In each byte the first sum reaches the high bit from 'A' on
// and the second from 'Z'+1 on; the bytes between get the bit that tells a from A.
func lowerEight(eight uint64) uint64 {
	fromA := eight + (0x80-'A')*eachByte
	afterZ := eight + (0x80-'Z'-1)*eachByte
	return eight | (fromA&^afterZ&highBits)>>2
}

// lettersIn sets the high bit of each byte that is one of a-z. A byte beyond ASCII is none, and does
// not disturb its neighbour.
func lettersIn(eight uint64) uint64 {
	low := eight &^ highBits
	fromA := low + (0x80-'a')*eachByte
	afterZ := low + (0x80-'z'-1)*eachByte
	return fromA &^ afterZ &^ eight & highBits
}
