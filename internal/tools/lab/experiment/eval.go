package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/counts"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/evaluate"
)

// Result holds the scores of a spec on test documents.
type Result struct {
	Scores  *evaluate.Scores   // of all test documents
	Splits  []*evaluate.Scores // of the test documents of each split
	Tracker *evaluate.Tracker  // prequential evaluation only
	Leaders []race.Leader      // where candidates race: what led, by split; of a stream at its end
	Scored  map[string]int     // likewise, test documents by the candidate that scored them
}

// tester scores the decisions of a model on documents.
type tester struct {
	corpus   *Corpus
	model    *model.Model
	builder  *model.Builder
	scorer   *model.Scorer
	decision model.Decision
	outcome  evaluate.Outcome
	options  evaluate.Options
	result   *Result
	split    int         // the number of the split that is tested, from 1
	splits   int         // how many there are
	leads    *race.State // in each split; nil: what leads on its documents
	isQuick  bool        // documents correct once
	task     *progress.Task
}

// newTester returns a tester that shows how many of so many documents are tested. Its task must be ended.
func newTester(ctx context.Context, c *Corpus, o evaluate.Options, documents int) *tester {
	t := &tester{
		scorer: model.NewScorer(), options: o,
		result: &Result{Scores: evaluate.NewScores(o), Scored: map[string]int{}},
		task:   progress.From(ctx).Begin("testing", "docs", int64(documents)),
	}
	t.begin(c)
	return t
}

// Part is some of the splits of an evaluation, with the documents as they are counted in these.
type Part struct {
	Corpus *Corpus
	Splits []evaluate.Split
	// LedByAll lets what leads on all documents decide in each split, instead of what leads on those
	// that it learns, and documents correct once: for a comparison of ways to count, in less time.
	LedByAll bool
}

// CrossValidate trains and tests on each split. If no vocabulary is frozen it trains on all
// documents once and unlearns, for each split, those that the split does not train on. Unlearning
// is exact, so the result is the same as training each split from scratch, in one pass over the
// data instead of one for each split.
func CrossValidate(ctx context.Context, c *Corpus, splits []evaluate.Split, o evaluate.Options) (*Result, error) {
	return CrossValidateParts(ctx, []Part{{Corpus: c, Splits: splits}}, o)
}

// CrossValidateParts is CrossValidate of splits that do not count the documents alike.
func CrossValidateParts(ctx context.Context, parts []Part, o evaluate.Options) (*Result, error) {
	documents, splits := 0, 0
	for _, part := range parts {
		if err := part.Corpus.checkClasses(); err != nil {
			return nil, err
		}
		splits += len(part.Splits)
		for _, s := range part.Splits {
			documents += len(s.Test)
		}
	}
	t := newTester(ctx, parts[0].Corpus, o, documents)
	defer t.task.End()
	t.splits = splits
	for _, part := range parts {
		t.begin(part.Corpus)
		if err := t.crossValidate(ctx, &part); err != nil {
			return nil, err
		}
	}
	return t.result, nil
}

// begin makes a corpus that of the next splits.
func (t *tester) begin(c *Corpus) {
	t.corpus, t.model, t.builder = c, model.New(c.Spec), model.NewBuilder(c.Spec)
}

// crossValidate adds the scores of a part.
func (t *tester) crossValidate(ctx context.Context, part *Part) (err error) {
	if err := t.corpus.learn(t.model, t.builder, t.corpus.all()); err != nil {
		return err
	}
	t.leads, t.isQuick = nil, part.LedByAll
	if part.LedByAll && !t.corpus.Spec.Corrects() { // only what a split learns corrects there
		if t.leads, err = t.corpus.choose(t.model, t.corpus.all(), true); err != nil {
			return err
		}
	}
	canUnlearn := !t.frozen()
	for _, s := range part.Splits {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.split++
		t.task.Rename(fmt.Sprintf("testing, part %d of %d", t.split, t.splits))
		out := without(t.corpus.all(), s.Train)
		test := t.testFromScratch
		if canUnlearn && len(out) <= len(s.Train) {
			test = func(s evaluate.Split) error { return t.testWithout(out, s.Test) }
		}
		if err := test(s); err != nil {
			return err
		}
	}
	return nil
}

// frozen reports whether a vocabulary reached its limit, so that documents cannot be unlearned
// exactly.
func (t *tester) frozen() bool {
	return slices.ContainsFunc(t.model.Tables(), (*counts.Table).Frozen)
}

// testWithout tests the model with the documents out unlearned.
func (t *tester) testWithout(out, test []int) error {
	if err := t.corpus.apply(t.model, t.builder, out, -1); err != nil {
		return err
	}
	if err := t.choose(t.model, without(t.corpus.all(), out)); err != nil {
		return err
	}
	if err := t.test(t.model, t.corpus, test); err != nil {
		return err
	}
	return t.corpus.learn(t.model, t.builder, out)
}

// testFromScratch tests a new model of the split's training documents.
func (t *tester) testFromScratch(s evaluate.Split) error {
	m := model.New(t.corpus.Spec)
	if err := t.corpus.learn(m, t.builder, s.Train); err != nil {
		return err
	}
	if err := t.choose(m, s.Train); err != nil {
		return err
	}
	return t.test(m, t.corpus, s.Test)
}

