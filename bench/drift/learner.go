package main

import (
	"fmt"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// learner decides and learns as ingest does.
type learner struct {
	state    *fold.State
	source   fold.Source
	next     int64 // offset
	builder  *model.Builder
	trial    *model.Trial
	features model.Features
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
		builder: model.NewBuilder(s), trial: model.NewTrial()}
	l.trial.Use(state.Race().List())
	return l, nil
}

// learn makes a delta of n documents count, each of which is scored before if it is drawn. read
// sets the features of the next one, and returns its label.
func (l *learner) learn(n int, read func(*model.Features) string) error {
	l.builder.Reset()
	l.trial.Reset()
	m := l.state.Model()
	for i := range n {
		label := read(&l.features)
		place := digest.Key(l.source.Topic, int(l.source.Partition), int(l.next)+i)
		if l.trial.Draws(m, m.Classes().Total(), place) {
			l.trial.Score(m, l.state.Race(), &l.features, label)
		}
		l.builder.Observe(label, 1, &l.features)
	}
	d := &fold.Delta{Ranges: []fold.Range{{Source: l.source, Start: l.next, End: l.next + int64(n)}},
		Counting: l.state.Counting(),
		Counts:   l.builder.Delta(),
		Scores:   fold.ScoresOf(l.trial)}
	l.next = d.Ranges[0].End
	outcome, err := l.state.Fold(fold.Entry{Offset: l.state.Next(), Delta: d})
	l.state.Settle()
	if err == nil && outcome != fold.Accepted {
		err = fmt.Errorf("a delta is %s", outcome)
	}
	return err
}
