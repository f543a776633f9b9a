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
	"math"
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
	Ways []Way // those to compare, and perhaps the best of them with corrections

	ids   []string
	tests []map[string]test // by way, by id
	best  int               // of the ways without corrections
	more  int               // ways behind them: one, the best with corrections, or none
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
	for _, k := range s.kept {
		t.ids = append(t.ids, k.record.ID)
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, way := range ways {
		g.Go(func() (err error) {
			t.tests[i], err = testWay(ctx, way.Spec.WithPlainTerms(), s)
			return err
		})
	}
	err := g.Wait()
	if err == nil {
		err = t.correct(ctx, s)
	}
	if errors.As(err, new(*experiment.OneClassError)) {
		return &Trial{Ways: ways}, nil
	}
	return t, err
}

// correct tests the way that is chosen with corrections, too.
func (t *Trial) correct(ctx context.Context, s *Sample) error {
	t.best = t.Choose(func(string) bool { return true }).Chosen()
	way := t.Ways[t.best]
	corrected, isPossible := way.Spec.WithCorrections()
	if !isPossible {
		return nil
	}
	tests, err := testWay(ctx, corrected.WithPlainTerms(), s)
	t.Ways = append(slices.Clip(t.Ways), Way{way.Name + " with corrections", corrected, way.Preset.With(spec.Corrections)})
	t.tests = append(t.tests, tests)
	t.more = 1
	return err
}

// compared returns how many ways are compared on the documents whose ids fit: that with corrections
// if it saves more there than chance does.
func (t *Trial) compared(fits func(id string) bool) int {
	plain := len(t.tests) - t.more
	if t.more == 0 {
		return plain
	}
	var saved []float64
	for _, id := range t.ids {
		if one, isTested := t.tests[t.best][id]; isTested && fits(id) {
			saved = append(saved, one.cost()-t.tests[plain][id].cost())
		}
	}
	if !isMoreThanChance(evaluate.Summarise(saved), 2) { // they cost time, and not every export has them
		return plain
	}
	return len(t.tests)
}

// testWay cross-validates the documents of a sample as a spec counts them.
func testWay(ctx context.Context, s *spec.Spec, sample *Sample) (map[string]test, error) {
	// A reader has refused what cannot be used, so that all ways skip the same records.
	bad := &dataset.OnBad{Skip: true}
	c, err := experiment.ReadCorpus(s, &reader{left: sample.kept}, bad)
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
	parts := []experiment.Part{{Corpus: c, Splits: splits, LedByAll: true}}
	_, err = experiment.CrossValidateParts(progress.With(ctx, nil), parts, evaluate.Options{Unranked: true, Each: keep})
	return tests, err
}

// Score is what a way to count achieves.
type Score struct {
	Way      int     // its place among the ways of the trial
	Accuracy float64 // share of labels that are right
	LogLoss  float64 // in nats
}

// Choice is the outcome of a trial.
type Choice struct {
	Documents int
	Scores    []Score // the best first
	chosen    int     // a way
}

// Chosen returns the place of the way that was chosen: that of the best score if it is better than
// the usual one by more than chance, else the usual one, 0. So it is where there was no choice.
func (c *Choice) Chosen() int {
	if c == nil {
		return 0
	}
	return c.chosen
}

// cost is what the race of candidates counts for a document, too: an error, and its log loss.
func (t test) cost() float64 {
	cost := min(t.loss, mostLoss) / race.Nats
	if !t.right {
		cost++
	}
	return cost
}

// mostLoss is that of one document: one certain error must not decide.
const mostLoss = float64(race.MaxLoss / race.Unit)

// Choose compares the ways on the documents whose ids fit. It returns nil if these are fewer than
// Least.
func (t *Trial) Choose(fits func(id string) bool) *Choice {
	ways := t.compared(fits)
	scores := make([]Score, ways)
	saved := make([][]float64, ways) // by way, by document: of the cost in the usual way
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
			if one.right {
				scores[way].Accuracy++
			}
			saved[way] = append(saved[way], usual.cost()-one.cost())
		}
	}
	if n < Least {
		return nil
	}
	saves := make([]evaluate.Summary, ways)
	for way := range scores {
		scores[way] = Score{way, scores[way].Accuracy / float64(n), scores[way].LogLoss / float64(n)}
		saves[way] = evaluate.Summarise(saved[way])
	}
	slices.SortStableFunc(scores, func(a, b Score) int { return cmp.Compare(saves[b.Way].Mean, saves[a.Way].Mean) })
	c := &Choice{Documents: n, Scores: scores}
	if best := scores[0].Way; isMoreThanChance(saves[best], 1) {
		c.chosen = best
	}
	return c
}

// isMoreThanChance reports whether what is saved is above zero by more than so many standard errors.
// What is simpler stays if nothing is better by one (Breiman, Friedman, Olshen and Stone 1984, 3.4.3).
func isMoreThanChance(saved evaluate.Summary, errors float64) bool {
	const rounding = 1e-9 // one document that is saved is its own standard error
	return float64(saved.Mean) > (errors+rounding)*float64(saved.SD)/math.Sqrt(float64(saved.N))
}

// Reason says in a line how the documents are counted, and why.
func (c *Choice) Reason(ways []Way) string {
	scoreOf := func(way int) Score {
		return c.Scores[slices.IndexFunc(c.Scores, func(s Score) bool { return s.Way == way })]
	}
	chosen, best := scoreOf(c.chosen), c.Scores[0]
	reason := fmt.Sprintf("words are counted as %s, the best of %d ways", ways[chosen.Way].Name, len(c.Scores))
	other := scoreOf(0)
	if best.Way != chosen.Way {
		reason = fmt.Sprintf("words are counted as %s: of %d ways none is better by more than chance",
			ways[chosen.Way].Name, len(c.Scores))
		other = best
	}
	reason += fmt.Sprintf(" in %d folds of %d documents: accuracy %.4f", folds, c.Documents, chosen.Accuracy)
	if other.Way == chosen.Way {
		return reason
	}
	return fmt.Sprintf("%s, as %s %.4f", reason, ways[other.Way].Name, other.Accuracy)
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
