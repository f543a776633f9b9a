// Package shortfloat writes a float64 with the fewest digits that read back to the same number, in
// the form of JavaScript and encoding/json.
//
// It gives the bytes of strconv.AppendFloat in less than half the time:
// docs/decisions/026-own-shortest-floats.md has the figures. Append computes the digits by
// Schubfach (schubfach.go) and places them in registers; appendPlain is the same by strconv, which
// the tests compare with Append.
package shortfloat

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// tiny is the smallest number for which the table of powers is made.
const tiny = 1e-300

// Append appends a finite number: without an exponent from 1e-6 on and below 1e21, else with one.
func Append(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	if !(tiny <= abs && abs < 1e21) {
		return appendPlain(dst, f)
	}
	word := math.Float64bits(f)
	if word>>63 != 0 {
		dst = append(dst, '-')
	}
	c := word&(minC-1) | minC
	q := int(word>>52&0x7FF) - 1075
	if q <= 0 && q > -53 && c&(1<<-q-1) == 0 {
		return strconv.AppendUint(dst, c>>-q, 10) // a whole number
	}
	return appendDecimal(dst, schubfach(c, q))
}

// appendPlain is Append by strconv.
func appendPlain(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs == 0 || 1e-6 <= abs && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-09 is written e-9
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

// appendDecimal appends a decimal, with an exponent if it is below 1e-6.
func appendDecimal(dst []byte, d decimal) []byte {
	for d.s < 1e16 { // rarely more than once
		d.s *= 10
		d.k--
	}
	first := d.s / 1e16
	rest := d.s - first*1e16
	high := eightDigits(rest / 1e8)
	low := eightDigits(rest % 1e8)
	n := maxDigits - bits.LeadingZeros64(low)/8 // without zeros at the end
	if low == 0 {
		n = 9 - bits.LeadingZeros64(high)/8
	}
	g := digits{(high<<8 | first) | eachZero, (low<<8 | high>>56) | eachZero, low>>56 | '0'}
	point := maxDigits + d.k // digits before the point
	dst = slices.Grow(dst, spare)
	to := dst[len(dst) : len(dst)+spare]
	switch {
	case point < -5:
		g.put(to, 1)
		if n > 1 {
			n++
		}
		dst = append(dst[:len(dst)+n], "e-"...)
		return strconv.AppendInt(dst, int64(1-point), 10)
	case point <= 0:
		binary.LittleEndian.PutUint64(to, eachZero^('0'^'.')<<8)
		g.put(to[2-point:], 8)
		return dst[:len(dst)+2-point+n]
	case point < min(n, 8):
		g.put(to, point)
		return dst[:len(dst)+n+1]
	}
	g.put(to, 8)
	dst = dst[:len(dst)+n]
	if point < n {
		return slices.Insert(dst, len(dst)-n+point, '.')
	}
	return append(dst, zeros[:point-n]...)
}

// digits are the characters of 17 digits in 24 bytes, the first one lowest.
type digits struct{ a, b, c uint64 }

const maxDigits = 17

// put writes the 17 digits to to, with a point before the digit of index point; 8 means none.
func (g digits) put(to []byte, point int) {
	if point == 8 {
		binary.LittleEndian.PutUint64(to, g.a)
		binary.LittleEndian.PutUint64(to[8:], g.b)
		to[16] = byte(g.c)
		return
	}
	shift := uint(8*point) & 63
	before := uint64(1)<<shift - 1
	binary.LittleEndian.PutUint64(to, g.a&before|'.'<<shift|g.a&^before<<8)
	binary.LittleEndian.PutUint64(to[8:], g.a>>56|g.b<<8)
	binary.LittleEndian.PutUint16(to[16:], uint16(g.b>>56|g.c<<8))
}

const (
	zeros    = "000000000000000000000"
	eachZero = '0' * 0x0101010101010101
	spare    = 48 // bytes, more than a number takes
)

// eightDigits returns the digits of a number below 1e8 as bytes, the first one lowest. It splits
// two groups of four digits at once, then four of two; the multiplications divide exactly for
// numbers below 10000 and 100.
func eightDigits(n uint64) uint64 {
	fours := n/10000 | n%10000<<32
	hundreds := fours * 10486 >> 20 & 0x7f_0000_007f
	twos := hundreds | (fours-100*hundreds)<<16
	tens := twos * 103 >> 10 & 0xf_000f_000f_000f
	return tens | (twos-10*tens)<<8
}
