package digest_test

import (
	"math"
	"math/big"
	"testing"

	"bayestream/internal/core/digest"

	"pgregory.net/rapid"
)

var modulus = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 61), big.NewInt(1))

// plain returns an integer modulo 2^61-1 as package math/big has it.
func plain(x *big.Int) digest.Sum {
	return digest.Sum(new(big.Int).Mod(x, modulus).Uint64())
}

func bigOf(s digest.Sum) *big.Int { return new(big.Int).SetUint64(uint64(s)) }

// integers draws integers, often from the ends of what the arithmetic has to hold.
func integers() *rapid.Generator[int64] {
	const m = 1<<61 - 1
	return rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
		0, 1, -1, m, m - 1, m + 1, -m, -m - 1, 2 * m, -2 * m, 3 * m, 4 * m, math.MaxInt64, math.MinInt64, math.MinInt64 + 1,
	}))
}

func TestArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := integers().Draw(t, "a")
		b := integers().Draw(t, "b")
		x := digest.Int(a)
		y := digest.Int(b)
		if want := plain(big.NewInt(a)); x != want {
			t.Fatalf("Int(%d) = %d, want %d", a, x, want)
		}
		if got, want := x.Plus(y), plain(new(big.Int).Add(bigOf(x), bigOf(y))); got != want {
			t.Errorf("%d + %d = %d, want %d", x, y, got, want)
		}
		if got, want := x.Minus(y), plain(new(big.Int).Sub(bigOf(x), bigOf(y))); got != want {
			t.Errorf("%d - %d = %d, want %d", x, y, got, want)
		}
		if got, want := x.Times(y), plain(new(big.Int).Mul(bigOf(x), bigOf(y))); got != want {
			t.Errorf("%d * %d = %d, want %d", x, y, got, want)
		}
	})
}

func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var z [3]uint64
		want := new(big.Int)
		for i := range z {
			z[i] = rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, math.MaxUint64, 1 << 63})).Draw(t, "word")
			want.Add(want, new(big.Int).Lsh(new(big.Int).SetUint64(z[i]), uint(64*i)))
		}
		if z[2]>>63 == 1 {
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), 192))
		}
		if got := digest.Words(z); got != plain(want) {
			t.Errorf("%x is %d, want %d", z, got, plain(want))
		}
	})
}

// Digests stand in model files and in the log: they are the same in every process, on every machine
// and in every release.
func TestHashesStay(t *testing.T) {
	for _, c := range []struct{ got, want digest.Sum }{
		{digest.Hash(nil), 0x0f46db3751d8e9a0},
		{digest.Hash([]byte("football")), 1139213999444937419},
		{digest.HashString("football"), digest.Hash([]byte("football"))},
		{digest.Key("documents"), 1355637159022059785},
		{digest.Key("numbers", 0, 1, -1), 356962200350163872},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
}
