package shortfloat

import (
	"math/big"
	"math/bits"
	"sync"
)

// minC is the smallest significand of a normal float64: the hidden bit and 52 zeros.
const minC = 1 << 52

// A decimal is s times ten to the power of k.
type decimal struct {
	s uint64
	k int
}

// schubfach returns the decimal with the fewest digits that rounds to c times two to the power of
// q, of several the closest; c is at least minC. The names are from R. Giulietti, The Schubfach
// way to render doubles, 2020.
func schubfach(c uint64, q int) decimal {
	out := c & 1 // the bounds of the interval belong to it if c is even
	cb := c << 2
	left := cb - 2
	k := floorLog10Pow2(q)
	if c == minC {
		left = cb - 1
		k = floorLog10ThreeQuartersPow2(q)
	}
	h := q + floorLog2Pow10(-k) + 2
	powersOnce.Do(fillPowers)
	g := &powers[k-minK]
	vb := g.round(cb << h)
	vl := g.round(left<<h) + out
	vr := g.round((cb+2)<<h) - out
	s := vb >> 2
	up := (s<<2 + 2 - vb - s&1) >> 63 // 1 if s+1 is closer, or as close and even
	under := bit(vl <= s<<2)
	over := bit((s+1)<<2 <= vr)
	if under != over {
		up = over
	}
	s10 := s / 10 * 10 // with one digit less
	under10 := bit(vl <= s10<<2)
	over10 := bit((s10+10)<<2 <= vr)
	if under10 != over10 {
		return decimal{s10 + 10*over10, k}
	}
	return decimal{s + up, k}
}

// bit is 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Floors of logarithms, exact in the range of the exponents (Giulietti, section 9.3).
func floorLog10Pow2(e int) int { return int(int64(e) * 661_971_961_083 >> 41) }
func floorLog10ThreeQuartersPow2(e int) int {
	return int((int64(e)*661_971_961_083 - 274_743_187_321) >> 41)
}
func floorLog2Pow10(e int) int { return int(int64(e) * 913_124_641_741 >> 38) }

// A power is floor(10^-k * 2^r) + 1 in two halves of 63 bits; r is such that it has 126.
type power struct{ high, low uint64 }

// round returns the scaled product of the power and cp, rounded to odd: the lowest bit is set if it
// is not exact.
func (g *power) round(cp uint64) uint64 {
	x, _ := bits.Mul64(g.low, cp)
	y, y0 := bits.Mul64(g.high, cp)
	z := y0>>1 + x
	w := y + z>>63
	return w | (z&(1<<63-1)+(1<<63-1))>>63
}

// Exponents k of the numbers from tiny to 1e21.
const (
	minK = -317
	maxK = 6
)

// powers are by exponent k, from minK on. The first number written fills them.
var (
	powers     [maxK - minK + 1]power
	powersOnce sync.Once
)

func fillPowers() {
	for k := minK; k <= maxK; k++ {
		p := new(big.Int).Lsh(big.NewInt(1), 400) // times 10^-k
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(k, -k))), nil)
		if k > 0 {
			p.Div(p, ten)
		} else {
			p.Mul(p, ten)
		}
		powers[k-minK] = newPower(p)
	}
}

// newPower returns the power whose bits are the highest 126 of p.
func newPower(p *big.Int) power {
	g := new(big.Int).Rsh(p, uint(p.BitLen()-126))
	g.Add(g, big.NewInt(1))
	high := new(big.Int).Rsh(g, 63)
	low := g.Sub(g, new(big.Int).Lsh(high, 63))
	return power{high: high.Uint64(), low: low.Uint64()}
}
