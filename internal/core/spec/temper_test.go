package spec_test

import (
	"math"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// tau is min(1, T / n^gamma), and 1 where nothing is known; only a score without a unit is
// amplified.
func TestTau(t *testing.T) {
	for _, c := range []struct {
		yaml string
		n    int
		want float64
	}{
		{"text: {temper: {}}", 100, 0.1},
		{"text: {temper: {t: 0.8}}", 0, 1},
		{"text: {temper: {t: 0.8}}", 1, 0.8},
		{"text: {temper: {t: 0.8, gamma: 1}}", 4, 0.2},
		{"text: {temper: {t: 0.25, gamma: 0}}", 1000, 0.25},
		{"text: {temper: {t: 8}}", 4, 1},
		{"text: {likelihood: bernoulli, temper: {t: 8}}", 256, 0.5},
		{"text: {likelihood: complement, temper: {t: 8}}", 4, 1},
		{"text: {likelihood: complement, norm: true, temper: {t: 8}}", 4, 4},
		{"text: {likelihood: complement, norm: true, temper: {t: 8}}", 0, 1},
		{"text: {likelihood: complement, norm: true, weight: 2, temper: {t: 8}}\ncategories: [{field: x}]", 4, 1},
	} {
		s := modeltest.Spec(t, c.yaml)
		if got := s.Text.Temper.Tau(c.n, s.Amplifies()); got != c.want {
			t.Errorf("%q: with %d tokens tau is %v, want %v", c.yaml, c.n, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		temper := spec.Temper{T: rapid.Float64Range(1e-6, 1e6).Draw(t, "T"), Gamma: rapid.Float64Range(0, 1).Draw(t, "gamma")}
		n := rapid.IntRange(0, 1e6).Draw(t, "tokens")
		tau, more := temper.Tau(n, false), temper.Tau(n+1, false)
		if !(tau > 0 && tau <= 1) || n > 0 && more > tau {
			t.Fatalf("%v: tau of %d tokens is %v, of one more %v", temper, n, tau, more)
		}
		if amplified := temper.Tau(n, true); n > 0 && math.Min(amplified, 1) != tau {
			t.Fatalf("%v: tau of %d tokens is %v, amplified %v", temper, n, tau, amplified)
		}
	})
}

// A temper does not change what is counted, and a candidate has one name.
func TestTemperIsScoring(t *testing.T) {
	plain := modeltest.Spec(t, "text: {alpha: 0.1}")
	tempered := modeltest.Spec(t, "text: {alpha: 0.1, temper: {t: 1, gamma: 0}}")
	if plain.Counting() != tempered.Counting() {
		t.Error("a temper changes what is counted")
	}
	if plain.Scoring() == tempered.Scoring() {
		t.Error("a temper does not change the fingerprint of scoring")
	}
	for yaml, want := range map[string]string{
		"": "multinomial/1", "text: {alpha: 0.01}": "multinomial/0.01", "text: {likelihood: complement, alpha: 0.1}": "complement/0.1",
		"text: {likelihood: complement, norm: true}": "complement-norm/1", "text: {likelihood: one_vs_all, alpha: 0.3}": "one_vs_all/0.3", "text: {likelihood: bernoulli}": "bernoulli/1", "numbers: [{fields: [x]}]": "",
	} {
		if got := modeltest.Spec(t, yaml).Candidate(); got != want {
			t.Errorf("%q is the candidate %q, want %q", yaml, got, want)
		}
	}
}

// Damping is n^gamma.
func TestDamping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1<<30).Draw(t, "n")
		gamma := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.25, 0.5, 0.75, 1}), rapid.Float64Range(0, 1)).Draw(t, "gamma")
		want := math.Pow(float64(n), gamma)
		if got := spec.Damping(n, gamma); math.Abs(got-want) > 1e-15*want {
			t.Errorf("%d to the power of %v: %v, want %v", n, gamma, got, want)
		}
	})
}
