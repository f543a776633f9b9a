package gaussian

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/bits"
)

// Int192 is a signed integer of 192 bits, two's complement, least significant word first. It holds
// the product of two fixed-point numbers (126 bits) times any count that occurs (2^64 of them).
type Int192 [3]uint64

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

// Means and scatters are quotients of integers. They are computed in big.Float with so many bits
// that numerators and denominators, products of 192-bit sums and counts, are exact; the one
// rounding that shows is that to float64.

// precision of a big.Float, in bits.
const precision = 512

// newFloat returns 0.
func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

// floatOf returns n.
func floatOf(n int64) *big.Float { return newFloat().SetInt64(n) }

// pow10 returns 10^n, which must not be changed, up to the square of the largest scale.
func pow10(n int) *big.Float { return &powers[n] }

var powers = func() (powers [2*MaxDigits + 1]big.Float) {
	for n := range powers {
		powers[n].SetPrec(precision).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
	}
	return powers
}()

// round returns the float64 next to x.
func round(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// mean returns the mean of field i in units of the record.
func (s *Sums) mean(i, digits int) float64 {
	m := newFloat().SetInt(s.Sum[i].Big())
	m.Quo(m, floatOf(s.rows(i)))
	return round(m.Quo(m, pow10(digits)))
}

// center is a mean kept as the nearest fixed-point number and what is missing from it: a number
// less a center is an integer difference, in which nothing cancels, less a small fraction.
type center struct {
	whole int64
	rest  float64 // in scales, between -1/2 and 1/2
}

// center returns the mean of field i.
func (s *Sums) center(i int) center {
	n := big.NewInt(s.rows(i))
	whole, rest := new(big.Int).DivMod(s.Sum[i].Big(), n, new(big.Int)) // rest from 0 up to n
	if rest.Cmp(new(big.Int).Sub(n, rest)) > 0 {
		whole.Add(whole, big.NewInt(1))
		rest.Sub(rest, n)
	}
	share := newFloat().SetInt(rest)
	share.Quo(share, newFloat().SetInt(n))
	return center{whole: whole.Int64(), rest: round(share)}
}

// diff returns v less the center, in units of the record.
func (c center) diff(v int64, digits int) float64 {
	d := v - c.whole
	if (v >= 0) != (c.whole >= 0) && (d >= 0) != (v >= 0) { // beyond 64 bits: both are huge, the fraction is nothing
		return (float64(v) - float64(c.whole)) / math.Pow10(digits)
	}
	return (float64(d) - c.rest) / math.Pow10(digits)
}

// scatter returns the sum over the rows of (x_i - mean_i)^2, in scales squared.
func (s *Sums) scatter(i int) *big.Float { return newScatters(s).at(i, i) }

// scatters computes the scatters of one class, one after the other. A full block has thousands of
// them, so the sums are converted once and the scratch is used again.
type scatters struct {
	s    *Sums
	sums []big.Int // by field

	n, product, cross  big.Int   // scratch
	num, den, quotient big.Float // scratch
}

// newScatters returns the scatters of sums that have rows.
func newScatters(s *Sums) *scatters {
	x := &scatters{s: s, sums: make([]big.Int, len(s.Sum))}
	for i := range s.Sum {
		s.Sum[i].set(&x.sums[i])
	}
	x.num.SetPrec(precision)
	x.den.SetPrec(precision)
	x.quotient.SetPrec(precision)
	return x
}

// at returns the sum over the rows of (x_i - mean_i)(x_j - mean_j), in scales squared:
// (n Sum x_i x_j - Sum x_i Sum x_j) / n. It is valid until the next call.
func (x *scatters) at(i, j int) *big.Float {
	n := x.s.rows(i)
	x.n.SetInt64(n)
	x.s.Products[x.s.product(i, j)].set(&x.product)
	x.product.Mul(&x.n, &x.product)
	x.cross.Mul(&x.sums[i], &x.sums[j])
	x.num.SetInt(x.product.Sub(&x.product, &x.cross))
	x.den.SetInt64(n)
	return x.quotient.Quo(&x.num, &x.den)
}

// perRow divides a scatter by a number of rows and turns it into squared units.
func perRow(scatter *big.Float, rows int64, digits int) float64 {
	return round(newFloat().Quo(scatter, perRowUnit(rows, digits)))
}

// perRowUnit returns what a scatter is divided by: the rows, and the square of the scale.
func perRowUnit(rows int64, digits int) *big.Float {
	return newFloat().Mul(pow10(2*digits), floatOf(rows))
}
