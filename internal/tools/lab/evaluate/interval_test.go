package evaluate_test

import (
	"math"
	"testing"

	"bayestream/internal/tools/lab/evaluate"
)

// The ends of Wilson's interval are the shares that lie 1.96 standard errors, their own, from what
// was seen.
func TestWilson(t *testing.T) {
	for _, c := range [][2]int64{{0, 10}, {1, 10}, {5, 10}, {10, 10}, {818, 1000}, {5404, 5574}} {
		low, high := evaluate.Wilson(c[0], c[1])
		seen, n := float64(c[0])/float64(c[1]), float64(c[1])
		for _, p := range []float64{low, high} {
			if d := math.Abs(seen-p) - 1.959963984540054*math.Sqrt(p*(1-p)/n); math.Abs(d) > 1e-9 {
				t.Errorf("%d of %d: the end %v of the interval is off by %v", c[0], c[1], p, d)
			}
		}
		if !(low <= seen && seen <= high && 0 <= low && high <= 1 && low < high) {
			t.Errorf("%d of %d: interval %v to %v", c[0], c[1], low, high)
		}
	}
	if low, high := evaluate.Wilson(0, 0); low != 0 || high != 1 {
		t.Errorf("without documents: %v to %v, want 0 to 1", low, high)
	}
}

// The interval of a paired difference is that of Agresti and Min, worked out by hand; it has a
// width where both agree.
func TestPairedDifference(t *testing.T) {
	for _, c := range []struct {
		first, second, n      int64
		difference, low, high evaluate.Number
	}{
		{10, 20, 100, 0.1, -0.00724, 0.20332},
		{20, 10, 100, -0.1, -0.20332, 0.00724},
		{0, 0, 98, 0, -0.0196, 0.0196},
		{0, 1, 1, 1, -0.5102, 1},
	} {
		got := evaluate.PairedDifference(c.first, c.second, c.n)
		if off := max(got.Mean-c.difference, c.difference-got.Mean, got.Low-c.low, c.low-got.Low, got.High-c.high, c.high-got.High); !(off < 5e-4) {
			t.Errorf("%+v: %.5f", c, got)
		}
	}
	if got := evaluate.PairedDifference(0, 0, 0); got.Low != -1 || got.High != 1 {
		t.Errorf("of no documents: %v", got)
	}
}

// The interval of a mean holds it, and shrinks with the root of the number.
func TestMeanInterval(t *testing.T) {
	x := []float64{-1, 1, -1, 1, -1, 1, -1, 1}
	got := evaluate.MeanInterval(x)
	if got.Mean != 0 || math.Abs(float64(got.High)-0.7408) > 1e-4 || got.Low != -got.High {
		t.Errorf("got %v", got)
	}
}
