package logistic_test

import (
	"math"
	"testing"

	"bayestream/internal/tools/lab/logistic"

	"pgregory.net/rapid"
)

// logNormal returns the logarithm of the normal density.
func logNormal(x, mean, variance float64) float64 {
	return -0.5*math.Log(2*math.Pi*variance) - (x-mean)*(x-mean)/(2*variance)
}

// TestGaussianIsLogistic checks the identity of both forms, on any two classes with shared
// variances.
func TestGaussianIsLogistic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "fields")
		draw := func(name string, least, most float64) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(least, most), d, d).Draw(t, name)
		}
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "prior")
		m0 := draw("m0", -20, 20)
		m1 := draw("m1", -20, 20)
		v := draw("variance", 0.1, 10)
		x := draw("x", -20, 20)
		zero, one := logistic.FromGaussian(p, m0, m1, v).LogPosterior(x)
		joint0 := math.Log(1 - p)
		joint1 := math.Log(p)
		for j := range x {
			joint0 += logNormal(x[j], m0[j], v[j])
			joint1 += logNormal(x[j], m1[j], v[j])
		}
		largest := max(joint0, joint1)
		all := largest + math.Log(math.Exp(joint0-largest)+math.Exp(joint1-largest))
		if off := worst([]float64{zero, one}, []float64{joint0 - all, joint1 - all}); off > 1e-9 {
			t.Fatalf("got %v and %v, want %v and %v", zero, one, joint0-all, joint1-all)
		}
	})
}
