package race

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// histogramOf returns n decisions with log odds from 0 to most, right as often as the function of
// these says.
func histogramOf(n int, most float64, right func(odds float64) float64) *Histogram {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	h := &Histogram{}
	for range n {
		odds := most * rnd.Float64()
		h.Add(logistic(odds), rnd.Float64() < logistic(right(odds)))
	}
	return h
}

// Sums that are halved keep how sure the decisions in each interval were, also where their number
// is odd, and the map increases as before.
func TestCalibrationOfHalvedSums(t *testing.T) {
	for n := range 60 {
		sums := NewSums(1)
		sums.By[0].Confidence = *histogramOf(3000+n, 13, func(odds float64) float64 { return odds - 0.5 })
		before := sums.By[0].Confidence
		sums.halve()
		for i, b := range sums.By[0].Confidence {
			if b.Records != before[i].Records/2 || b.Right > b.Records {
				t.Fatalf("interval %d has %d of %d records right, of %+v", i, b.Right, b.Records, before[i])
			}
			if b.Records == 0 {
				continue
			}
			was := float64(before[i].Sum) / float64(before[i].Records)
			if is := float64(b.Sum) / float64(b.Records); math.Abs(is-was) > 1 {
				t.Errorf("interval %d with %d records has the mean %v, want %v as before", i, before[i].Records, is/Unit, was/Unit)
			}
		}
		last := math.Inf(-1)
		for _, k := range sums.By[0].Confidence.Calibration().Knots() {
			if k[0] <= last {
				t.Errorf("a knot at %v follows one at %v", k[0], last)
			}
			last = k[0]
		}
	}
}

// A calibration finds how often decisions are right: of those that are too sure, not sure enough,
// and as sure as they should be.
func TestCalibration(t *testing.T) {
	for name, right := range map[string]func(odds float64) float64{
		"too sure":  func(odds float64) float64 { return odds / 2 },
		"not sure":  func(odds float64) float64 { return 1.5 * odds },
		"as it is":  func(odds float64) float64 { return odds },
		"a shift":   func(odds float64) float64 { return odds - 1 },
		"saturated": func(odds float64) float64 { return min(odds, 2) },
	} {
		c := histogramOf(200_000, 6, right).Calibration()
		for odds := 0.3; odds < 5.6; odds += 0.1 { // where it was counted, but for the ends
			if got, want := logistic(c.Of(odds)), logistic(right(odds)); math.Abs(got-want) > 0.03 {
				t.Errorf("%s: decisions as sure as %.3f are right with %.3f, want %.3f", name, logistic(odds), got, want)
			}
		}
	}
}

// With few records a calibration says nothing, or next to nothing where none was counted.
func TestCalibrationOfFew(t *testing.T) {
	h := histogramOf(Enough-1, 6, func(float64) float64 { return 0 })
	if h.Calibration() != nil {
		t.Error("less than enough records calibrate")
	}
	h = &Histogram{}
	for range Enough {
		h.Add(0.9, true)
	}
	c := h.Calibration()
	for _, odds := range []float64{-3.3, -1, 0.2, 4.1, 7} {
		if got := c.Of(odds); math.Abs(got-odds) > 0.2 {
			t.Errorf("log odds of %v, of which nothing is known, are made %v", odds, got)
		}
	}
	if got := c.Of(math.Log(9)); got < 3 || got > math.Log(Enough+shrinkage) {
		t.Errorf("a confidence of 0.9 that is always right is made one with the log odds %v", got)
	}
	var none *Calibration
	if none.Of(3) != 3 {
		t.Error("no calibration changes log odds")
	}
}

// Whatever was counted, a surer decision stays the surer one, and all log odds are finite.
func TestCalibrationIncreases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &Histogram{}
		for range rapid.IntRange(1, 40).Draw(t, "kinds") {
			confidence := logistic(rapid.Float64Range(-5, 40).Draw(t, "odds"))
			right := rapid.Bool().Draw(t, "right")
			for range rapid.IntRange(1, 400).Draw(t, "times") {
				h.Add(confidence, right)
			}
		}
		c := h.Calibration()
		before := math.Inf(-1)
		for odds := -6.0; odds < 60; odds += 0.01 {
			got := c.Of(odds)
			if !(got > before) || math.IsInf(got, 0) {
				t.Fatalf("log odds of %v are made %v, those of %v %v", odds-0.01, before, odds, got)
			}
			before = got
		}
	})
}
