package model_test

import (
	"fmt"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ledBy returns the race of a spec in which a candidate of the default list leads with a temper,
// and the multinomial with alpha 0.1 is the best multinomial, with the same temper.
func ledBy(t *rapid.T, s *spec.Spec, leader, temper int) *race.State {
	const best = 1
	l := race.Of(s)
	sums := race.NewSums(len(l.Scored()))
	sums.Scored = 1000
	for i := range sums.By {
		sums.By[i].Errors = 500
		for j := range sums.By[i].Loss {
			sums.By[i].Loss[j] = race.Unit
		}
		sums.By[i].Loss[temper] = 0
	}
	sums.By[best].Errors = 400
	sums.By[leader].Errors = 100
	if err := sums.Check(l); err != nil {
		t.Fatal(err)
	}
	r := race.NewState(l)
	r.Fold(l.Fingerprint(), sums)
	return r
}

// besides is what the specs of TestLeaderDecides have beside the words.
const besides = "\nnumbers: [{fields: [x, y], var_smoothing: 1e-3}]\ndecision: {min_documents: 2}"

// named returns a model that names a candidate and a temper, and has learned the documents.
func named(t *rapid.T, c spec.Candidate, temper spec.Temper, documents []modeltest.Document) *model.Model {
	weight := ""
	if !spec.IsLikelihood(c.Likelihood) {
		weight = ", weight: 0.5"
	}
	return learnt(t, fmt.Sprintf("text: {likelihood: %s, alpha: %v, sublinear: %v, shape: %v, edges: %v, temper: %v%s}%s", c.Likelihood, c.Alpha, c.Sublinear, c.Shape, c.Edges, temper, weight, besides), documents)
}

func learnt(t *rapid.T, yaml string, documents []modeltest.Document) *model.Model {
	s := modeltest.Spec(t, yaml)
	m := model.New(s)
	modeltest.Learn(t, m, 1, documents...)
	return m
}

// retemper has a model name a temper that is the same for texts of any length.
func retemper(m *model.Model, tau float64) {
	s := *m.Spec()
	text := *s.Text
	text.Temper = &spec.Temper{T: tau}
	s.Text = &text
	m.Rescore(&s)
}

// TestLeaderDecides: where candidates race, a decision is that of a spec which names the leader and
// its temper, or a lower one where documents show less; with a prior of its own, and without a known
// word, it is that of the best multinomial. Before a leader the first candidates lead.
func TestLeaderDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var documents []modeltest.Document
		for range rapid.IntRange(1, 12).Draw(t, "documents") {
			documents = append(documents, drawDocument(t, []string{"a", "b", "c"}))
		}
		m := learnt(t, "text: {weight: 0.5}\nscoring: {}"+besides, documents)
		c := m.Spec().Race.Candidates
		leader := rapid.IntRange(0, len(c)-1).Draw(t, "leader")
		temper := rapid.IntRange(1, len(race.Tempers())-1).Draw(t, "temper")
		textbook := learnt(t, "text: {likelihood: multinomial}"+besides, documents)
		start := race.NewState(race.Of(m.Spec()))
		first := named(t, start.Leader().Candidate, start.Leader().Temper, documents)
		firstMultinomial := named(t, start.Multinomial().Candidate, start.Multinomial().Temper, documents)
		leads := named(t, c[leader], race.Tempers()[temper], documents)
		multinomial := leads
		if !spec.IsLikelihood(c[leader].Likelihood) {
			multinomial = named(t, c[1], race.Tempers()[temper], documents)
		}
		probe := drawDocument(t, []string{"a"}).Features
		var o model.Options
		if rapid.Bool().Draw(t, "own prior") {
			o.Prior = map[string]float64{"a": 0.9, "b": 0.1}
		}
		scorer := model.NewScorer()
		same := func(want *model.Model) {
			t.Helper()
			var a, b model.Decision
			scorer.Decide(&a, m, probe, "id", o)
			model.NewScorer().Decide(&b, want, probe, "id", o)
			if a.Scoring.Temper < b.Scoring.Temper { // the documents show less
				retemper(want, a.Scoring.Temper)
				model.NewScorer().Decide(&b, want, probe, "id", o)
			}
			b.ModelInfo = a.ModelInfo
			if diff := cmp.Diff(&b, &a); diff != "" {
				t.Fatalf("-the candidate alone +where it races:\n%s", diff)
			}
		}
		bySecond := o.Prior != nil || modeltest.Decide(leads, probe).Known == 0
		if bySecond {
			same(firstMultinomial)
		} else {
			same(first)
		}
		m.Lead(ledBy(t, m.Spec(), leader, temper))
		if bySecond {
			same(multinomial)
		} else {
			same(leads)
		}
		m.Rescore(textbook.Spec())
		same(textbook)
	})
}
