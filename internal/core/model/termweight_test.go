package model_test

import (
	"math"
	"slices"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/modeltest"
)

// Of two classes a term weighs against all others what it says in a decision without a temper, by
// the alpha and the likelihood that decide.
func TestTermWeightsAreTheEvidence(t *testing.T) {
	documents := []modeltest.Document{document("a", "x x y"), document("a", "x z"), document("a", "y"), document("b", "y z z")}
	for _, yaml := range []string{
		"text: {alpha: 0.03}", "text: {likelihood: one_vs_all, alpha: 0.3}", "text: {likelihood: bernoulli, alpha: 0.5}", "scoring: {}", "text: {alpha: 0.1, temper: {t: 0.5, gamma: 0}}",
	} {
		m := model.New(modeltest.Spec(t, yaml+"\ndecision: {min_documents: 0}"))
		modeltest.Learn(t, m, 1, documents...)
		for _, term := range []string{"x", "y", "z"} {
			probe := document("", term).Features
			d := modeltest.Decide(m, probe)
			class, _ := m.Classes().ID(d.Label)
			want := d.Evidence[slices.IndexFunc(d.Evidence, func(e model.Evidence) bool { return e.Term == term })].Weight
			if lead, _ := m.Deciding(); lead.Temper != nil {
				want /= lead.Temper.Tau(1, false)
			}
			if lead, _ := m.Deciding(); lead.Likelihood == "one_vs_all" {
				want /= 2 // the score of the one class is the other's negated
			}
			for x := range m.TermWeights(class, model.AllOthers) {
				if string(x.Term) == term && math.Abs(x.Weight-want) > 1e-12 {
					t.Errorf("%s: %s weighs %v for %s, its evidence is %v", yaml, term, x.Weight, d.Label, want)
				}
			}
		}
	}
}

// Scores of one against all cancel, and the classes are as probable: the first one by name wins,
// whatever is left by rounding.
func TestTiesOfScoresThatCancel(t *testing.T) {
	m := model.New(modeltest.Spec(t, "text: {likelihood: one_vs_all, alpha: 1}\ndecision: {min_documents: 0}"))
	modeltest.Learn(t, m, 1, document("a", "u u u v v w w w"), document("b", "u v v v v v w w"))
	if d := modeltest.Decide(m, document("", "u v").Features); d.Label != "a" || math.Abs(d.Margin) > 1e-12 {
		t.Errorf("%s with the margin %v, want a, as probable as b", d.Label, d.Margin)
	}
}
