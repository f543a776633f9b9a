package model

import (
	"math"
	"strings"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/race"
)

// A Trial scores documents by a model before they are learned (prequential evaluation, Dawid 1984).
// It is scratch of one goroutine and may serve one model after another.
type Trial struct {
	Sums    *race.Sums   // of the documents since Reset
	Classes race.Tallies // of those that were decided

	list     *race.List
	racer    *RaceScorer
	scorer   *Scorer
	decision Decision
}

// NewTrial returns a trial without a list.
func NewTrial() *Trial { return &Trial{scorer: NewScorer()} }

// Use has documents scored under a list. What was scored under another one is dropped.
func (t *Trial) Use(l *race.List) {
	if t.list != nil && t.list.Fingerprint() == l.Fingerprint() {
		return
	}
	t.list = l
	t.racer = NewRaceScorer(l)
	t.Sums = race.NewSums(len(l.Scored()))
	t.Classes = race.Tallies{}
}

// Reset empties the trial, which has a list.
func (t *Trial) Reset() {
	t.Sums.Reset()
	t.Classes = race.Tallies{}
}

// List returns what documents are scored under, nil if there is none.
func (t *Trial) List() *race.List { return t.list }

// Draws reports whether a document is scored that a model of so many documents learns next, by its
// key: all are where nothing races, and none by a model without a class.
func (t *Trial) Draws(m *Model, documents int64, key digest.Sum) bool {
	r := m.spec.Race
	return len(m.classes.Live()) > 0 && (r == nil || race.Draws(documents, key, r.Share))
}

// Race scores a document of a class under the candidates, by a model that races so far.
func (t *Trial) Race(m *Model, state *race.State, f *Features, label string) {
	if len(t.list.Scored()) > 0 {
		t.racer.Add(t.Sums, state, m, f, label)
	} else {
		t.Sums.Scored++
	}
}

// Score is Race, and scores what the model decides. It returns the label, "" where there is none.
func (t *Trial) Score(m *Model, state *race.State, f *Features, label string) (decided string) {
	d := &t.decision
	t.scorer.Decide(d, m, f, "", Options{Evidence: -1})
	t.Race(m, state, f, label)
	t.Classes.Score(strings.Clone(label), d.Label)
	right := d.Label == label
	sums := &t.Sums.Decided
	sums.Loss += race.FixedLoss(d.LogLoss(label))
	if !right {
		sums.Errors++
	}
	if d.Labelled {
		sums.Confidence.Add(d.Confidence(), right)
	}
	return d.Label
}

// LogLoss returns -ln P(class | document), infinity for a class that the model does not have.
func (d *Decision) LogLoss(class string) float64 {
	if i := d.indexOf(class); i >= 0 {
		return -d.Classes[i].LogPosterior
	}
	return math.Inf(1)
}
