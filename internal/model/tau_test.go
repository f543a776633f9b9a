package model

import (
	"math"
	"testing"

	"bayestream/internal/race"
	"bayestream/internal/spec"

	"pgregory.net/rapid"
)

// plainOdds returns the logarithm of the odds of all classes but the best, the first one, against it, by the definition.
func plainOdds(joint []float64, tau float64) float64 {
	sum := 0.0
	for _, x := range joint[1:] {
		sum += math.Exp(tau * (x - joint[1]))
	}
	return tau*(joint[1]-joint[0]) + math.Log(sum)
}

// plainlyCalibrated is Scorer.calibrated by halving: the odds fall as tau grows.
func plainlyCalibrated(joint []float64, tau float64, c *race.Calibration) float64 {
	target := -c.Of(-plainOdds(joint, tau))
	least, most := tau/softer, tau*sharper
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
		s := &Scorer{m: New(spec.Default()), tau: math.Exp2(rapid.Float64Range(-9, 2).Draw(t, "tau"))}
		b := NewBuilder(s.m.spec)
		scale := math.Exp2(rapid.Float64Range(-4, 8).Draw(t, "scale"))
		s.joint = []float64{0}
		for i := range rapid.IntRange(2, 70).Draw(t, "classes") {
			b.Observe(string(rune('0'+i)), 1, &Features{})
			if i > 0 {
				s.joint = append(s.joint, -scale*rapid.Float64Range(float64(i)*1e-3, float64(i)).Draw(t, "joint"))
			}
			if i > 1 {
				s.joint[i] = min(s.joint[i], s.joint[1])
			}
		}
		if err := s.m.Apply(b.Delta()); err != nil {
			t.Fatal(err)
		}
		c := seen.Calibration()
		got := plainOdds(s.joint, s.calibrated(c))
		want := plainOdds(s.joint, plainlyCalibrated(s.joint, s.tau, c))
		if math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
			t.Fatalf("log odds %v, want %v", -got, -want)
		}
	})
}
