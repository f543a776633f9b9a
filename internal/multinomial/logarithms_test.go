package multinomial

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLogarithms: the table of logarithms grows, in any order of the counts, and says what the formula says behind it too.
func TestLogarithms(t *testing.T) {
	alphas := []float64{0.01, 1, 20}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		l := newLogarithms(alphas)
		for range 200 {
			n := rnd.Int64N(1 << rnd.IntN(20))
			for a, got := range l.of(make([]float64, len(alphas)), n) {
				if want := math.Log(float64(n) + alphas[a]); math.Abs(got-want) > 1e-12*math.Abs(want) {
					t.Fatalf("ln(%d + %v) is %v, want %v", n, alphas[a], got, want)
				}
			}
		}
		if l.known > tableSize {
			t.Fatalf("the table has %d numbers, more than %d", l.known, tableSize)
		}
	}
}
