// Package counting finds out how the texts of files are counted best: it evaluates the presets by
// cross-validation on a sample of the documents.
//
// A race cannot find that out, since its candidates read one table. How a text is counted is fixed
// before the first record, so it is chosen once, on documents that are at hand.
package counting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"

	"golang.org/x/sync/errgroup"
)

const (
	// Least is how many documents a choice takes at least: fewer do not tell ways to count apart.
	Least = 200
	// folds is the number of folds that ways to count are compared on.
	folds = 5
)

// Usual is the name of the way to count of a spec that says nothing.
const Usual = "default"

// Way is a way to count texts.
type Way struct {
	Name   string // of the preset, or Usual; perhaps with corrections
	Spec   *spec.Spec
	Preset *spec.Preset // what it sets of the text
}

// Ways returns the ways to count the text of a spec, the usual one first: it, and with what each
// preset sets of the text. A preset for mails names a loss, which is for its user to name.
func Ways(s *spec.Spec) ([]Way, error) {
	ways := []Way{{Usual, s, &spec.Preset{Name: Usual, About: "all texts"}}}
	for i := range spec.Presets {
		p := &spec.Presets[i]
		if len(p.Decision) > 0 {
			continue
		}
		counted, err := p.Count(s)
		if err != nil {
			return nil, fmt.Errorf("preset %s: %w", p.Name, err)
		}
		ways = append(ways, Way{p.Name, counted, p})
	}
	return ways, nil
}

// Trial is what became of the documents of a sample in each way.
type Trial struct {
	Ways []Way // those to compare, and perhaps the best of them with corrections, at the end

	ids   []string
	tests []map[string]test // by way, by id
	best  int               // of the ways without corrections, on all documents
	// without is that way, and with are those with corrections, on as many documents or more.
	without map[string]test
	with    []map[string]test
}

// test is a document that was decided by what was learned from others.
type test struct {
	right bool
	loss  float64 // in nats
}

// NewTrial cross-validates the documents of a sample in each way. There are no tests of fewer than
// Least documents, or of one class.
func NewTrial(ctx context.Context, ways []Way, s *Sample) (*Trial, error) {
	s.shrink()
	t := &Trial{Ways: ways, tests: make([]map[string]test, len(ways))}
	if len(s.kept) < Least {
		return t, nil
	}
	part := s.part()
	for _, k := range part {
		t.ids = append(t.ids, k.record.ID)
	}
	specs := make([]*spec.Spec, len(ways))
	for i, way := range ways {
		specs[i] = way.Spec
	}
	tests, err := testAll(ctx, specs, part, folds)
	if err == nil {
		t.tests = tests
		err = t.correct(ctx, s)
	}
	if errors.As(err, new(*experiment.OneClassError)) {
		return &Trial{Ways: ways}, nil
	}
	return t, err
}

// correct tests the way that is chosen, and others with corrections. What they gain grows with the
// documents, so the whole sample is tested, in fewer folds if it is large.
func (t *Trial) correct(ctx context.Context, s *Sample) error {
	c := t.Choose(func(string) bool { return true })
	if c == nil {
		return nil
	}
	t.best = c.Chosen
	ways := t.corrected(c)
	var specs []*spec.Spec
	for _, way := range ways {
		specs = append(specs, way.Spec)
	}
	isTested := len(s.kept) == len(t.ids) // in as many folds
	if !isTested {
		specs = append(specs, t.Ways[t.best].Spec)
	}
	tests, err := testAll(ctx, specs, s.kept, min(folds, max(1, 2*mostBytes/max(1, s.bytes))))
	if err != nil {
		return err
	}
	t.without = t.tests[t.best]
	if !isTested {
		t.without = tests[len(ways)]
	}
	t.with = tests[:len(ways)]
	t.Ways = append(slices.Clip(t.Ways), ways...)
	return nil
}

