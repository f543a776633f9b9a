// Package tune finds the best values for fields of a spec by grid search: it evaluates every point
// of a grid on the same splits of the documents, and tests the best one on documents that had no
// part in the choice.
//
// Points with the same counting settings share the counted documents. Points are evaluated in
// parallel.
package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"bayestream/internal/core/spec"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"

	"golang.org/x/sync/errgroup"
)

// The scores that a search can go by.
const (
	Accuracy = "accuracy"
	MacroF1  = "macro_f1"
	LogLoss  = "log_loss"
)

// Result is what a point of the grid achieved.
type Result struct {
	Point    []Setting       `json:"point"`
	Accuracy evaluate.Number `json:"accuracy"`
	MacroF1  evaluate.Number `json:"macro_f1"`
	LogLoss  evaluate.Number `json:"log_loss"`
	Spread   evaluate.Number `json:"accuracy_sd"`       // over the folds
	Problem  string          `json:"problem,omitempty"` // why it cannot be evaluated

	Spec *spec.Spec `json:"-"`

	order int
}

// score returns what is to be large.
func (r *Result) score(metric string) float64 {
	switch metric {
	case MacroF1:
		return float64(r.MacroF1)
	case LogLoss:
		return -float64(r.LogLoss)
	}
	return float64(r.Accuracy)
}

// Found is what a search found.
type Found struct {
	Metric    string    `json:"metric"`
	Documents int       `json:"documents"`
	Results   []*Result `json:"points"` // the best first; those that cannot be evaluated last
	AsItIs    *Result   `json:"spec"`   // what the spec achieves without the grid; null: it cannot be evaluated
	Test      *Result   `json:"test"`   // the best one on the documents set aside; null: there were none
}

// Search is what to try, and how.
type Search struct {
	Text   []byte // of the spec
	Axes   []Axis
	Way    Way
	Fewer  bool // folds, if there are fewer documents
	Metric string
	// Read returns the documents as a spec counts them; it is called once for each way of counting.
	Read func(*spec.Spec) (*experiment.Corpus, error)
}

