package model

import (
	"math"
	"testing"

	"bayestream/internal/core/race"

	"pgregory.net/rapid"
)

// plainLosses returns the log loss under each temper of a document with n known tokens, by the
// definition. truth is the index of the true class.
func plainLosses(gaps []float64, truth, n int) (losses []int64) {
	for _, t := range race.Tempers() {
		tau := t.Tau(n, false)
		losses = append(losses, race.FixedLoss(plainNormaliser(gaps, tau)-tau*gaps[truth]))
	}
	return losses
}

// plainNormaliser returns that of the posterior, which the most probable class has the inverse of.
func plainNormaliser(gaps []float64, tau float64) float64 {
	sum := 0.0
	for _, gap := range gaps {
		sum += math.Exp(tau * gap)
	}
	return math.Log(sum)
}

// curveError is the largest error of a lossCurve in nats, by the number of classes below it: where
// all classes but one are equally improbable, the normaliser falls from ln k to 0 the more
// suddenly, the more classes there are. Classes that differ are ten times nearer.
var curveError = []struct {
	classes int
	most    float64
}{{2, 0.00004}, {4, 0.00014}, {11, 0.0007}, {60, 0.0045}}

func drawGaps(t *rapid.T, classes int) []float64 {
	gaps := []float64{0}
	scale := math.Exp2(rapid.Float64Range(-10, 14).Draw(t, "scale"))
	spread := rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "spread")
	for range classes - 1 {
		gap := -scale * (1 - spread*rapid.Float64Range(0, 1).Draw(t, "gap"))
		if rapid.IntRange(0, 20).Draw(t, "impossible") == 0 {
			gap = math.Inf(-1)
		}
		gaps = append(gaps, gap)
	}
	return gaps
}

// TestLossCurve: the losses are those of the definition, up to an error that no scale of the gaps
// and no length makes larger; without a temper they are equal but for rounding.
func TestLossCurve(t *testing.T) {
	var l lossCurve // of many documents one after the other
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom(curveError).Draw(t, "classes")
		gaps := drawGaps(t, rapid.IntRange(1, size.classes).Draw(t, "live"))
		truth := rapid.IntRange(0, len(gaps)-1).Draw(t, "truth")
		n := rapid.SampledFrom([]int{0, 1, 2, 7, 64, 128, 1000, 33_333, 5_000_000}).Draw(t, "tokens")
		l.setLength(n)
		l.set(gaps)
		got := make([]int64, len(race.Tempers()))
		l.addLosses(got, gaps[truth])
		most := int64(size.most * race.Unit)
		for j, want := range plainLosses(gaps, truth, n) {
			if d := got[j] - want; d < -most || d > most || j == 0 && (d < -2 || d > 2) {
				t.Fatalf("%v with %d tokens: log loss %d, want %d", race.Tempers()[j], n, got[j], want)
			}
			if c := l.confidence(j); c > 1 || math.Abs(math.Log(c)+plainNormaliser(gaps, race.Tempers()[j].Tau(n, false))) > size.most {
				t.Fatalf("%v with %d tokens: the most probable class has %v", race.Tempers()[j], n, c)
			}
		}
	})
}
