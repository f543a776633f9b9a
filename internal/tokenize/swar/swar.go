// Package swar lower-cases ASCII text and finds its words eight bytes at a time: SIMD within a
// register. Most text is ASCII, and most words are of letters alone.
//
// The tests have the plain form of both functions. Against one that looks at every byte,
// [AppendLower] makes a tokenizer whose words are all known a fifth faster, and [Masks] a third.
package swar

import (
	"encoding/binary"
	"slices"
)

// Eight bytes in one number: what is true of each byte is in its high bit.
const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// AppendLower appends the ASCII characters at the start of text in lower case, and returns how many
// there were.
func AppendLower(dst, text []byte) (extended []byte, taken int) {
	start := len(dst)
	dst = slices.Grow(dst, len(text)+8)
	to := dst[start : start+len(text)+8]
	i := 0
	for ; i+8 <= len(text); i += 8 {
		eight := binary.LittleEndian.Uint64(text[i : i+8])
		if eight&highBits != 0 {
			break
		}
		binary.LittleEndian.PutUint64(to[i:i+8], lower(eight))
	}
	for ; i < len(text) && text[i] < 0x80; i++ {
		to[i] = text[i]
		if 'A' <= to[i] && to[i] <= 'Z' {
			to[i] += 'a' - 'A'
		}
	}
	return dst[:start+i], i
}

// lower returns eight ASCII characters in lower case. In each byte the first sum reaches the high
// bit from 'A' on and the second from 'Z'+1 on; the bytes between get the bit that tells a from A.
func lower(eight uint64) uint64 {
	fromA := eight + (0x80-'A')*eachByte
	afterZ := eight + (0x80-'Z'-1)*eachByte
	return eight | (fromA&^afterZ&highBits)>>2
}

// Masks returns two bits for each of the 64 bytes from text[i] on, the first byte lowest: whether
// it is one of a-z, and whether it may belong to a word: letters, digits, underscores and all
// beyond ASCII, and for a cheaper test the grave accent. The text is in lower case. Behind its end
// all bits are 0.
func Masks(text []byte, i int) (letters, words uint64) {
	for j := 0; j < 64 && i+j < len(text); j += 8 {
		eight := eightAt(text, i+j)
		low := eight &^ highBits
		afterZ := low + (0x80-'z'-1)*eachByte
		fromA := low + (0x80-'a')*eachByte
		from0 := low + (0x80-'0')*eachByte
		after9 := low + (0x80-'9'-1)*eachByte
		fromUnderscore := low + (0x80-'_')*eachByte
		letters |= gather(fromA&^afterZ&^eight&highBits) << j
		words |= gather((fromUnderscore&^afterZ|from0&^after9|eight)&highBits) << j
	}
	if n := len(text) - i; n < 64 {
		letters &= 1<<n - 1
		words &= 1<<n - 1
	}
	return letters, words
}

// eightAt returns the eight bytes from b[i] on, the first one lowest. Where b ends before, the rest
// is whatever its memory holds, or zero where that ends too: the caller masks it off.
func eightAt(b []byte, i int) (eight uint64) {
	if i+8 <= cap(b) {
		return binary.LittleEndian.Uint64(b[i : i+8])
	}
	for j := len(b) - 1; j >= i; j-- {
		eight = eight<<8 | uint64(b[j])
	}
	return eight
}

// gather puts the high bits of eight bytes side by side: the multiplication shifts each to its
// place in the highest byte, and no two of the products meet.
func gather(high uint64) uint64 { return high * 0x0002040810204081 >> 56 }
