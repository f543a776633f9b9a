package wire

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"sync"
)

// appendShortest appends a number of at least tiny and below 1e21, or its negative, with as few digits as tell it
// apart from all other float64: what strconv.AppendFloat does with the format 'f', or 'e' below 1e-6, in less than
// half the time. A decision holds two dozen numbers, or hundreds where there are many classes, and writing them can
// take longer than scoring the document.
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

// tiny is the smallest number whose power is in the table.
const tiny = 1e-300

// minC is the smallest significand of a normal float64: a hidden bit and fifty-two others.
const minC = 1 << 52

// A decimal is s times ten to the power of k.
type decimal struct {
	s uint64
	k int
}

// schubfach returns the decimal of c times two to the power of q, c being at least minC. Which digits it takes
// nobody can predict, so that they are chosen without a jump.
func schubfach(c uint64, q int) decimal {
	out := c & 1 // the bounds of the interval belong to it when c is even
	cb := c << 2
	left, k := cb-2, floorLog10Pow2(q)
	if c == minC {
		left, k = cb-1, floorLog10ThreeQuartersPow2(q)
	}
	h := q + floorLog2Pow10(-k) + 2
	powersOnce.Do(fillPowers)
	g := &powers[k-minK]
	vb, vl, vr := g.round(cb<<h), g.round(left<<h)+out, g.round((cb+2)<<h)-out
	s := vb >> 2
	up := (s<<2 + 2 - vb - s&1) >> 63 // 1 if s+1 is closer, or as close and even
	if under, over := bit(vl <= s<<2), bit((s+1)<<2 <= vr); under != over {
		up = over
	}
	s10 := s / 10 * 10 // one digit less
	under, over := bit(vl <= s10<<2), bit((s10+10)<<2 <= vr)
	s += up
	if under != over {
		s = s10 + 10*over
	}
	return decimal{s, k}
}

// bit is 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
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

// The exponents that numbers from tiny to 1e21 lead to.
const (
	minK = -317
	maxK = 6
)

// powers by exponent, from the first number on that is written.
var (
	powers     [maxK - minK + 1]power
	powersOnce sync.Once
)

func fillPowers() {
	ten, mask := big.NewInt(10), new(big.Int).SetUint64(1<<63-1)
	fill := func(k int, scaled *big.Int) { // by a power of two
		g := new(big.Int).Rsh(scaled, uint(scaled.BitLen()-126))
		g.Add(g, big.NewInt(1))
		powers[k-minK] = power{high: new(big.Int).Rsh(g, 63).Uint64(), low: g.And(g, mask).Uint64()}
	}
	for k, p := 0, new(big.Int).Lsh(big.NewInt(1), 126); k >= minK; k-- {
		fill(k, p)
		p.Mul(p, ten)
	}
	for k, p := 1, big.NewInt(10); k <= maxK; k++ {
		fill(k, new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), 400), p))
		p.Mul(p, ten)
	}
}

// appendDecimal appends a decimal, with an exponent if it is below 1e-6. The characters of its digits are moved about
// in registers: reading in other pieces what was just written to memory makes a processor wait.
func appendDecimal(dst []byte, d decimal) []byte {
	for d.s < 1e16 { // hardly ever more than once
		d.s, d.k = d.s*10, d.k-1
	}
	first := d.s / 1e16
	rest := d.s - first*1e16
	high, low := eightDigits(rest/1e8), eightDigits(rest%1e8)
	n := maxDigits - bits.LeadingZeros64(low)/8 // without zeros at the end
	if low == 0 {
		n = 9 - bits.LeadingZeros64(high)/8
	}
	g := digits{(high<<8 | first) | eachZero, (low<<8 | high>>56) | eachZero, low>>56 | '0'}
	point := maxDigits + d.k // so many digits are before it
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

// digits are the characters of 17 digits, the first one lowest.
type digits struct{ a, b, c uint64 }

const maxDigits = 17

// put writes all digits, with a point before that of the index, if that is below 8.
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
	eachZero = '0' * eachByte
	spare    = 48 // is more than a number takes
)

// eightDigits returns the digits of a number below 1e8 as bytes, the first one lowest. It divides all halves at once,
// then all quarters; the multiplications are exact for numbers below 10000 and 100.
func eightDigits(n uint64) uint64 {
	fours := n/10000 | n%10000<<32
	hundreds := fours * 10486 >> 20 & 0x7f_0000_007f
	twos := hundreds | (fours-100*hundreds)<<16
	tens := twos * 103 >> 10 & 0xf_000f_000f_000f
	return tens | (twos-10*tens)<<8
}
