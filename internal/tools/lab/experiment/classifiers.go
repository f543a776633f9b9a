package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/tools/lab/logistic"
	"bayestream/internal/tools/lab/neighbors"
)

// What is measured of one split: shares of test rows with a wrong label, and the mean log density.
const (
	generativeError = iota
	logisticError
	neighborsError
	densityError
	logDensity
	measures
)

// compareOnce trains all classifiers on the rows of train and measures them on the rows of test.
func compareOnce(c *Corpus, r *Rows, train, test []int, o CurveOptions) (out [measures]float64, err error) {
	set := &trainingSet{corpus: c, rows: r, train: r.part(train), scorer: model.NewScorer()}
	classifiers, density, err := set.fit(o)
	if err != nil {
		return out, err
	}
	share := 1 / float64(len(test))
	for _, t := range test {
		for measure, classify := range classifiers {
			if classify != nil && classify(t) != r.Labels[t] {
				out[measure] += share
			}
		}
		if o.Density {
			out[logDensity] += density(t) * share
		}
	}
	return out, nil
}

// A classifier returns the label of a row of Rows.
type classifier func(row int) string

// trainingSet is a part of the rows to train classifiers on.
type trainingSet struct {
	corpus   *Corpus
	rows     *Rows // all
	train    *Rows
	scorer   *model.Scorer
	decision model.Decision
}

// fit trains the classifiers, by the measure of their error; nil: not asked for. density returns ln
// p(x) of a row by its nearest neighbours.
func (s *trainingSet) fit(o CurveOptions) (out [measures]classifier, density func(row int) float64, err error) {
	m := model.New(s.corpus.Spec)
	if err := s.corpus.learn(m, model.NewBuilder(s.corpus.Spec), s.train.Index); err != nil {
		return out, nil, err
	}
	out[generativeError] = func(row int) string { return s.decide(m, row).Label }
	regression, err := logistic.Fit(s.train.X, s.train.Labels, 1)
	if err != nil {
		return out, nil, err
	}
	out[logisticError] = func(row int) string { return regression.Label(regression.LogPosterior(s.rows.X[row])) }
	nearest := neighbors.New(standardised(s.train.X, regression), s.train.Labels)
	k := min(o.K, len(s.train.X))
	point := func(row int) []float64 { return standardised(s.rows.X[row:row+1], regression)[0] }
	out[neighborsError] = func(row int) string { return nearest.Label(nearest.Posterior(point(row), k)) }
	if o.Density {
		out[densityError] = func(row int) string {
			joint := nearest.LogDensities(point(row), k)
			for _, c := range s.decide(m, row).Classes {
				if j, ok := slices.BinarySearch(nearest.Classes(), c.Name); ok {
					joint[j] += c.LogPrior
				}
			}
			return nearest.Label(joint)
		}
		density = func(row int) float64 { return nearest.LogDensity(point(row), k) }
	}
	return out, density, nil
}

// decide returns the decision of the model on a row. It is valid until the next call.
func (s *trainingSet) decide(m *model.Model, row int) *model.Decision {
	s.scorer.Decide(&s.decision, m, s.corpus.Documents[s.rows.Index[row]].Features, "", model.Options{Evidence: -1})
	return &s.decision
}

// standardised scales rows as the regression does, so that no field outweighs the others by its
// unit.
func standardised(x [][]float64, m *logistic.Model) [][]float64 {
	out := make([][]float64, len(x))
	for i, row := range x {
		out[i] = make([]float64, len(row))
		for j := range row {
			out[i][j] = (row[j] - m.Mean[j]) / m.Scale[j]
		}
	}
	return out
}

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
	h := hyperplane(m, math.Exp(d.Classes[1].LogPrior))
	form := &LogisticForm{Classes: [2]string{d.Classes[0].Name, d.Classes[1].Name}, Hyperplane: *h, Documents: len(r.X)}
	for i, x := range r.X {
		scorer.Decide(&d, m, c.Documents[r.Index[i]].Features, "", model.Options{Evidence: -1})
		_, logPosterior := h.LogPosterior(x)
		form.Difference = max(form.Difference, math.Abs(math.Exp(logPosterior)-d.Classes[1].Posterior))
	}
	return form, nil
}

// hyperplane returns the logistic regression of a model with two classes, of which the second has a
// prior.
func hyperplane(m *model.Model, prior float64) *logistic.Hyperplane {
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
