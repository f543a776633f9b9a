package experiment

import (
	"errors"
	"fmt"
	"math"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/tools/lab/logistic"
)

// LogisticForm is Gaussian naive Bayes with shared variances, written as a logistic regression.
type LogisticForm struct {
	Classes [2]string `json:"classes"`
	logistic.Hyperplane
	Documents  int     `json:"documents"`
	Difference float64 `json:"largest_difference"` // between the posteriors of both forms
}

// NewLogisticForm trains a model on the rows and compares the posteriors of both forms on each of
// them. The spec must be one block of numbers with shared variances, and there must be two classes.
func NewLogisticForm(c *Corpus, r *Rows) (*LogisticForm, error) {
	if n := c.Spec.Numbers; len(n) != 1 || n[0].Likelihood != spec.Gaussian || n[0].Variance == "own" {
		return nil, errors.New("the logistic form needs a spec of one block of numbers with variance: shared")
	}
	m := model.New(c.Spec)
	if err := c.learn(m, model.NewBuilder(c.Spec), r.Index); err != nil {
		return nil, err
	}
	if live := m.Classes().Live(); len(live) != 2 {
		return nil, fmt.Errorf("the documents have %d classes: the logistic form needs two", len(live))
	}
	if err := Fits(m); err != nil {
		return nil, err
	}
	scorer := model.NewScorer()
	var d model.Decision
	scorer.Decide(&d, m, c.Documents[r.Index[0]].Features, "", model.Options{Evidence: -1})
	h, err := hyperplane(m, math.Exp(d.Classes[1].LogPrior))
	if err != nil {
		return nil, err
	}
	form := &LogisticForm{Classes: [2]string{d.Classes[0].Name, d.Classes[1].Name}, Hyperplane: *h, Documents: len(r.X)}
	for i, x := range r.X {
		scorer.Decide(&d, m, c.Documents[r.Index[i]].Features, "", model.Options{Evidence: -1})
		_, logPosterior, err := h.LogPosterior(x)
		if err != nil {
			return nil, err
		}
		form.Difference = max(form.Difference, math.Abs(math.Exp(logPosterior)-d.Classes[1].Posterior))
	}
	return form, nil
}

// hyperplane returns the logistic regression of a model with two classes, of which the second has a
// prior.
func hyperplane(m *model.Model, prior float64) (*logistic.Hyperplane, error) {
	var means [2][]float64
	var variances []float64
	for j := range m.Spec().Numbers[0].Fields {
		for k, id := range m.Classes().Live() {
			mean, variance, _ := m.Numbers(0).Moments(id, j)
			means[k] = append(means[k], mean)
			if k == 0 {
				variances = append(variances, variance)
			}
		}
	}
	return logistic.FromGaussian(prior, means[0], means[1], variances)
}
