package gaussian_test

import (
	"math"
	"testing"

	"bayestream/internal/gaussian"
)

// A mean of 1e9 must not cost the digits of a standard deviation of 1e-3: with the same numbers
// moved to 0 the density is the same.
func TestDensityDoesNotDependOnTheOffset(t *testing.T) {
	for _, kind := range []gaussian.Kind{gaussian.Naive, gaussian.LDA, gaussian.QDA} {
		var got [2]float64
		for i, offset := range []int64{0, 1_000_000_000_000_000_000} {
			b := newBlock(gaussian.Options{Fields: 1, Kind: kind, Digits: gaussian.DefaultDigits})
			at := func(v int64) []gaussian.Number { return []gaussian.Number{{Value: offset + v, Present: true}} }
			learnRows(b, 0, at(-1_234_567), at(1_000_001), at(333_333), at(7))
			b.Prepare([]int{0})
			ll := make([]float64, 1)
			if b.LogLikelihood(ll, []int{0}, at(1_500_000), make([]float64, 1)) != gaussian.Voted {
				t.Fatal("the block does not vote")
			}
			got[i] = ll[0]
		}
		if math.Abs(got[0]-got[1]) > 1e-12*math.Abs(got[0]) {
			t.Errorf("kind %d: %v at 0 and %v at 1e9", kind, got[0], got[1])
		}
	}
}

// Differences of the largest numbers do not overflow.
func TestDensityOfExtremes(t *testing.T) {
	b := newBlock(gaussian.Options{Fields: 1, Digits: gaussian.DefaultDigits})
	at := func(v int64) []gaussian.Number { return []gaussian.Number{{Value: v, Present: true}} }
	learnRows(b, 0, at(math.MinInt64+1), at(math.MinInt64+1_000_000_000_000))
	b.Prepare([]int{0})
	ll := make([]float64, 1)
	b.LogLikelihood(ll, []int{0}, at(math.MaxInt64), make([]float64, 1))
	if !(ll[0] < -1e12) || math.IsInf(ll[0], 0) {
		t.Fatalf("at the other end of all numbers: got %v", ll[0])
	}
}
