package model

import (
	"math"
	"testing"

	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"

	"pgregory.net/rapid"
)

// plainOdds returns the logarithm of the odds of all classes but the best, the first one, against
// it, by the definition.
func plainOdds(joint []float64, tau float64) float64 {
	sum := 0.0
	for _, x := range joint[1:] {
		sum += math.Exp(tau * (x - joint[1]))
	}
	return tau*(joint[1]-joint[0]) + math.Log(sum)
}

// plainlyCalibrated is Scorer.calibrated by halving, of classes with documents of these numbers: the
// odds fall as tau grows.
func plainlyCalibrated(joint []float64, documents []int64, tau float64, c *race.Calibration) float64 {
	odds := c.Of(-plainOdds(joint, tau))
	target := -odds
	top, next := float64(documents[0]), float64(documents[1])
	if most := math.Log(8 * (next + 1) * max(1, top/next)); -target > most {
		target = -most - math.Log(1-target-most)
	}
	least, most := tau/softer, tau*sharper
	if -target < odds {
		least = 0
	}
	for range 200 {
		middle := (least + most) / 2
		if plainOdds(joint, middle) > target {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}

// TestTauOfCalibration: the tau that few steps find is the one that many halves find.
func TestTauOfCalibration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var seen race.Histogram
		for range rapid.IntRange(2, 20).Draw(t, "bins") {
			confidence := rapid.Float64Range(0.01, 1-1e-9).Draw(t, "confidence")
			right := rapid.IntRange(0, 300).Draw(t, "right")
			for n := range 300 {
				seen.Add(confidence, n < right)
			}
		}
		tau := math.Exp2(rapid.Float64Range(-9, 2).Draw(t, "tau"))
		scale := math.Exp2(rapid.Float64Range(-4, 16).Draw(t, "scale"))
		joint := []float64{0}
		documents := []int64{rapid.Int64Range(1, 1e6).Draw(t, "documents")}
		for i := range rapid.IntRange(2, 70).Draw(t, "classes") {
			if i > 0 {
				documents = append(documents, rapid.Int64Range(1, 1e6).Draw(t, "documents"))
				joint = append(joint, -scale*rapid.Float64Range(float64(i)*1e-3, float64(i)).Draw(t, "joint"))
			}
			if i > 1 {
				joint[i] = min(joint[i], joint[1])
			}
		}
		checkTau(t, joint, documents, tau, &seen)
	})
}

// A class that is negligible under the first tau counts under the one that is found.
func TestTauOfClassFarBehind(t *testing.T) {
	var seen race.Histogram
	for range 600 {
		seen.Add(0.999999999, false)
	}
	checkTau(t, []float64{0, -22, -39}, []int64{900, 800, 700}, 2, &seen)
}

// checkTau checks the tau of a document whose classes have these joint log likelihoods, the first
// two the largest, and so many documents.
func checkTau(t rapid.TB, joint []float64, documents []int64, tau float64, seen *race.Histogram) {
	t.Helper()
	s := &Scorer{m: New(spec.Default()), tau: tau, joint: joint}
	b := NewBuilder(s.m.spec)
	for i := range joint {
		b.Observe(string(rune('0'+i)), documents[i], &Features{})
	}
	if err := s.m.Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	s.by = s.m.lead
	s.prior = s.m.logPrior
	c := seen.Calibration()
	got := plainOdds(joint, s.calibrated(c))
	want := plainOdds(joint, plainlyCalibrated(joint, documents, tau, c))
	if math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
		t.Fatalf("log odds %v, want %v", -got, -want)
	}
}
