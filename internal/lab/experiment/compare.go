package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"bayestream/internal/cli/progress"
	"bayestream/internal/gaussian"
	"bayestream/internal/lab/evaluate"
	"bayestream/internal/lab/logistic"
	"bayestream/internal/lab/neighbors"
	"bayestream/internal/model"
	"bayestream/internal/spec"
)

// Rows are the documents of a corpus as vectors of all their numbers, for the classifiers that are no
// sums. Documents that lack a number are left out.
type Rows struct {
	X      [][]float64
	Labels []string
	Index  []int // of the document
}

// NumericRows returns the vectors of a corpus. Its spec must have numbers and nothing else.
func NumericRows(c *Corpus) (*Rows, error) {
	s := c.Spec
	if s.Text != nil || s.ValueTables() > 0 || len(s.Numbers) == 0 {
		return nil, errors.New("the comparison with other classifiers is over numbers: want a spec that has numbers and nothing else")
	}
	r := &Rows{}
	for i := range c.Documents {
		d := &c.Documents[i]
		x := make([]float64, 0, len(d.Features.Numbers))
		for _, n := range d.Features.Numbers {
			if n.Present {
				x = append(x, gaussian.Float(n.Value, s.Digits()))
			}
		}
		if len(x) == len(d.Features.Numbers) {
			r.X, r.Labels, r.Index = append(r.X, x), append(r.Labels, d.Label), append(r.Index, i)
		}
	}
	return r, nil
}

// Identity is Gaussian naive Bayes with shared variances written as a logistic regression.
type Identity struct {
	Classes [2]string `json:"classes"`
	logistic.Hyperplane
	Documents  int     `json:"documents"`
	Difference float64 `json:"largest_difference"` // between the posteriors of both forms
}

// LogisticForm learns the corpus, whose spec must be one block of numbers with shared variances over two
// classes, and compares the posteriors of both forms on every row.
func LogisticForm(c *Corpus, r *Rows) (*Identity, error) {
	if n := c.Spec.Numbers; len(n) != 1 || n[0].Likelihood != spec.Gaussian || n[0].Variance == "own" {
		return nil, errors.New("the spec is no single block of numbers with variance: shared")
	}
	m := model.New(c.Spec)
	if err := c.learn(m, model.NewBuilder(c.Spec), r.Index); err != nil {
		return nil, err
	}
	live := m.Classes().Live()
	if len(live) != 2 {
		return nil, fmt.Errorf("the documents have %d classes: a hyperplane divides two", len(live))
	}
	if p := m.Problems(); len(p) > 0 {
		return nil, &UnfitError{Problems: p}
	}
	var means [2][]float64
	var variances []float64
	for j := range c.Spec.Numbers[0].Fields {
		for k, id := range live {
			mean, v, _ := m.Numbers(0).Moments(id, j)
			means[k] = append(means[k], mean)
			if k == 0 {
				variances = append(variances, v)
			}
		}
	}
	scorer := model.NewScorer()
	var d model.Decision
	scorer.Decide(&d, m, c.Documents[r.Index[0]].Features, "", model.Options{Evidence: -1})
	h, err := logistic.FromGaussian(math.Exp(d.Classes[1].LogPrior), means[0], means[1], variances)
	if err != nil {
		return nil, err
	}
	out := &Identity{Classes: [2]string{d.Classes[0].Name, d.Classes[1].Name}, Hyperplane: *h, Documents: len(r.X)}
	for i, x := range r.X {
		scorer.Decide(&d, m, c.Documents[r.Index[i]].Features, "", model.Options{Evidence: -1})
		_, one, err := h.LogPosterior(x)
		if err != nil {
			return nil, err
		}
		out.Difference = max(out.Difference, math.Abs(math.Exp(one)-d.Classes[1].Posterior))
	}
	return out, nil
}

// CurvePoint is the error of each classifier after some training documents, over the rounds.
type CurvePoint struct {
	Size       int              `json:"size"`
	Generative evaluate.Summary `json:"generative"`
	Logistic   evaluate.Summary `json:"logistic"`
	Neighbors  evaluate.Summary `json:"neighbors"`
	// LedoitWolf is linear discriminant analysis with that shrinkage, where it was asked for.
	LedoitWolf *evaluate.Summary `json:"lda_ledoit_wolf,omitempty"`
}

// Summaries returns the errors in the order of the table: generative, logistic, neighbours and, where it
// is there, linear discriminant analysis.
func (p *CurvePoint) Summaries() []evaluate.Summary {
	out := []evaluate.Summary{p.Generative, p.Logistic, p.Neighbors}
	if p.LedoitWolf != nil {
		out = append(out, *p.LedoitWolf)
	}
	return out
}

