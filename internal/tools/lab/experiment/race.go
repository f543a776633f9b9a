package experiment

import (
	"fmt"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/tools/lab/choice"
)

// choose lets the leader among the candidates decide, by the documents at the indexes, which the
// model has learned; no others correct from here on. They correct once, or in rounds where that pays.
// It returns nil where no candidates race.
func (c *Corpus) choose(m *model.Model, indexes []int, once bool) (*race.State, error) {
	if c.Spec.Race == nil {
		return nil, nil //nolint:nilnil // no race
	}
	sample := choice.NewSample(c.Spec, 0)
	for _, i := range indexes {
		d := &c.Documents[i]
		if sample.Learn(d.Key) {
			sample.Add(d.Key, d.Label, d.Weight, d.Features)
		}
	}
	m.DropCorrections()
	r := race.NewState(race.Of(c.Spec))
	choose := sample.Choose
	if once {
		choose = sample.Race
	}
	if err := choose(m, r); err != nil {
		return nil, fmt.Errorf("choose what decides: %w", err)
	}
	return r, nil
}

// choose is Corpus.choose; the result says what decided.
func (t *tester) choose(m *model.Model, indexes []int) error {
	if t.leads != nil {
		m.Lead(t.leads)
		return nil
	}
	r, err := t.corpus.choose(m, indexes, t.isQuick)
	if r != nil {
		t.result.Leaders = append(t.result.Leaders, r.Leader())
	}
	return err
}

// runner races as a stream does: each document is scored before it is learned.
type runner struct {
	race  *race.State
	trial *model.Trial
	judge *model.Judge
}

// newRunner returns nil where no candidates race.
func newRunner(c *Corpus) *runner {
	if c.Spec.Race == nil {
		return nil
	}
	r := &runner{race.NewState(race.Of(c.Spec)), model.NewTrial(), model.NewJudge()}
	r.trial.Use(r.race.List())
	return r
}

// score scores a document that the model has not learned, if it is one of those that are. No runner
// scores nothing.
func (r *runner) score(m *model.Model, d *Document) {
	if r == nil || !r.trial.Draws(m, m.Classes().Total(), d.Key) {
		return
	}
	r.trial.Reset()
	r.trial.Race(m, r.race, d.Features, d.Label)
	r.race.Fold(r.race.List().Fingerprint(), r.trial.Sums)
	m.Lead(r.race)
}

// learn has the model learn a document, which perhaps corrects it. No runner corrects nothing.
func (r *runner) learn(m *model.Model, b *model.Builder, d *Document) error {
	b.Reset()
	b.Observe(d.Label, d.Weight, d.Features)
	if r != nil {
		r.judge.Correct(m, b, d.Label, d.Weight, d.Features, d.Key)
	}
	return m.Apply(b.Delta())
}
