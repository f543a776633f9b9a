package model_test

import (
	"math"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// blocks are specs of text, alone and beside other blocks; a temper goes between the two halves.
var blocks = [][2]string{
	{"text: {alpha: 0.5", "}"},
	{"text: {likelihood: bernoulli", "}\nprior: {a: 0.5, b: 0.3, c: 0.2}"},
	{"text: {likelihood: complement", "}"},
	{"text: {likelihood: one_vs_all", "}"},
	{"text: {likelihood: complement, norm: true", "}"},
	{"text: {likelihood: complement, norm: true, weight: 0.5", "}\ncategories: [{field: c}]"},
	{"text: {alpha: 2", "}\nnumbers: [{fields: [x, y], var_smoothing: 1e-3}]\ncategories: [{field: c}]\nprior: uniform"},
}

// drawn is a model without a temper and one with, which learned the same documents, and a document
// to decide.
type drawn struct {
	plain, tempered *model.Model
	probe           *model.Features
	bothDecide      func() (plain, tempered *model.Decision)
}

func drawTempered(t *rapid.T, decision string) *drawn {
	halves := rapid.SampledFrom(blocks).Draw(t, "blocks")
	temper := spec.Temper{T: rapid.Float64Range(0.01, 20).Draw(t, "T"), Gamma: rapid.Float64Range(0, 1).Draw(t, "gamma")}
	d := &drawn{}
	for to, yaml := range map[**model.Model]string{
		&d.plain: halves[0] + halves[1] + decision, &d.tempered: halves[0] + ", temper: " + temper.String() + halves[1] + decision,
	} {
		s := modeltest.Spec(t, yaml)
		if s.Amplifies() && s.Text.Temper == nil {
			s.Text.Temper = &spec.Temper{T: 1} // the score as it is: without a temper it is scaled
		}
		*to = model.New(s)
	}
	var documents []modeltest.Document
	for range rapid.IntRange(0, 12).Draw(t, "documents") {
		documents = append(documents, drawDocument(t, []string{"a", "b", "c"}))
	}
	for _, m := range []*model.Model{d.plain, d.tempered} {
		modeltest.Learn(t, m, 1, documents...)
	}
	d.probe = drawDocument(t, []string{"a"}).Features
	d.bothDecide = func() (plain, tempered *model.Decision) {
		return modeltest.Decide(d.plain, d.probe), modeltest.Decide(d.tempered, d.probe)
	}
	return d
}

// TestTemperLaws: under 0-1 loss a temper changes no label, runner-up or status; all logarithms are
// those of exp(tau (prior + likelihoods)), so that prior and evidence still add up to the margin.
func TestTemperLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTempered(t, "")
		plain, tempered := d.bothDecide()
		if plain.Label != tempered.Label || plain.RunnerUp != tempered.RunnerUp || plain.Status != tempered.Status {
			t.Fatalf("%s before %s, %s; with a temper %s before %s, %s", plain.Label, plain.RunnerUp, plain.Status, tempered.Label, tempered.RunnerUp, tempered.Status)
		}
		s := d.tempered.Spec()
		tau := s.Text.Temper.Tau(tempered.Known, s.Amplifies())
		if d.plain.Spec().Text.Temper != nil {
			plain.Scoring = model.Scoring{Temper: 1}
		}
		if tempered.Scoring != (model.Scoring{Candidate: s.Candidate(), Temper: tau}) || plain.Scoring != (model.Scoring{Temper: 1}) {
			t.Fatalf("scored by %+v and %+v, want none and tau %v", plain.Scoring, tempered.Scoring, tau)
		}
		requireScaled(t, d, tau)
	})
}

