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

// masks says of the 64 bytes of folded text from b[i] on, one bit each, which are letters (a-z) and which may
// stand in a word: letters, digits, underscores and all beyond ASCII, and for a cheaper test the grave
// accent. Behind the end of b there are none.
func masks(b []byte, i int) (letters, words uint64) {
	for j := 0; j < 64 && i+j < len(b); j += 8 {
		eight := eightAt(b, i+j)
		low := eight &^ highBits
		afterZ := low + (0x80-'z'-1)*eachByte
		fromA, from0 := low+(0x80-'a')*eachByte, low+(0x80-'0')*eachByte
		after9, fromUnderscore := low+(0x80-'9'-1)*eachByte, low+(0x80-'_')*eachByte
		letters |= gather(fromA&^afterZ&^eight&highBits) << j
		words |= gather((fromUnderscore&^afterZ|from0&^after9|eight)&highBits) << j
	}
	if n := len(b) - i; n < 64 {
		letters &= 1<<n - 1
		words &= 1<<n - 1
	}
	return letters, words
}

// gather puts the high bits of eight bytes side by side: the multiplication shifts each to its place in
// the highest byte, and no two of the products meet.
func gather(high uint64) uint64 { return high * 0x0002040810204081 >> 56 }