// test scores documents of a corpus and adds the scores of a split.
func (t *tester) test(m *model.Model, c *Corpus, indexes []int) error {
	if err := Fits(m); err != nil {
		return err
	}
	split := evaluate.NewScores(evaluate.Options{Unranked: t.options.Unranked})
	for _, i := range indexes {
		if err := t.score(m, &c.Documents[i], split); err != nil {
			return err
		}
	}
	t.result.Splits = append(t.result.Splits, split)
	return nil
}

// score adds the decision on a document to the scores of all and, unless it is nil, of the split.
func (t *tester) score(m *model.Model, d *Document, split *evaluate.Scores) error {
	t.scorer.Decide(&t.decision, m, d.Features, d.ID, model.Options{Evidence: -1})
	t.outcome.SetDecision(d.Label, &t.decision)
	if by := t.decision.Scoring.Candidate; by != "" {
		t.result.Scored[by]++
	}
	t.outcome.ID, t.outcome.Text = d.ID, d.Begin
	t.task.Add(1)
	if split != nil {
		if err := split.Add(&t.outcome); err != nil {
			return err
		}
	}
	return t.result.Scores.Add(&t.outcome)
}

// UnfitError reports blocks that cannot be evaluated for some classes.
type UnfitError struct {
	Problems []string
	Unseen   []string // fields that no document had
	Numbers  bool     // the model has blocks of numbers
}

// Fits returns an *UnfitError if a model has blocks that cannot be evaluated.
func Fits(m *model.Model) error {
	problems := m.Problems()
	if len(problems) == 0 {
		return nil
	}
	return &UnfitError{Problems: problems, Unseen: m.Unseen(), Numbers: len(m.Spec().Numbers) > 0}
}

func (e *UnfitError) Error() string {
	if len(e.Unseen) > 0 {
		return strings.Join(e.Problems, "\n") + "\nname the fields of the spec as the records " +
			"do, or say under from in the spec where they stand"
	}
	if !e.Numbers {
		return strings.Join(e.Problems, "\n") + "\ngive the classes more documents, drop the " +
			"fields, or set alpha above 0 in the spec"
	}
	return strings.Join(e.Problems, "\n") +
		"\ngive the classes more rows, drop the fields, or set var_smoothing (1e-9 is usual; it is 0 if it is not set), " +
		"shrinkage or reg_param in the spec"
}

// TrainTest trains on one corpus and tests on another of the same spec.
func TrainTest(ctx context.Context, train, test *Corpus, o evaluate.Options) (*Result, error) {
	if err := train.checkClasses(); err != nil {
		return nil, err
	}
	t := newTester(ctx, train, o, len(test.Documents))
	defer t.task.End()
	if err := train.learn(t.model, t.builder, train.all()); err != nil {
		return nil, err
	}
	if err := t.choose(t.model, train.all()); err != nil {
		return nil, err
	}
	return t.result, t.test(t.model, test, test.all())
}

// TestModel tests a model that exists on all documents of a corpus of its spec.
func TestModel(ctx context.Context, m *model.Model, c *Corpus, o evaluate.Options) (*Result, error) {
	t := newTester(ctx, c, o, len(c.Documents))
	defer t.task.End()
	return t.result, t.test(m, c, c.all())
}

// LeaveOneOut tests every document with a model of all others. Where candidates race, their leader
// on all documents decides.
func LeaveOneOut(ctx context.Context, c *Corpus, o evaluate.Options) (*Result, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	if c.Spec.Corrects() {
		return nil, errors.New("text.corrections is set, and what a document has others correct cannot be " +
			"unlearned: use --cv")
	}
	t := newTester(ctx, c, o, len(c.Documents))
	defer t.task.End()
	if err := c.learn(t.model, t.builder, c.all()); err != nil {
		return nil, err
	}
	if t.frozen() {
		return nil, errors.New("the vocabulary reached limits.terms, so documents cannot be " +
			"unlearned exactly: raise it, or use --cv")
	}
	if err := t.choose(t.model, c.all()); err != nil {
		return nil, err
	}
	one := make([]int, 1)
	for i := range c.Documents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one[0] = i
		if err := c.apply(t.model, t.builder, one, -1); err != nil {
			return nil, err
		}
		if err := Fits(t.model); err != nil {
			return nil, fmt.Errorf("without %s: %w", c.Documents[i].ID, err)
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

// Prequential tests each document, in order, before the model learns it. The tracker has a window of so
// many documents.
func Prequential(ctx context.Context, c *Corpus, o evaluate.Options, window int) (*Result, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	t := newTester(ctx, c, o, len(c.Documents))
	defer t.task.End()
	t.result.Tracker = evaluate.NewTracker(window)
	runner := newRunner(c)
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
		runner.score(t.model, &c.Documents[i])
		if err := runner.learn(t.model, t.builder, &c.Documents[i]); err != nil {
			return nil, err
		}
	}
	if runner != nil {
		t.result.Leaders = append(t.result.Leaders, runner.race.Leader())
	}
	return t.result, nil
}
