package model_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// raced are specs whose candidates can race, with a likelihood and an alpha to fill in.
var raced = []string{
	"text: {likelihood: %s, alpha: %v}",
	"text: {likelihood: %s, alpha: %v}\nprior: {a: 0.5, b: 0.3, c: 0.2}",
	"text: {likelihood: %s, alpha: %v}\nnumbers: [{fields: [x, y], var_smoothing: 1e-3}]\ncategories: [{field: c, alpha: 0}]",
}

// plainly scores a document by the decisions of a model of each candidate alone. Which of these are
// tied, so that the last bit of a sum decides, it returns.
func plainly(t *rapid.T, sums *race.Sums, l []spec.Candidate, text string, learned []modeltest.Document, probe *modeltest.Document) (tied []bool) {
	for i, c := range l {
		s := modeltest.Spec(t, fmt.Sprintf(text, c.Likelihood, c.Alpha))
		m := model.New(s)
		modeltest.Learn(t, m, 1, learned...)
		d := modeltest.Decide(m, probe.Features)
		if d.Label != probe.Label {
			sums.By[i].Errors++
		}
		tied = append(tied, isTied(d))
		for j, temper := range race.Tempers() {
			tempered := *s
			own := *s.Text
			own.Temper = &temper
			tempered.Text = &own
			m.Rescore(&tempered)
			sums.By[i].Loss[j] += race.FixedLoss(modeltest.Decide(m, probe.Features).LogLoss(probe.Label))
		}
	}
	sums.Scored++
	return tied
}

// isTied reports whether two classes are equally probable, but for rounding.
func isTied(d *model.Decision) bool {
	all := sortedLogs(d)
	n := len(all)
	return n > 1 && all[n-1]-all[n-2] < 1e-9
}

// curveError is the largest error of a log loss in units, of four classes: see TestLossCurve.
const curveError = 0.00014 * race.Unit

// TestRaceScorerEqualsDecisions: the sums of one pass over the counts are those of the decisions of
// a model of each candidate, with each temper.
func TestRaceScorerEqualsDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(raced).Draw(t, "spec")
		l := drawCandidates(t, text == raced[0])
		s := modeltest.Spec(t, fmt.Sprintf(text, spec.Multinomial, 1))
		list := race.Of(&spec.Spec{Race: &spec.Race{Candidates: slices.Clone(l)}})
		var learned []modeltest.Document
		for range rapid.IntRange(1, 12).Draw(t, "documents") {
			d := drawDocument(t, []string{"a", "b", "c"})
			d.Weight *= rapid.SampledFrom([]int64{1, 5000}).Draw(t, "times")
			learned = append(learned, d)
		}
		m := model.New(s)
		modeltest.Learn(t, m, 1, learned...)
		probe := drawDocument(t, []string{"a", "b", "c", "d"})
		got, want := race.NewSums(len(l)), race.NewSums(len(l))
		model.NewRaceScorer(list).Add(got, race.NewState(list), m, probe.Features, probe.Label)
		if modeltest.Decide(m, probe.Features).Known == 0 {
			for i := range l {
				l[i].Likelihood = spec.Multinomial // the others know nothing then
			}
		}
		tied := plainly(t, want, l, text, learned, &probe)
		compareSums(t, list, got, want, tied)
	})
}

func compareSums(t *rapid.T, l *race.List, got, want *race.Sums, tied []bool) {
	if err := got.Check(l); err != nil {
		t.Fatal(err)
	}
	for i, c := range l.Scored() {
		if got.By[i].Errors != want.By[i].Errors && !tied[i] {
			t.Fatalf("%v: %d errors, want %d", c, got.By[i].Errors, want.By[i].Errors)
		}
		for j, temper := range race.Tempers() {
			if d := math.Abs(float64(got.By[i].Loss[j] - want.By[i].Loss[j])); d > curveError || j == 0 && d > 2 {
				t.Fatalf("%v, %v: log loss %d, want %d", c, temper, got.By[i].Loss[j], want.By[i].Loss[j])
			}
		}
	}
}

// drawCandidates draws different candidates.
func drawCandidates(t *rapid.T, scores bool) (l []spec.Candidate) {
	likelihoods := []string{spec.Multinomial}
	if scores {
		likelihoods = append(likelihoods, spec.Complement, spec.OneVsAll)
	}
	for range rapid.IntRange(1, 4).Draw(t, "candidates") {
		c := spec.Candidate{Likelihood: rapid.SampledFrom(likelihoods).Draw(t, "likelihood"), Alpha: rapid.SampledFrom([]float64{0.01, 0.1, 1, 20}).Draw(t, "alpha")}
		if !slices.Contains(l, c) {
			l = append(l, c)
		}
	}
	return l
}

// byDefault is the list of a race that names no candidates.
func byDefault(tb testing.TB) *race.List {
	tb.Helper()
	s := modeltest.Spec(tb, "scoring: {}")
	return race.Of(s)
}

