package fold_test

import (
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// TestModelIsPreparedBySettle folds records of numbers. Densities are fitted by Settle, once for
// all records that were folded before it: neither Fold nor Model changes the decision of a
// document.
func TestModelIsPreparedBySettle(t *testing.T) {
	sp := modeltest.Spec(t, "numbers:\n  - fields: [x]\n    likelihood: gaussian\n")
	s := newState(t, sp)
	observe := func(start int64, a, b int64) {
		t.Helper()
		d := model.NewBuilder(sp)
		for i := range int64(4) {
			d.Observe("a", 1, number((a+i)<<20))
			d.Observe("b", 1, number((b+i)<<20))
		}
		if got, err := s.Fold(entry(s, start, d.Delta())); err != nil || got != fold.Accepted {
			t.Fatalf("fold: %q, %v", got, err)
		}
	}
	observe(0, 0, 10)
	s.Settle()
	before := probability(s)
	for i := range int64(5) {
		observe(1+i, 20*i, 50*i)
		if got := probability(s); got != before {
			t.Fatalf("after %d records that nobody settled: P(a) is %v, want %v as before them", i+1, got, before)
		}
	}
	s.Settle()
	got := probability(s)
	s.Model().Prepare()
	if want := probability(s); got != want || got == before {
		t.Errorf("settled: P(a) is %v, want %v, and before it was %v", got, want, before)
	}
}

func number(value int64) *model.Features {
	return &model.Features{Numbers: []model.Number{{Value: value, Present: true}}}
}

// probability returns the posterior of class a for a document between the classes.
func probability(s *fold.State) float64 {
	var d model.Decision
	model.NewScorer().Decide(&d, s.Model(), number(6<<20), "", model.Options{})
	return d.Posterior("a")
}

// The leader of a race decides from Settle on, and not between the records of a batch.
func TestLeaderDecidesFromSettleOn(t *testing.T) {
	s := newState(t, specOf(t, twoCandidates))
	if got, err := s.Fold(fold.Entry{Offset: s.Next(), Delta: scored(t, s, 250)}); err != nil || got != fold.Accepted {
		t.Fatalf("fold: %q, %v", got, err)
	}
	if lead, _ := s.Model().Deciding(); lead.Likelihood != spec.Multinomial {
		t.Errorf("before Settle %s decides, want %s", lead.Likelihood, spec.Multinomial)
	}
	s.Settle()
	if lead, _ := s.Model().Deciding(); lead.Likelihood != spec.Complement {
		t.Errorf("after Settle %s decides, want %s", lead.Likelihood, spec.Complement)
	}
}