// Run tries all points.
func (s *Search) Run(ctx context.Context) (*Found, error) {
	results, err := s.points()
	if err != nil {
		return nil, err
	}
	all := results
	run := &search{Search: s}
	if sp, err := spec.Parse(s.Text); err == nil {
		run.asItIs = &Result{Spec: sp}
		all = append(slices.Clip(all), run.asItIs)
	}
	run.task = progress.From(ctx).Begin("points of the grid", "points", int64(len(all)))
	defer run.task.End()
	for _, group := range groups(all) {
		if err := run.group(ctx, group); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(results, func(a, b *Result) int {
		if (a.Problem == "") != (b.Problem == "") {
			return cmp.Compare(len(a.Problem), len(b.Problem))
		}
		return cmp.Or(cmp.Compare(b.score(s.Metric), a.score(s.Metric)), cmp.Compare(a.order, b.order))
	})
	if results[0].Problem != "" {
		return nil, fmt.Errorf("no point of the grid can be evaluated: %s", results[0].Problem)
	}
	found := &Found{Metric: s.Metric, Documents: len(run.labels), Results: results, AsItIs: run.asItIs}
	if found.AsItIs != nil && found.AsItIs.Problem != "" {
		found.AsItIs = nil
	}
	found.Test, err = run.test(ctx, results[0])
	return found, err
}

// points returns the specs of the grid.
func (s *Search) points() ([]*Result, error) {
	points, err := combine(s.Axes)
	if err != nil {
		return nil, err
	}
	var out []*Result
	for i, p := range points {
		sp, err := apply(s.Text, p)
		if err != nil {
			return nil, fmt.Errorf("the point %v: %w", p, err)
		}
		out = append(out, &Result{Point: p, order: i, Spec: sp})
	}
	return out, nil
}

// groups puts points together that count alike.
func groups(results []*Result) [][]*Result {
	var out [][]*Result
	at := map[spec.Fingerprint]int{}
	for _, r := range results {
		f := r.Spec.Counting()
		i, ok := at[f]
		if !ok {
			i = len(out)
			at[f], out = i, append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

type search struct {
	*Search
	labels   []string
	division *division
	task     *progress.Task
	asItIs   *Result // the last of all; nil: without the grid it is no spec
}

// group tries the points of one way of counting.
func (s *search) group(ctx context.Context, points []*Result) error {
	c, err := s.read(points[0].Spec)
	if err != nil && points[0] == s.asItIs { // the grid may name what the spec lacks
		s.asItIs.Problem = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, r := range points {
		workers.Go(func() error {
			defer s.task.Add(1)
			return s.evaluate(ctx, c, s.division.choose, r)
		})
	}
	return workers.Wait()
}

// read reads the documents, and divides them the first time.
func (s *search) read(sp *spec.Spec) (*experiment.Corpus, error) {
	c, err := s.Read(sp)
	if err != nil {
		return nil, err
	}
	if s.division == nil {
		s.labels = c.Labels()
		if s.Fewer {
			s.Way.Folds = min(s.Way.Folds, len(s.labels))
		}
		s.division, err = s.Way.divide(c)
		return c, err
	}
	if !slices.Equal(s.labels, c.Labels()) {
		return nil, fmt.Errorf("%d documents can be used at one point of the grid and %d at another: their scores cannot "+
			"be compared; mend or remove the records that are skipped", len(s.labels), len(c.Documents))
	}
	return c, nil
}

// evaluate sets the scores of r.
func (s *search) evaluate(ctx context.Context, c *experiment.Corpus, splits []evaluate.Split, r *Result) error {
	ctx = progress.With(ctx, nil) // points run side by side: their folds would show in turns
	own := &experiment.Corpus{Spec: r.Spec, Documents: c.Documents, Files: c.Files}
	got, err := experiment.CrossValidate(ctx, own, splits, evaluate.Options{Unranked: true})
	if unfit, ok := errors.AsType[*experiment.UnfitError](err); ok {
		r.Problem = unfit.Problems[0]
		return nil
	}
	if err != nil {
		return err
	}
	confusion := got.Scores.Confusion()
	r.Accuracy = evaluate.Number(confusion.Accuracy())
	r.MacroF1 = evaluate.Number(confusion.Macro().F1)
	r.LogLoss = evaluate.Number(got.Scores.LogLoss())
	var folds []float64
	for _, f := range got.Splits {
		folds = append(folds, f.Confusion().Accuracy())
	}
	r.Spread = evaluate.Number(evaluate.Summarise(folds).SD)
	return nil
}

// test learns all but the documents set aside by the best spec, and tests on these.
func (s *search) test(ctx context.Context, best *Result) (*Result, error) {
	if s.division.final == nil {
		return nil, nil //nolint:nilnil // nothing was set aside
	}
	c, err := s.read(best.Spec)
	if err != nil {
		return nil, err
	}
	r := &Result{Point: best.Point, Spec: best.Spec}
	return r, s.evaluate(ctx, c, []evaluate.Split{*s.division.final}, r)
}

// Way is a method of dividing documents.
type Way struct {
	Folds    int     // of cross-validation; 0: Holdout
	Holdout  float64 // share of the documents that points are compared on
	Test     float64 // share that is set aside for the final test
	Seed     uint64
	Stratify bool
}

// division is the result of a Way.
type division struct {
	choose []evaluate.Split // to compare points on
	final  *evaluate.Split  // to test the best point on; nil: nothing was set aside
}

func (w Way) divide(c *experiment.Corpus) (*division, error) {
	labels := c.Labels()
	plan := evaluate.Plan{N: len(labels), Seed: w.Seed}
	if w.Stratify {
		plan.Labels = labels
	}
	if w.Folds == 0 {
		choose, final, err := plan.ThreeWay(w.Holdout, w.Test)
		return &division{choose: []evaluate.Split{choose}, final: &final}, err
	}
	if w.Test == 0 {
		folds, err := plan.Folds(w.Folds)
		return &division{choose: folds}, err
	}
	outer, err := plan.Holdout(w.Test)
	if err != nil {
		return nil, err
	}
	inner := evaluate.Plan{N: len(outer.Train), Seed: w.Seed, Round: 1}
	for _, i := range outer.Train {
		if w.Stratify {
			inner.Labels = append(inner.Labels, labels[i])
		}
	}
	folds, err := inner.Folds(w.Folds)
	if err != nil {
		return nil, err
	}
	for _, s := range folds {
		translate(s.Train, outer.Train)
		translate(s.Test, outer.Train)
	}
	return &division{choose: folds, final: &outer}, nil
}

// translate replaces indexes of a list by its elements.
func translate(places, list []int) {
	for i, p := range places {
		places[i] = list[p]
	}
}
