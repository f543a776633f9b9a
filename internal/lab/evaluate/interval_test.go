package evaluate_test

import (
	"math"
	"testing"

	"bayestream/internal/lab/evaluate"
)

// The ends of Wilson's interval are the shares that lie 1.96 standard errors, their own, from what was seen.
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
