package exchange

import (
	"fmt"
	"math/big"

	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// decimals returns integers as decimal strings: most readers of JSON lose the digits of numbers
// beyond 2^53.
func decimals(list []gaussian.Int192) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.Big().String()
	}
	return out
}

// The largest sum of n numbers, and of n products, divided by n.
var (
	largestSum     = new(big.Int).Lsh(big.NewInt(1), 63)
	largestProduct = new(big.Int).Lsh(big.NewInt(1), 126)
)

// readSums reads the sums of a block. It refuses sums that no rows can have.
func readSums(l *sumsLine, s *spec.Numbers) (*gaussian.Sums, error) {
	out := gaussian.NewSums(len(s.Fields), s.Full())
	if len(l.N) != len(out.N) || len(l.Sum) != len(out.Sum) || len(l.Products) != len(out.Products) {
		return nil, fmt.Errorf("%d, %d and %d integers in n, sum and products: want %d, %d and %d",
			len(l.N), len(l.Sum), len(l.Products), len(out.N), len(out.Sum), len(out.Products))
	}
	most := int64(0)
	for i, n := range l.N {
		if n < 0 || n > counts.MaxCount {
			return nil, fmt.Errorf("n is %d: want 0 to %d", n, int64(counts.MaxCount))
		}
		out.N[i] = n
		most = max(most, n)
	}
	rows := big.NewInt(most)
	if err := readDecimals(out.Sum, l.Sum, new(big.Int).Mul(rows, largestSum)); err != nil {
		return nil, fmt.Errorf("sum: %w", err)
	}
	if err := readDecimals(out.Products, l.Products, new(big.Int).Mul(rows, largestProduct)); err != nil {
		return nil, fmt.Errorf("products: %w", err)
	}
	return out, nil
}

func readDecimals(dst []gaussian.Int192, from []string, limit *big.Int) error {
	for i, text := range from {
		v, ok := new(big.Int).SetString(text, 10)
		if len(text) > 60 || !ok {
			return fmt.Errorf("%.60q is no decimal integer", text)
		}
		if v.CmpAbs(limit) > 0 {
			return fmt.Errorf("%s is more than so many rows can add up to", text)
		}
		dst[i] = int192(v)
	}
	return nil
}

// int192 returns v, which fits.
func int192(v *big.Int) gaussian.Int192 {
	var out gaussian.Int192
	word := new(big.Int).Abs(v)
	for i := range out {
		out[i] = new(big.Int).Rsh(word, uint(64*i)).Uint64()
	}
	if v.Sign() < 0 {
		return out.Neg()
	}
	return out
}