// Where no word is known the race counts what is decided then: by the multinomial, with or without
// the shape as that has it.
func TestRaceOfUnknownWords(t *testing.T) {
	for _, shape := range []bool{false, true} {
		s := modeltest.Spec(t, fmt.Sprintf("decision: {min_documents: 0}\nscoring: {candidates: [{likelihood: multinomial, alpha: 1, shape: %v}, {likelihood: complement, alpha: 0.1, shape: %v}]}", shape, !shape))
		m := model.New(s)
		for range 20 {
			modeltest.Learn(t, m, 1, document("long", "a b c d e f g h i"), document("long", "a c e g i"), document("short", "a"))
		}
		l := race.Of(s)
		state := race.NewState(l)
		sums := race.NewSums(2)
		sums.Scored = 300
		sums.By[0].Errors = 200
		state.Fold(l.Fingerprint(), sums)
		m.Lead(state)
		unknown := document("", "unknown").Features
		d := modeltest.Decide(m, unknown)
		if state.Leader().Candidate.Likelihood != spec.Complement || d.Scoring.Candidate != l.Scored()[0].String() {
			t.Fatalf("%v leads, and a text of unknown words is decided by %s", state.Leader(), d.Scoring.Candidate)
		}
		scored := race.NewSums(2)
		model.NewRaceScorer(l).Add(scored, state, m, unknown, d.Label)
		if scored.By[0].Errors != 0 || scored.By[1].Errors != 0 {
			t.Errorf("shape %v: the race counts %d and %d errors of the label %s that is decided", shape, scored.By[0].Errors, scored.By[1].Errors, d.Label)
		}
	}
}

// By balanced accuracy an error on a class with a tenth of the documents costs five times as much as
// one on the mean class of two.
func TestBalancedCostsOfErrors(t *testing.T) {
	s := modeltest.Spec(t, "scoring: {by: balanced, candidates: [{likelihood: multinomial, alpha: 1}]}")
	m := model.New(s)
	modeltest.Learn(t, m, 9, document("many", "a b c"))
	modeltest.Learn(t, m, 1, document("few", "a b d"))
	l := race.Of(s)
	sums := race.NewSums(1)
	scorer := model.NewRaceScorer(l)
	for _, label := range []string{"many", "few", "new"} {
		scorer.Add(sums, race.NewState(l), m, document("", "a b").Features, label) // it is decided as many
	}
	if got, want := sums.By[0].Cost, int64(5+16)*race.Unit; sums.By[0].Errors != 2 || got != want {
		t.Errorf("%d errors cost %d, want 2 and %d", sums.By[0].Errors, got, want)
	}
}

// A model without documents decides nothing.
func TestRaceOfNothing(t *testing.T) {
	l := byDefault(t)
	sums := race.NewSums(len(l.Scored()))
	probe := &model.Features{}
	probe.Bag.Add([]byte("word"))
	model.NewRaceScorer(l).Add(sums, race.NewState(l), model.New(spec.Default()), probe, "a")
	if sums.Scored != 0 || sums.By[0].Errors != 0 {
		t.Errorf("a model without documents scored %+v", sums)
	}
}

// newsRace returns what scoring documents costs: a model and documents to score.
func newsRace(tb testing.TB) (m *model.Model, documents []model.Features, labels []string) {
	tb.Helper()
	s := modeltest.Spec(tb, "text: {stem: false}")
	inputs, labels := newsInputs(1000)
	x, err := model.NewExtractor(s)
	if err != nil {
		tb.Fatal(err)
	}
	m = model.New(s)
	b := model.NewBuilder(s)
	documents = make([]model.Features, len(inputs))
	for i := range inputs {
		x.Extract(&documents[i], &inputs[i])
		b.Observe(labels[i], 1, &documents[i])
	}
	if err := m.Apply(b.Delta()); err != nil {
		tb.Fatal(err)
	}
	return m, documents, labels
}

// A scored document costs no allocation.
func TestRaceCostsNoAllocation(t *testing.T) {
	m, documents, labels := newsRace(t)
	l := byDefault(t)
	r := model.NewRaceScorer(l)
	so := race.NewState(l)
	sums := race.NewSums(len(l.Scored()))
	i := 0
	score := func() {
		r.Add(sums, so, m, &documents[i], labels[i])
		i = (i + 1) % len(documents)
	}
	score()
	if n := testing.AllocsPerRun(len(documents), score); n != 0 {
		t.Errorf("a scored document costs %v allocations", n)
	}
}

// A scorer follows the counts: what it remembers of words is of one state of them.
func TestRaceFollowsTheCounts(t *testing.T) {
	m, documents, labels := newsRace(t)
	l := byDefault(t)
	state := race.NewState(l)
	r := model.NewRaceScorer(l)
	for i := range 5 {
		got := race.NewSums(len(l.Scored()))
		want := race.NewSums(len(l.Scored()))
		r.Add(got, state, m, &documents[0], labels[0])
		model.NewRaceScorer(l).Add(want, state, m, &documents[0], labels[0])
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d changes the scorer says %+v, a new one %+v", i, got, want)
		}
		modeltest.Learn(t, m, 1, modeltest.Document{Label: labels[0], Weight: 1, Features: &documents[0]})
	}
}

func BenchmarkRace(b *testing.B) {
	m, documents, labels := newsRace(b)
	l := byDefault(b)
	r := model.NewRaceScorer(l)
	so := race.NewState(l)
	sums := race.NewSums(len(l.Scored()))
	for i := 0; b.Loop(); i++ {
		r.Add(sums, so, m, &documents[i%len(documents)], labels[i%len(documents)])
	}
}

func BenchmarkDecide(b *testing.B) {
	m, documents, _ := newsRace(b)
	scorer := model.NewScorer()
	var d model.Decision
	for i := 0; b.Loop(); i++ {
		scorer.Decide(&d, m, &documents[i%len(documents)], "id", model.Options{Evidence: 10})
	}
}
