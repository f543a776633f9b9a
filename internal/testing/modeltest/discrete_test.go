package modeltest_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
)

// discreteParams are those of a naive Bayes classifier of scikit-learn.
type discreteParams struct {
	Model      string
	Alpha      float64
	Prior      string
	ClassPrior []float64 `json:"class_prior"`
	Norm       bool
	Weighted   bool
}

func (p *discreteParams) spec(t *testing.T) *spec.Spec {
	likelihood := map[string]string{"MultinomialNB": "multinomial", "BernoulliNB": "bernoulli", "ComplementNB": "complement"}[p.Model]
	prior := p.Prior
	if prior == "given" {
		var list []string
		for c, share := range p.ClassPrior {
			list = append(list, fmt.Sprintf("%s: %v", class(c), share))
		}
		prior = "{" + strings.Join(list, ", ") + "}"
	}
	unscaled := ""
	if p.Norm {
		unscaled = ", temper: {t: 1, gamma: 0}" // the score as scikit-learn has it
	}
	return modeltest.Spec(t, fmt.Sprintf("text: {likelihood: %s, alpha: %v, norm: %v%s}\nprior: %s", likelihood, p.Alpha, p.Norm, unscaled, prior))
}

func class(c int) string { return fmt.Sprintf("class%02d", c) }

func bag(counts []uint32) *model.Features {
	f := &model.Features{}
	for t, n := range counts {
		f.Bag.AddN(fmt.Appendf(nil, "t%03d", t), n)
	}
	return f
}

func checkDiscrete(t *testing.T, r *reference) {
	var params discreteParams
	var in struct {
		X      [][]uint32
		Y      []int
		Weight []int64
		T      [][]uint32
	}
	var want struct {
		Joint     [][]float64 `json:"joint_log_likelihood"`
		Posterior [][]float64 `json:"log_posterior"`
		Predict   []int
	}
	r.decode(t, &params, &in, &want)
	m := model.New(params.spec(t))
	for i, x := range in.X {
		d := modeltest.Document{Label: class(in.Y[i]), Weight: 1, Features: bag(x)}
		if params.Weighted {
			d.Weight = in.Weight[i]
		}
		learn(t, m, d)
	}
	for i, x := range in.T {
		nearAll(t, "joint", joint(m, bag(x)), want.Joint[i], 1e-9)
		d := modeltest.Decide(m, bag(x))
		nearAll(t, "log posterior", logPosterior(d), want.Posterior[i], 1e-9)
		if d.Label != class(want.Predict[i]) {
			t.Errorf("document %d: got %s, want %s", i, d.Label, class(want.Predict[i]))
		}
	}
}

// joint returns ln P(c) + ln P(x|c) of the classes of a model.
func joint(m *model.Model, f *model.Features) []float64 {
	all := model.NewScorer().Joint(m, f, model.Options{})
	var out []float64
	for _, id := range m.Classes().Live() {
		out = append(out, all[id])
	}
	return out
}

func logPosterior(d *model.Decision) []float64 {
	var out []float64
	for _, c := range d.Classes {
		out = append(out, c.LogPosterior)
	}
	return out
}

// categories returns the features of a document that has only categories.
func categories(values ...string) *model.Features {
	f := &model.Features{}
	for _, v := range values {
		f.Categories = append(f.Categories, model.Category{Value: []byte(v), Present: true})
	}
	return f
}

func checkCategorical(t *testing.T, r *reference) {
	var params struct {
		Alpha  float64
		Values int `json:"categories_per_feature"`
	}
	var in struct {
		Train [][]int
		Y     []int
		T     [][]int
		TY    []int
	}
	var want struct {
		Posterior [][]float64 `json:"log_posterior"`
		Accuracy  float64
	}
	r.decode(t, &params, &in, &want)
	var values []string
	for v := range params.Values {
		values = append(values, strconv.Quote(strconv.Itoa(v)))
	}
	fields := "categories:\n"
	for field := range in.Train[0] {
		fields += fmt.Sprintf("  - {field: pixel%d, alpha: %v, values: [%s]}\n", field, params.Alpha, strings.Join(values, ", "))
	}
	m := model.New(modeltest.Spec(t, fields))
	for i, x := range in.Train {
		learn(t, m, modeltest.Document{Label: class(in.Y[i]), Weight: 1, Features: categories(numerals(x)...)})
	}
	right := 0
	for i, x := range in.T {
		d := modeltest.Decide(m, categories(numerals(x)...))
		nearAll(t, "log posterior", logPosterior(d), want.Posterior[i], 1e-9)
		if d.Label == class(in.TY[i]) {
			right++
		}
	}
	near(t, "accuracy", float64(right)/float64(len(in.T)), want.Accuracy, 1e-12)
}

func numerals(x []int) []string {
	var out []string
	for _, v := range x {
		out = append(out, strconv.Itoa(v))
	}
	return out
}
