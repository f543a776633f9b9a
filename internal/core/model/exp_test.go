package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestExp: exp is math.Exp but for its last digits.
func TestExp(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, x float64) {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-14*want {
			t.Fatalf("exp(%v) is %v, want %v", x, got, want)
		}
	}
	for i := range 256 * 57 { // the bounds of the 128ths, and their neighbours
		x := -float64(i) / 256 * math.Ln2
		check(t, x)
		check(t, math.Nextafter(x, -1000))
		check(t, min(0, math.Nextafter(x, 1)))
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Float64Range(-40, 0).Draw(t, "x")) })
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp of no number is %v", got)
	}
}
