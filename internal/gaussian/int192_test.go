package gaussian

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestInt192(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() int64 { return int64(rng.Uint64()) >> rng.IntN(64) }
	var z Int192
	want := new(big.Int)
	for range 20000 {
		x, y, w := draw(), draw(), draw()>>16
		z.addProduct(x, y, w)
		p := new(big.Int).Mul(big.NewInt(x), big.NewInt(y))
		want.Add(want, p.Mul(p, big.NewInt(w)))
		if z.Big().Cmp(want) != 0 {
			t.Fatalf("%d*%d*%d: got %v, want %v", x, y, w, z.Big(), want)
		}
		b := z.appendBytes(nil)
		back, rest, err := readInt192(b)
		if err != nil || len(rest) != 0 || back != z {
			t.Fatalf("%v: read back as %v, %v", z, back, err)
		}
	}
}
