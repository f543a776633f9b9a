package model_test

import (
	"math"
	"testing"

	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// TestNormalizedAlone: where the spec names no temper, complement with normalised weights has the
// temper that the decision names, and the labels of the score as it is.
func TestNormalizedAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var documents []modeltest.Document
		for range rapid.IntRange(2, 12).Draw(t, "documents") {
			documents = append(documents, drawDocument(t, []string{"a", "b", "c"}))
		}
		probe := drawDocument(t, []string{"a"}).Features
		d := modeltest.Decide(learnt(t, "text: {likelihood: complement, norm: true}", documents), probe)
		raw := modeltest.Decide(learnt(t, "text: {likelihood: complement, norm: true, temper: {t: 1, gamma: 0}}", documents), probe)
		if d.Label != raw.Label || d.Scoring.Candidate != "complement-norm/1" {
			t.Fatalf("%+v, unscaled %+v", d, raw)
		}
		if want := d.Scoring.Temper * raw.Margin; math.Abs(d.Margin-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("the margin is %v, want %v", d.Margin, want)
		}
	})
}

// In a model whose classes mirror each other the numbers are those of complement.
func TestNormalizedAloneIsComplement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.Int64Range(1, 9).Draw(t, "weight")
		documents := []modeltest.Document{
			{Label: "a", Weight: weight, Features: words("x", "x", "y", "z")},
			{Label: "b", Weight: weight, Features: words("z", "z", "y", "x")},
		}
		probe := words("x", "x", "x", "y")
		got := modeltest.Decide(learnt(t, "text: {likelihood: complement, norm: true}", documents), probe)
		want := modeltest.Decide(learnt(t, "text: {likelihood: complement}", documents), probe)
		if got.Label != want.Label || math.Abs(got.Margin-want.Margin) > 1e-9 || got.Confidence() < 0.7 {
			t.Errorf("%+v, want the numbers of %+v", got, want)
		}
	})
}