func requireScaled(t *rapid.T, d *drawn, tau float64) {
	largest := 0.0 // log densities of very small variances have few digits behind the point
	for _, j := range model.NewScorer().Joint(d.plain, d.probe, model.Options{}) {
		largest = max(largest, math.Abs(j))
	}
	plain, tempered := d.bothDecide()
	same := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*max(1, math.Abs(want))+1e-12*largest {
			t.Fatalf("%s is %v, want %v at tau %v", what, got, want, tau)
		}
	}
	total := 0.0
	for _, c := range plain.Classes {
		total += math.Exp(tau * c.LogPosterior)
	}
	for i, c := range tempered.Classes {
		same("the posterior of "+c.Name, c.LogPosterior, tau*plain.Classes[i].LogPosterior-math.Log(total))
		same("the probability of "+c.Name, c.Posterior, math.Exp(c.LogPosterior))
		same("the prior of "+c.Name, c.LogPrior, tau*plain.Classes[i].LogPrior)
	}
	same("the margin", tempered.Margin, tau*plain.Margin)
	same("the rest", tempered.Rest, tau*plain.Rest)
	prior, sum := map[string]float64{}, tempered.Rest
	for _, c := range tempered.Classes {
		prior[c.Name] = c.LogPrior
	}
	for i, e := range tempered.Evidence {
		sum += e.Weight
		same("a weight", math.Abs(e.Weight), tau*math.Abs(plain.Evidence[i].Weight))
		fields := 0.0
		for _, w := range e.FieldWeights {
			fields += w
		}
		if len(e.FieldWeights) > 0 {
			same("the weight of the fields", fields, e.Weight)
		}
	}
	if tempered.HasMargin {
		same("prior and evidence", prior[tempered.Label]-prior[tempered.RunnerUp]+sum, tempered.Margin)
	}
}

// TestTemperOfOneIsNone: at tau 1 every number is that without a temper, to the last bit.
func TestTemperOfOneIsNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTempered(t, "\ndecision: {loss: {a: {b: 3}}, reject: 0.2}")
		s := *d.plain.Spec()
		text := *s.Text
		text.Temper = &spec.Temper{T: 1}
		s.Text = &text
		d.tempered.Rescore(&s)
		plain, tempered := d.bothDecide()
		plain.Scoring = model.Scoring{}
		tempered.Scoring = model.Scoring{}
		tempered.ModelInfo = plain.ModelInfo
		if diff := cmp.Diff(plain, tempered); diff != "" {
			t.Fatalf("without a temper -, with one of 1 +:\n%s", diff)
		}
	})
}

// TestTemperAndRisk: with losses the label is that of the least risk under the tempered posterior,
// and unsure is what costs more than no decision.
func TestTemperAndRisk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTempered(t, "\ndecision: {loss: {a: {b: 3}}, reject: 0.2, min_documents: 0}")
		_, got := d.bothDecide()
		posterior := map[string]float64{}
		for _, c := range got.Classes {
			posterior[c.Name] = c.Posterior
		}
		least, label := math.Inf(1), 0.0
		for _, k := range got.Classes {
			risk := 1 - posterior[k.Name]
			if k.Name == "b" {
				risk += 2 * posterior["a"]
			}
			if math.Abs(risk-k.Risk) > 1e-9 {
				t.Fatalf("the risk of %s is %v, want %v", k.Name, k.Risk, risk)
			}
			least = min(least, k.Risk)
			if k.Name == got.Label {
				label = k.Risk
			}
		}
		if got.Labelled && label-least > 1e-9 {
			t.Fatalf("the risk of the label %s is %v, the least %v", got.Label, label, least)
		}
		if unsure := got.Status == model.StatusUnsure; unsure && label <= 0.2 || got.Status == model.StatusOK && label > 0.2 {
			t.Fatalf("%s, and the label costs %v", got.Status, label)
		}
	})
}

// TestEmptyIsNotTempered: a document of which nothing is known gets the prior as it is.
func TestEmptyIsNotTempered(t *testing.T) {
	m := model.New(modeltest.Spec(t, "text: {temper: {t: 0.1, gamma: 0}}\nprior: {a: 0.9, b: 0.1}"))
	for _, label := range []string{"a", "b"} {
		f := &model.Features{Bag: bow.Bag{}}
		f.Bag.Add([]byte("word"))
		modeltest.Learn(t, m, 1, modeltest.Document{Label: label, Weight: 1, Features: f})
	}
	unknown := &model.Features{Bag: bow.Bag{}}
	unknown.Bag.Add([]byte("other"))
	d := modeltest.Decide(m, unknown)
	if d.Status != model.StatusEmpty || math.Abs(d.Classes[0].Posterior-0.9) > 1e-12 || d.Scoring.Temper != 1 {
		t.Errorf("got %s with the posterior %v at tau %v, want that of the prior", d.Status, d.Classes[0].Posterior, d.Scoring.Temper)
	}
}
