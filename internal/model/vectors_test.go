package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/model"
	"bayestream/internal/spec"
	"bayestream/internal/testing/modeltest"
)

type discreteInput struct {
	X      [][]uint32
	Y      []int
	Weight []int64
	T      [][]uint32
}

type discreteCase struct {
	Name   string
	Params struct {
		Model      string
		Alpha      float64
		Prior      string
		ClassPrior []float64 `json:"class_prior"`
		Norm       bool
	}
	Input json.RawMessage
	Want  struct {
		Joint     [][]float64 `json:"joint_log_likelihood"`
		Posterior [][]float64 `json:"log_posterior"`
		Predict   []int
	}
}

func bag(counts []uint32) *model.Features {
	f := &model.Features{}
	for t, n := range counts {
		f.Bag.AddN(fmt.Appendf(nil, "t%03d", t), n)
	}
	return f
}

func class(c int) string { return fmt.Sprintf("class%d", c) }

func (c *discreteCase) spec(t *testing.T) *spec.Spec {
	likelihood := map[string]string{"MultinomialNB": "multinomial", "BernoulliNB": "bernoulli", "ComplementNB": "complement"}[c.Params.Model]
	prior := c.Params.Prior
	if prior == "given" {
		var list []string
		for i, p := range c.Params.ClassPrior {
			list = append(list, fmt.Sprintf("%s: %v", class(i), p))
		}
		prior = "{" + strings.Join(list, ", ") + "}"
	}
	return parse(t, fmt.Sprintf("text: {likelihood: %s, alpha: %v, norm: %v}\nprior: %s", likelihood, c.Params.Alpha, c.Params.Norm, prior))
}

// TestDiscreteReferenceValues compares with scikit-learn: ../shared/vectors names the cases.
func TestDiscreteReferenceValues(t *testing.T) {
	var file struct{ Cases []discreteCase }
	modeltest.Vectors(t, "discrete.json", &file)
	inputs := map[string]discreteInput{}
	ran := 0
	for _, c := range file.Cases {
		k := strings.Split(c.Name, "-")[1]
		var in discreteInput
		if json.Unmarshal(c.Input, &in) == nil {
			inputs[k] = in
		}
		ran++
		t.Run(c.Name, func(t *testing.T) { c.check(t, inputs[k]) })
	}
	if ran != 156 {
		t.Fatalf("ran %d cases, the file should hold all 156", ran)
	}
}

func (c *discreteCase) check(t *testing.T, in discreteInput) {
	m := model.New(c.spec(t))
	for i, x := range in.X {
		w := int64(1)
		if strings.HasSuffix(c.Name, "-weighted") {
			w = in.Weight[i]
		}
		if err := modeltest.Learn(m, 1, modeltest.Document{Label: class(in.Y[i]), Weight: w, Features: bag(x)}); err != nil {
			t.Fatal(err)
		}
	}
	s := model.NewScorer()
	for i, x := range in.T {
		joint := s.Joint(m, bag(x), model.Options{})
		for j, id := range m.Classes().Live() {
			near(t, "joint", joint[id], c.Want.Joint[i][j])
		}
		d := modeltest.Decide(m, bag(x))
		for j, score := range d.Classes {
			near(t, "log posterior", score.LogPosterior, c.Want.Posterior[i][j])
		}
		if d.Label != class(c.Want.Predict[i]) {
			t.Errorf("document %d: got %s, want %s", i, d.Label, class(c.Want.Predict[i]))
		}
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// TestElectionOrSports is the example of lecture 1: the probabilities of the slide are those of 10 (or
// 20) documents a class, counted without smoothing.
func TestElectionOrSports(t *testing.T) {
	var file struct {
		Cases []struct {
			Name  string
			Input json.RawMessage
			Want  json.RawMessage
		}
	}
	modeltest.Vectors(t, "lectures.json", &file)
	for _, c := range file.Cases {
		if c.Name != "election-or-sports" {
			continue
		}
		var in struct {
			E map[string]float64 `json:"P(word=1|E)"`
			S map[string]float64 `json:"P(word=1|S)"`
			X map[string]int
		}
		var want struct{ Joint map[string]float64 }
		if json.Unmarshal(c.Input, &in) != nil || json.Unmarshal(c.Want, &want) != nil {
			t.Fatal("unreadable case")
		}
		m := model.New(parse(t, "text: {likelihood: bernoulli, alpha: 1e-12}"))
		learnPresence(t, m, "E", in.E)
		learnPresence(t, m, "S", in.S)
		f := &model.Features{}
		for w, n := range in.X {
			f.Bag.AddN([]byte(w), uint32(n))
		}
		joint := model.NewScorer().Joint(m, f, model.Options{})
		for _, id := range m.Classes().Live() {
			name := m.Classes().Name(id)
			if got := math.Exp(joint[id]); math.Abs(got/want.Joint[name]-1) > 1e-9 {
				t.Errorf("P(%s, x): got %v, want %v", name, got, want.Joint[name])
			}
		}
		return
	}
	t.Fatal("the case is not in the file")
}

// learnPresence learns 20 documents of which a share p has each word.
func learnPresence(t *testing.T, m *model.Model, label string, p map[string]float64) {
	for i := range 20 {
		f := &model.Features{}
		for w, share := range p {
			if float64(i) < math.Round(share*20) {
				f.Bag.Add([]byte(w))
			}
		}
		if err := modeltest.Learn(m, 1, modeltest.Document{Label: label, Weight: 1, Features: f}); err != nil {
			t.Fatal(err)
		}
	}
}
