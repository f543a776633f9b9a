package gaussian

import "math/big"

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

// mean returns the mean of field i.
func (s *Sums) mean(i, digits int) float64 {
	n := float(big.NewInt(s.rows(i)))
	m := float(s.Sum[i].Big())
	m.Quo(m, n)
	return round(m.Quo(m, pow10(digits)))
}

// scatter returns the sum over the rows of (x_i - mean_i)(x_j - mean_j), in scales squared, as
// (n Sum x_i x_j - Sum x_i Sum x_j) / n.
func (s *Sums) scatter(i, j int) *big.Float {
	n := big.NewInt(s.rows(i))
	a := s.Products[s.product(i, j)].Big()
	a.Mul(a, n)
	b := s.Sum[i].Big()
	a.Sub(a, b.Mul(b, s.Sum[j].Big()))
	q := float(a)
	return q.Quo(q, float(n))
}

// perRow divides a scatter by a number of rows and turns it into squared units.
func perRow(scatter *big.Float, rows int64, digits int) float64 {
	q := new(big.Float).SetPrec(precision).Quo(scatter, float(big.NewInt(rows)))
	return round(q.Quo(q, pow10(2*digits)))
}
