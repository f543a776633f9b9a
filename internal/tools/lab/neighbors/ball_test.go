package neighbors

import (
	"math"
	"testing"
)

func TestLogBall(t *testing.T) {
	for d, want := range map[int]float64{1: 2 * 3, 2: math.Pi * 9, 3: 4.0 / 3 * math.Pi * 27, 4: math.Pi * math.Pi / 2 * 81} {
		if got := math.Exp(logBall(d, 3)); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%d dimensions: got %v, want %v", d, got, want)
		}
	}
	if got := logBall(10_000, 1); math.IsInf(got, 0) || got > -30_000 {
		t.Errorf("10,000 dimensions: got %v", got)
	}
}
