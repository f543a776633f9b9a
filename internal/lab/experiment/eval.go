package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bayestream/internal/cli/progress"
	"bayestream/internal/lab/evaluate"
	"bayestream/internal/model"
)

// Result is how well a spec did on a division of documents.
type Result struct {
	Scores  *evaluate.Scores   // of all tests together
	Folds   []*evaluate.Scores // of each test
	Tracker *evaluate.Tracker  // prequential only
}

// tester scores documents against a model.
type tester struct {
	corpus   *Corpus
	model    *model.Model
	builder  *model.Builder
	scorer   *model.Scorer
	decision model.Decision
	outcome  evaluate.Outcome
	options  evaluate.Options
	result   *Result
	task     *progress.Task
}

func newTester(c *Corpus, o evaluate.Options) *tester {
	return &tester{
		corpus: c, model: model.New(c.Spec), builder: model.NewBuilder(c.Spec), scorer: model.NewScorer(), options: o,
		result: &Result{Scores: evaluate.NewScores(o)},
	}
}

// Splits learns and tests each split. Where nothing is frozen it learns everything once and, for each
// split, takes out what the split does not learn: exact unlearning makes that the same as learning the
// rest from nothing, and a pass over the data instead of one for each fold.
func Splits(ctx context.Context, c *Corpus, splits []evaluate.Split, o evaluate.Options) (*Result, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	t := newTester(c, o)
	if err := t.corpus.learn(t.model, t.builder, c.all()); err != nil {
		return nil, err
	}
	unlearn := !t.frozen()
	documents := 0
	for _, s := range splits {
		documents += len(s.Test)
	}
	t.begin(ctx, documents)
	defer t.task.End()
	for i, s := range splits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.task.Rename(fmt.Sprintf("testing, part %d of %d", i+1, len(splits)))
		out := complement(s.Train, len(c.Documents))
		if unlearn && len(out) <= len(s.Train) {
			if err := t.without(out, s.Test); err != nil {
				return nil, err
			}
			continue
		}
		if err := t.fresh(s); err != nil {
			return nil, err
		}
	}
	return t.result, nil
}

// begin shows how many of so many documents have been tested.
func (t *tester) begin(ctx context.Context, documents int) {
	t.task = progress.From(ctx).Begin("testing", "docs", int64(documents))
}

func (t *tester) frozen() bool {
	for _, table := range t.model.Tables() {
		if table.Frozen() {
			return true
		}
	}
	return false
}

// complement returns the numbers below n that are not in the ascending list.
func complement(list []int, n int) []int {
	var out []int
	for i, j := 0, 0; i < n; i++ {
		if j < len(list) && list[j] == i {
			j++
			continue
		}
		out = append(out, i)
	}
	return out
}

// without tests by the model without some documents.
func (t *tester) without(out, test []int) error {
	if err := t.corpus.unlearn(t.model, t.builder, out); err != nil {
		return err
	}
	if err := t.test(t.model, t.corpus, test); err != nil {
		return err
	}
	return t.corpus.learn(t.model, t.builder, out)
}

// fresh tests by a model that has learned the split's training documents only.
func (t *tester) fresh(s evaluate.Split) error {
	m := model.New(t.corpus.Spec)
	if err := t.corpus.learn(m, t.builder, s.Train); err != nil {
		return err
	}
	return t.test(m, t.corpus, s.Test)
}

// test scores documents and keeps the scores as a fold of their own.
func (t *tester) test(m *model.Model, c *Corpus, indexes []int) error {
	if problems := m.Problems(); len(problems) > 0 {
		return &UnfitError{Problems: problems}
	}
	fold := evaluate.NewScores(t.options)
	for _, i := range indexes {
		if err := t.score(m, &c.Documents[i], fold); err != nil {
			return err
		}
	}
	t.result.Folds = append(t.result.Folds, fold)
	return nil
}

func (t *tester) score(m *model.Model, d *Document, fold *evaluate.Scores) error {
	t.scorer.Decide(&t.decision, m, d.Features, d.ID, model.Options{Evidence: -1})
	t.outcome.SetDecision(d.Label, &t.decision)
	t.task.Add(1)
	if fold != nil {
		if err := fold.Add(&t.outcome); err != nil {
			return err
		}
	}
	return t.result.Scores.Add(&t.outcome)
}

// UnfitError says that blocks of numbers cannot be evaluated for some classes.
type UnfitError struct{ Problems []string }

func (e *UnfitError) Error() string {
	return strings.Join(e.Problems, "\n") + "\ngive the classes more rows, drop the fields, or set var_smoothing, shrinkage or reg_param in the spec"
}

// TrainTest learns one corpus and tests on another of the same spec.
func TrainTest(ctx context.Context, train, test *Corpus, o evaluate.Options) (*Result, error) {
	if err := train.checkClasses(); err != nil {
		return nil, err
	}
	t := newTester(train, o)
	t.begin(ctx, len(test.Documents))
	defer t.task.End()
	if err := train.learn(t.model, t.builder, train.all()); err != nil {
		return nil, err
	}
	return t.result, t.test(t.model, test, test.all())
}

// LeaveOneOut tests every document by the model that has learned all others.
func LeaveOneOut(ctx context.Context, c *Corpus, o evaluate.Options) (*Result, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	t := newTester(c, o)
	if err := c.learn(t.model, t.builder, c.all()); err != nil {
		return nil, err
	}
	if t.frozen() {
		return nil, errors.New("the vocabulary reached limits.terms, so that documents cannot be taken out exactly: raise it, or use --cv")
	}
	t.begin(ctx, len(c.Documents))
	defer t.task.End()
	one := make([]int, 1)
	for i := range c.Documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one[0] = i
		if err := c.unlearn(t.model, t.builder, one); err != nil {
			return nil, err
		}
		if problems := t.model.Problems(); len(problems) > 0 {
			return nil, fmt.Errorf("without %s: %w", c.Documents[i].ID, &UnfitError{Problems: problems})
		}
		if err := t.score(t.model, &c.Documents[i], nil); err != nil {
			return nil, err
		}
		if err := c.learn(t.model, t.builder, one); err != nil {
			return nil, err
		}
	}
	return t.result, nil
}

// Prequential tests every document before it is learned, in order. A document's label comes only delay
// documents later.
func Prequential(ctx context.Context, c *Corpus, o evaluate.Options, track evaluate.TrackerOptions, delay int) (*Result, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	t := newTester(c, o)
	t.result.Tracker = evaluate.NewTracker(track)
	waiting := evaluate.NewDelay[int](delay)
	t.begin(ctx, len(c.Documents))
	defer t.task.End()
	one := make([]int, 1)
	for i := range c.Documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.score(t.model, &c.Documents[i], nil); err != nil {
			return nil, err
		}
		if err := t.result.Tracker.Add(&t.outcome); err != nil {
			return nil, err
		}
		due, ok := waiting.Push(i)
		if !ok {
			continue
		}
		one[0] = due
		if err := c.learn(t.model, t.builder, one); err != nil {
			return nil, err
		}
	}
	return t.result, nil
}
