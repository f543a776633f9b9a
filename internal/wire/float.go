package wire

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// appendShortest appends a number of at least 1e-6 and below 1e21, or its negative, with as few digits as
// tell it apart from all other float64, and no exponent: what strconv.AppendFloat(dst, f, 'f', -1, 64)
// does, in half the time. A decision holds two dozen numbers, and writing them takes longer than
// scoring the document.
//
// The digits come from Schubfach (R. Giulietti, The Schubfach way to render doubles, 2020): of the
// decimals inside of the interval that rounds to f it finds a shortest one, of those the closest. The
// names are those of the paper.
func appendShortest(dst []byte, f float64) []byte {
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

// minC is the smallest significand of a normal float64: a hidden bit and fifty-two others.
const minC = 1 << 52

// A decimal is s times ten to the power of k.
type decimal struct {
	s uint64
	k int
}

// schubfach returns the decimal of c times two to the power of q, c being at least minC.
func schubfach(c uint64, q int) decimal {
	out := c & 1 // the bounds of the interval belong to it when c is even
	cb := c << 2
	left, k := cb-2, floorLog10Pow2(q)
	if c == minC {
		left, k = cb-1, floorLog10ThreeQuartersPow2(q)
	}
	h := q + floorLog2Pow10(-k) + 2
	g := &powers[k-minK]
	vb, vl, vr := g.round(cb<<h), g.round(left<<h), g.round((cb+2)<<h)
	s := vb >> 2
	if s >= 100 { // one digit less
		tens := s / 10 * 10
		under, over := vl+out <= tens<<2, (tens+10)<<2+out <= vr
		if under != over {
			if under {
				return decimal{tens, k}
			}
			return decimal{tens + 10, k}
		}
	}
	under, over := vl+out <= s<<2, (s+1)<<2+out <= vr
	middle := s<<2 + 2
	if under && !over || under == over && (vb < middle || vb == middle && s&1 == 0) {
		return decimal{s, k}
	}
	return decimal{s + 1, k}
}

// Floors of logarithms, exact in the range of the exponents (Giulietti, section 9.3).
func floorLog10Pow2(e int) int              { return e * 661_971_961_083 >> 41 }
func floorLog10ThreeQuartersPow2(e int) int { return (e*661_971_961_083 - 274_743_187_321) >> 41 }
func floorLog2Pow10(e int) int              { return e * 913_124_641_741 >> 38 }

// A power is floor(10^-k * 2^r) + 1 with r such that it has 126 bits, in halves of 63.
type power struct{ high, low uint64 }

// round returns the product of the power and cp, scaled, with all that is behind the point in the lowest bit
// (rounding to odd).
func (g *power) round(cp uint64) uint64 {
	x, _ := bits.Mul64(g.low, cp)
	y, y0 := bits.Mul64(g.high, cp)
	z := y0>>1 + x
	w := y + z>>63
	return w | (z&(1<<63-1)+(1<<63-1))>>63
}

// The exponents that numbers from 1e-6 to 1e21 lead to.
const (
	minK = -23
	maxK = 6
)

var powers = func() (table [maxK - minK + 1]power) {
	mask := new(big.Int).SetUint64(1<<63 - 1)
	for k := minK; k <= maxK; k++ {
		g := big.NewInt(1)
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(k, -k))), nil)
		if k <= 0 {
			g.Mul(g, ten).Lsh(g, 200)
		} else {
			g.Lsh(g, 400).Div(g, ten)
		}
		g.Rsh(g, uint(g.BitLen()-126)).Add(g, big.NewInt(1))
		table[k-minK] = power{high: new(big.Int).Rsh(g, 63).Uint64(), low: new(big.Int).And(g, mask).Uint64()}
	}
	return table
}()

// appendDecimal appends a decimal without an exponent.
func appendDecimal(dst []byte, d decimal) []byte {
	for d.s%100 == 0 {
		d.s, d.k = d.s/100, d.k+2
	}
	if d.s%10 == 0 {
		d.s, d.k = d.s/10, d.k+1
	}
	var buf [20]byte
	digits := buf[putDigits(&buf, d.s):]
	switch point := len(digits) + d.k; {
	case d.k >= 0:
		dst = append(dst, digits...)
		return append(dst, zeros[:d.k]...)
	case point > 0:
		dst = append(dst, digits[:point]...)
		return append(append(dst, '.'), digits[point:]...)
	default:
		dst = append(append(dst, '0', '.'), zeros[:-point]...)
		return append(dst, digits...)
	}
}

const zeros = "000000000000000000000000"

// putDigits writes a number to the end of buf, and returns where it begins.
func putDigits(buf *[20]byte, s uint64) (begin int) {
	i := len(buf)
	for s >= 100 {
		pair := s % 100 * 2
		s /= 100
		i -= 2
		buf[i], buf[i+1] = pairs[pair], pairs[pair+1]
	}
	if s >= 10 {
		i -= 2
		buf[i], buf[i+1] = pairs[s*2], pairs[s*2+1]
		return i
	}
	i--
	buf[i] = '0' + byte(s)
	return i
}

// pairs are the numbers from 00 to 99.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