// CurveOptions say how a learning curve is drawn.
type CurveOptions struct {
	Points int
	Rounds int
	Share  float64 // of the documents that is tested
	Seed   uint64
	K      int // nearest neighbours
	// LedoitWolf adds linear discriminant analysis with that shrinkage, which no stream can learn.
	LedoitWolf bool
}

// LearningCurve compares the spec, which is generative, with logistic regression, which is
// discriminative, and with the nearest neighbours: in every round a random part is set aside for testing,
// and all learn growing parts of the rest (Ng and Jordan 2002).
func LearningCurve(ctx context.Context, c *Corpus, r *Rows, o CurveOptions) ([]CurvePoint, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	plan := evaluate.Plan{N: len(r.X), Labels: r.Labels, Seed: o.Seed}
	splits, err := plan.Holdouts(o.Share, o.Rounds)
	if err != nil {
		return nil, err
	}
	most := len(splits[0].Train)
	for _, s := range splits {
		most = min(most, len(s.Train))
	}
	sizes, err := evaluate.Sizes(min(10, most), most, o.Points)
	if err != nil {
		return nil, err
	}
	task := progress.From(ctx).Begin("learning curves", "fits", int64(len(splits)*len(sizes)))
	defer task.End()
	errs := make([][4][]float64, len(sizes))
	for round, s := range splits {
		plan.Round = uint64(round)
		parts, err := plan.Prefixes(s.Train, sizes)
		if err != nil {
			return nil, err
		}
		for i, train := range parts {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e, err := compareOnce(c, r, train, s.Test, o)
			if err != nil {
				return nil, err
			}
			for k := range e {
				errs[i][k] = append(errs[i][k], e[k])
			}
			task.Add(1)
		}
	}
	var out []CurvePoint
	for i, size := range sizes {
		p := CurvePoint{
			Size: size, Generative: evaluate.Summarise(errs[i][0]), Logistic: evaluate.Summarise(errs[i][1]), Neighbors: evaluate.Summarise(errs[i][2]),
		}
		if o.LedoitWolf {
			lda := evaluate.Summarise(errs[i][3])
			p.LedoitWolf = &lda
		}
		out = append(out, p)
	}
	return out, nil
}

// compareOnce returns the shares of test rows that each classifier gets wrong after learning train.
func compareOnce(c *Corpus, r *Rows, train, test []int, o CurveOptions) (wrong [4]float64, err error) {
	m := model.New(c.Spec)
	learn := make([]int, len(train))
	x, labels := make([][]float64, len(train)), make([]string, len(train))
	for i, t := range train {
		learn[i], x[i], labels[i] = r.Index[t], r.X[t], r.Labels[t]
	}
	if err := c.learn(m, model.NewBuilder(c.Spec), learn); err != nil {
		return wrong, err
	}
	regression, err := logistic.Fit(x, labels, logistic.Options{Standardise: true})
	if err != nil {
		return wrong, err
	}
	near, err := neighbors.New(standardised(x, regression), labels)
	if err != nil {
		return wrong, err
	}
	if o.LedoitWolf {
		if wrong[3], err = ledoitWolfError(r, x, labels, test); err != nil {
			return wrong, err
		}
	}
	scorer := model.NewScorer()
	var d model.Decision
	for _, t := range test {
		scorer.Decide(&d, m, c.Documents[r.Index[t]].Features, "", model.Options{Evidence: -1})
		lp, err := regression.AppendLogPosterior(nil, r.X[t])
		if err != nil {
			return wrong, err
		}
		votes, err := near.AppendPosterior(nil, standardised(r.X[t:t+1], regression)[0], min(o.K, len(x)))
		if err != nil {
			return wrong, err
		}
		for i, label := range []string{d.Label, regression.Label(lp), near.Classes()[largest(votes)]} {
			if label != r.Labels[t] {
				wrong[i] += 1 / float64(len(test))
			}
		}
	}
	return wrong, nil
}

// ledoitWolfError returns the share of test rows that linear discriminant analysis with Ledoit and Wolf's
// shrinkage gets wrong.
func ledoitWolfError(r *Rows, x [][]float64, labels []string, test []int) (wrong float64, err error) {
	names := slices.Compact(slices.Sorted(slices.Values(labels)))
	class := make([]int, len(labels))
	for i, label := range labels {
		class[i], _ = slices.BinarySearch(names, label)
	}
	d, err := gaussian.FitLedoitWolf(x, class, len(names))
	if err != nil {
		return 0, err
	}
	for _, t := range test {
		if names[largest(d.AppendLogPosterior(nil, r.X[t]))] != r.Labels[t] {
			wrong += 1 / float64(len(test))
		}
	}
	return wrong, nil
}

// standardised scales rows as the regression does, so that no field outweighs the others by its unit.
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

func largest(x []float64) int {
	best := 0
	for i := range x {
		if x[i] > x[best] {
			best = i
		}
	}
	return best
}
