package main

import (
	"fmt"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
)

// learner decides and learns as ingest does.
type learner struct {
	state    *fold.State
	source   fold.Source
	next     int64 // offset
	builder  *model.Builder
	scorer   *model.Scorer
	racer    *model.RaceScorer // nil: there is no race
	decision model.Decision
	features model.Features
	sums     *race.Sums
	classes  race.Tallies
}

// newLearner returns the learner of a partition: others of its records are drawn than of another
// one.
func newLearner(yaml string, partition uint64) (*learner, error) {
	s, err := spec.Parse([]byte(yaml))
	if err != nil {
		return nil, err
	}
	state := fold.New(false)
	if _, err := state.Fold(fold.Entry{Spec: s}); err != nil {
		return nil, err
	}
	l := &learner{state: state, source: fold.Source{Topic: "training", Partition: int32(partition)},
		builder: model.NewBuilder(s), scorer: model.NewScorer()}
	list := state.Race().List()
	l.sums = race.NewSums(len(list.Scored()))
	if s.Race != nil {
		l.racer = model.NewRaceScorer(list)
	}
	return l, nil
}

// learn makes a delta of n documents count, each of which is scored before if it is drawn. read
// sets the features of the next one, and returns its label.
func (l *learner) learn(n int, read func(*model.Features) string) error {
	l.builder.Reset()
	l.sums.Reset()
	l.classes = race.Tallies{}
	for i := range n {
		label := read(&l.features)
		if l.isDrawn(l.next + int64(i)) {
			l.score(label)
		}
		l.builder.Observe(label, 1, &l.features)
	}
	d := &fold.Delta{Counting: l.state.Counting(), Source: l.source, Start: l.next, End: l.next + int64(n),
		Counts: l.builder.Delta()}
	if l.sums.Scored > 0 {
		d.Scores = &fold.Scores{List: l.state.Race().List().Fingerprint(), Sums: l.sums, Classes: l.classes}
	}
	l.next = d.End
	outcome, err := l.state.Fold(fold.Entry{Offset: l.state.Next(), Delta: d})
	l.state.Settle()
	if err == nil && outcome != fold.Accepted {
		err = fmt.Errorf("a delta is %s", outcome)
	}
	return err
}

// isDrawn reports whether the record at an offset is scored.
func (l *learner) isDrawn(offset int64) bool {
	classes := l.state.Model().Classes()
	switch {
	case len(classes.Live()) == 0:
		return false
	case l.racer == nil:
		return true
	}
	place := digest.Key(l.source.Topic, int(l.source.Partition), int(offset))
	return race.Draws(classes.Total(), place, l.state.Spec().Race.Share)
}

// score scores the document, by the model as it is before the delta.
func (l *learner) score(label string) {
	m := l.state.Model()
	l.scorer.Decide(&l.decision, m, &l.features, "", model.Options{Evidence: -1})
	if l.racer != nil {
		l.racer.Add(l.sums, l.state.Race(), m, &l.features, label)
	} else {
		l.sums.Scored++
	}
	l.classes.Score(label, l.decision.Label)
	if l.decision.Label != label {
		l.sums.Decided.Errors++
	}
}