// corrected returns the best way of words alone and the best of pairs, with corrections: pairs gain
// more from these, and only pairs from those of characters. There is none if they may have none.
func (t *Trial) corrected(c *Choice) (ways []Way) {
	for _, isPairs := range []bool{false, true} {
		i := slices.IndexFunc(c.Scores, func(s Score) bool { return t.Ways[s.Way].Spec.Text.NGrams > 1 == isPairs })
		if i < 0 {
			continue
		}
		way := t.Ways[c.Scores[i].Way]
		if corrected, isPossible := way.Spec.WithCorrections(false); isPossible {
			ways = append(ways, Way{way.Name + " with corrections", corrected, way.Preset.With(spec.Corrections)})
		}
		if corrected, isPossible := way.Spec.WithCorrections(true); isPossible && isPairs {
			ways = append(ways, Way{way.Name + " with corrections of characters", corrected,
				way.Preset.With(spec.Corrections).With(spec.Characters)})
		}
	}
	return ways
}

// testAll tests records as each of several specs counts them, in some of the five folds.
func testAll(ctx context.Context, specs []*spec.Spec, records []kept, tested int) ([]map[string]test, error) {
	tests := make([]map[string]test, len(specs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range specs {
		g.Go(func() (err error) {
			tests[i], err = testOne(ctx, s.WithPlainTerms(), records, tested)
			return err
		})
	}
	return tests, g.Wait()
}

// testOne tests records as a spec counts them, in some of the five folds.
func testOne(ctx context.Context, s *spec.Spec, records []kept, tested int) (map[string]test, error) {
	// A reader has refused what cannot be used, so that all ways skip the same records.
	bad := &dataset.OnBad{Skip: true}
	c, err := experiment.ReadCorpus(s, &reader{left: records}, bad)
	if err != nil {
		return nil, err
	}
	plan := evaluate.Plan{N: len(c.Documents), Labels: c.Labels(), Seed: 1}
	splits, err := plan.Folds(folds)
	if err != nil {
		return nil, err
	}
	tests := make(map[string]test, len(c.Documents))
	keep := func(o *evaluate.Outcome) error {
		tests[o.ID] = test{o.Label == o.Truth, o.Loss()}
		return nil
	}
	parts := []experiment.Part{{Corpus: c, Splits: splits[:tested], LedByAll: true}}
	_, err = experiment.CrossValidateParts(progress.With(ctx, nil), parts, evaluate.Options{Unranked: true, Each: keep})
	return tests, err
}

// Score is what a way to count achieves.
type Score struct {
	Way      int     // its place among the ways of the trial
	Accuracy float64 // share of labels that are right
	LogLoss  float64 // in nats
}

func (s Score) String() string {
	return fmt.Sprintf("accuracy %.4f and log loss %.4f", s.Accuracy, s.LogLoss)
}

// Choice is the outcome of a trial.
type Choice struct {
	Documents int
	Scores    []Score // of the ways without corrections, the best first
	plain     int     // of these the best, if it is better than the usual one by more than chance, else that one, 0
	// Chosen is the place of the way that was chosen: plain, or one with corrections, if it saves more
	// than chance does.
	Chosen int
	// Corrected are the scores of the chosen way without corrections and of the best with them, on as
	// many documents or more; nil: none was tested with them.
	Corrected *Corrected
}

// Corrected compares the chosen way to count with the best one that has corrections.
type Corrected struct {
	way           int // with corrections
	Documents     int
	Without, With float64 // accuracy
}

func (t test) cost() float64 { return race.Cost(t.right, t.loss) }

// rightness is 1 for a document that is right, else 0.
func (t test) rightness() float64 {
	if t.right {
		return 1
	}
	return 0
}

// Choose compares the ways on the documents whose ids fit. It returns nil if these are fewer than
// Least.
func (t *Trial) Choose(fits func(id string) bool) *Choice {
	scores := make([]Score, len(t.tests))
	saved := make([][]float64, len(t.tests)) // by way, by document: of the cost in the usual way
	n := 0
	for _, id := range t.ids {
		usual, tested := t.tests[0][id]
		if !tested || !fits(id) {
			continue
		}
		n++
		for way := range scores {
			one := t.tests[way][id]
			scores[way].LogLoss += one.loss
			scores[way].Accuracy += one.rightness()
			saved[way] = append(saved[way], usual.cost()-one.cost())
		}
	}
	if n < Least {
		return nil
	}
	saves := make([]evaluate.Summary, len(scores))
	for way := range scores {
		scores[way] = Score{way, scores[way].Accuracy / float64(n), scores[way].LogLoss / float64(n)}
		saves[way] = evaluate.Summarise(saved[way])
	}
	slices.SortStableFunc(scores, func(a, b Score) int { return cmp.Compare(saves[b.Way].Mean, saves[a.Way].Mean) })
	c := &Choice{Documents: n, Scores: scores}
	if best := scores[0].Way; saves[best].IsMoreThanChance(1) {
		c.plain = best
	}
	c.Chosen = c.plain
	if c.plain == t.best {
		t.chooseCorrected(c, fits)
	}
	return c
}

// chooseCorrected chooses the way with corrections that saves most, if it makes fewer errors, and saves
// more than chance does by two standard errors: corrections cost time.
func (t *Trial) chooseCorrected(c *Choice, fits func(id string) bool) {
	var most evaluate.Summary
	for i, with := range t.with {
		corrected, saved := t.compare(with, fits)
		if saved.N == 0 || c.Corrected != nil && saved.Mean <= most.Mean {
			continue
		}
		corrected.way = len(t.tests) + i
		c.Corrected = corrected
		most = saved
	}
	if c.Corrected != nil && c.Corrected.With > c.Corrected.Without && most.IsMoreThanChance(2) {
		c.Chosen = c.Corrected.way
	}
}

// compare compares a way with corrections with the best one without, on the documents whose ids fit,
// and returns what it saves of each.
func (t *Trial) compare(tests map[string]test, fits func(id string) bool) (*Corrected, evaluate.Summary) {
	var saved []float64
	var right Corrected
	for id, with := range tests {
		without, isTested := t.without[id]
		if !isTested || !fits(id) {
			continue
		}
		saved = append(saved, without.cost()-with.cost())
		right.Without += without.rightness()
		right.With += with.rightness()
	}
	slices.Sort(saved) // a map has no order, and the sum of floats has one
	n := float64(len(saved))
	return &Corrected{Documents: len(saved), Without: right.Without / n, With: right.With / n}, evaluate.Summarise(saved)
}

// Reason says in a line how the documents are counted, and why.
func (c *Choice) Reason(ways []Way) string {
	scoreOf := func(way int) Score {
		return c.Scores[slices.IndexFunc(c.Scores, func(s Score) bool { return s.Way == way })]
	}
	if c.Chosen != c.plain {
		return fmt.Sprintf("words are counted as %s: accuracy %.4f on %d documents, %.4f as %s without",
			ways[c.Chosen].Name, c.Corrected.With, c.Corrected.Documents, c.Corrected.Without, ways[c.plain].Name)
	}
	chosen, best := scoreOf(c.plain), c.Scores[0]
	reason := fmt.Sprintf("words are counted as %s, of %d ways the best by errors and log loss", ways[chosen.Way].Name,
		len(c.Scores))
	other := scoreOf(0)
	if best.Way != chosen.Way {
		reason = fmt.Sprintf("words are counted as %s: of %d ways none is better by more than chance",
			ways[chosen.Way].Name, len(c.Scores))
		other = best
	}
	reason += fmt.Sprintf(" in %d folds of %d documents: %s", folds, c.Documents, chosen)
	if other.Way != chosen.Way {
		reason += fmt.Sprintf(", as %s %s", ways[other.Way].Name, other)
	}
	if c.Corrected != nil {
		reason += fmt.Sprintf("; as %s accuracy %.4f instead of %.4f on %d documents, which may be chance",
			ways[c.Corrected.way].Name, c.Corrected.With, c.Corrected.Without, c.Corrected.Documents)
	}
	return reason
}

// Table returns the scores as lines of text, the best first, with the names of the ways.
func (c *Choice) Table(ways []Way) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%10s%10s  COUNTED AS\n", "ACCURACY", "LOG LOSS")
	for _, s := range c.Scores {
		fmt.Fprintf(&b, "%10.4f%10.4f  %s\n", s.Accuracy, s.LogLoss, ways[s.Way].Name)
	}
	return b.String()
}
