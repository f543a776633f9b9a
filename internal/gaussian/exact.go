package gaussian

import (
	"math"
	"math/big"
)

// precision of the intermediate quotients, in bits: products of 192-bit sums and counts are exact
// in it, so that rounding to float64 is the only rounding that shows.
const precision = 512

func float(n *big.Int) *big.Float { return new(big.Float).SetPrec(precision).SetInt(n) }

// pow10 returns 10^n.
func pow10(n int) *big.Float {
	return float(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
}

func round(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// center is a mean kept as the nearest fixed-point number and what is missing from it: a number less a
// center is an integer difference, in which nothing cancels, less a small fraction.
type center struct {
	whole int64
	rest  float64 // in scales, between -1/2 and 1/2
}

// center returns the mean of field i.
func (s *Sums) center(i int) center {
	n := big.NewInt(s.rows(i))
	sum := s.Sum[i].Big()
	whole, rest := new(big.Int).DivMod(sum, n, new(big.Int)) // rest from 0 up to n
	if rest.Cmp(new(big.Int).Sub(n, rest)) > 0 {
		whole.Add(whole, big.NewInt(1))
		rest.Sub(rest, n)
	}
	return center{whole: whole.Int64(), rest: round(new(big.Float).SetPrec(precision).Quo(float(rest), float(n)))}
}

// diff returns v less the center, in units of the record.
func (c center) diff(v int64, digits int) float64 {
	d := v - c.whole
	if (v >= 0) != (c.whole >= 0) && (d >= 0) != (v >= 0) { // beyond 64 bits: both are huge, the fraction is nothing
		return (float64(v) - float64(c.whole)) / math.Pow10(digits)
	}
	return (float64(d) - c.rest) / math.Pow10(digits)
}

// mean returns the mean of field i in units of the record.
func (s *Sums) mean(i, digits int) float64 {
	n := float(big.NewInt(s.rows(i)))
	m := float(s.Sum[i].Big())
	m.Quo(m, n)
	return round(m.Quo(m, pow10(digits)))
}

// scatter returns the sum over the rows of (x_i - mean_i)(x_j - mean_j), in scales squared.
func (s *Sums) scatter(i, j int) *big.Float { return newScatters(s).at(i, j) }

// scatters computes the scatters of one class, one after the other. A full block has thousands of them, so
// what they share is computed once and the scratch is used again.
type scatters struct {
	s    *Sums
	n    big.Int
	den  big.Float // n
	sums []big.Int
	a, b big.Int
	num  big.Float
	q    big.Float
}

// newScatters returns the scatters of sums that have rows.
func newScatters(s *Sums) *scatters {
	x := &scatters{s: s, sums: make([]big.Int, len(s.Sum))}
	for i := range s.Sum {
		s.Sum[i].set(&x.sums[i])
	}
	x.num.SetPrec(precision)
	x.den.SetPrec(precision)
	x.q.SetPrec(precision)
	return x
}

// at returns the scatter of the fields i and j, (n Sum x_i x_j - Sum x_i Sum x_j) / n. It is valid until the
// next call.
func (x *scatters) at(i, j int) *big.Float {
	x.n.SetInt64(x.s.rows(i))
	x.s.Products[x.s.product(i, j)].set(&x.a)
	x.b.Mul(&x.sums[i], &x.sums[j])
	x.a.Sub(x.n.Mul(&x.n, &x.a), &x.b)
	return x.q.Quo(x.num.SetInt(&x.a), x.den.SetInt64(x.s.rows(i)))
}

// perRow divides a scatter by a number of rows and turns it into squared units.
func perRow(scatter *big.Float, rows int64, digits int) float64 {
	return round(newQuotient().Quo(scatter, perRowUnit(rows, digits)))
}

// perRowUnit returns what a scatter is divided by: the rows, and the square of the scale.
func perRowUnit(rows int64, digits int) *big.Float {
	unit := pow10(2 * digits)
	return unit.Mul(unit, float(big.NewInt(rows)))
}

func newQuotient() *big.Float { return new(big.Float).SetPrec(precision) }
