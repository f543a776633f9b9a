package gaussian

import (
	"encoding/binary"
	"errors"
	"math/big"
	"math/bits"
)

// Int192 is a signed integer of 192 bits, two's complement, least significant word first. It holds
// the product of two fixed-point numbers (126 bits) times any count that occurs (2^64 of them).
type Int192 [3]uint64

// add adds y.
func (z *Int192) add(y Int192) {
	var carry uint64
	z[0], carry = bits.Add64(z[0], y[0], 0)
	z[1], carry = bits.Add64(z[1], y[1], carry)
	z[2], _ = bits.Add64(z[2], y[2], carry)
}

// Neg returns -z.
func (z Int192) Neg() Int192 {
	var borrow uint64
	var n Int192
	n[0], borrow = bits.Sub64(0, z[0], 0)
	n[1], borrow = bits.Sub64(0, z[1], borrow)
	n[2], _ = bits.Sub64(0, z[2], borrow)
	return n
}

// addProduct adds x*y*w.
func (z *Int192) addProduct(x, y, w int64) {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	h0, p0 := bits.Mul64(lo, magnitude(w))
	p2, p1 := bits.Mul64(hi, magnitude(w))
	var carry uint64
	p1, carry = bits.Add64(p1, h0, 0)
	p := Int192{p0, p1, p2 + carry}
	if (x < 0) != (y < 0) != (w < 0) {
		p = p.Neg()
	}
	z.add(p)
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// Big returns z as a big.Int.
func (z Int192) Big() *big.Int {
	n := new(big.Int)
	z.set(n)
	return n
}

// set sets n to z.
func (z Int192) set(n *big.Int) {
	negative := z[2]>>63 == 1
	if negative {
		z = z.Neg()
	}
	var b [24]byte
	for i, w := range z {
		binary.BigEndian.PutUint64(b[16-8*i:], w)
	}
	n.SetBytes(b[:])
	if negative {
		n.Neg(n)
	}
}

// isZero reports whether z is 0.
func (z Int192) isZero() bool { return z == Int192{} }

var errInt192 = errors.New("a sum of numbers is damaged")

// appendBytes appends z: one byte with the length, then as few bytes, least significant first, as
// hold it with its sign.
func (z Int192) appendBytes(dst []byte) []byte {
	var b [24]byte
	for i, w := range z {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
	n := 24
	for n > 0 && b[n-1] == fill(b[:n-1]) {
		n--
	}
	return append(append(dst, byte(n)), b[:n]...)
}

// fill is the byte that continues b beyond its end: its sign.
func fill(b []byte) byte {
	if len(b) > 0 && b[len(b)-1] >= 0x80 {
		return 0xff
	}
	return 0
}

// readInt192 reads what appendBytes wrote and returns the bytes after it.
func readInt192(b []byte) (z Int192, rest []byte, err error) {
	if len(b) == 0 || b[0] > 24 || len(b) <= int(b[0]) {
		return z, nil, errInt192
	}
	n := int(b[0])
	digits := b[1 : 1+n]
	if n > 0 && digits[n-1] == fill(digits[:n-1]) {
		return z, nil, errInt192 // not the shortest form: equal sums must have equal bytes
	}
	var full [24]byte
	copy(full[:], digits)
	for i := n; i < 24; i++ {
		full[i] = fill(digits)
	}
	for i := range z {
		z[i] = binary.LittleEndian.Uint64(full[8*i:])
	}
	return z, b[1+n:], nil
}
