package main

import (
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// specification is the spec of all models: words as they are, and limits that no measurement
// reaches.
const specification = "text: {language: none, stem: false}\nlimits: {terms: 20000000, classes: 2000}\n"

// source is the source of all deltas.
var source = fold.Source{Topic: "growth"}

// learner learns texts into a state as ingest does, in deltas of a log, and labels others.
type learner struct {
	spec    *spec.Spec
	state   *fold.State
	extract *model.Extractor
	builder *model.Builder
	scorer  *model.Scorer
	f       model.Features
	in      model.Input
	d       model.Decision
	next    int64
}

func newLearner() (*learner, error) {
	s, err := spec.Parse([]byte(specification))
	if err != nil {
		return nil, err
	}
	x, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	l := &learner{
		spec: s, state: fold.New(false), extract: x, builder: model.NewBuilder(s), scorer: model.NewScorer(),
		in: model.Input{Segments: make([]model.Segment, 1)},
	}
	return l, l.fold(fold.Entry{Spec: s}, fold.Respecified)
}

// fold folds e as the next entry of the log.
func (l *learner) fold(e fold.Entry, want fold.Outcome) error {
	e.Offset = l.state.Next()
	got, err := l.state.Fold(e)
	l.state.Settle()
	if err == nil && got != want {
		err = fmt.Errorf("offset %d of the log is %s, want %s", e.Offset, got, want)
	}
	return err
}

// observe adds a text to the next delta.
func (l *learner) observe(label string, text []byte) error {
	l.in.Segments[0].Text = text
	l.extract.Extract(&l.f, &l.in)
	l.builder.Observe(label, 1, &l.f)
	return nil
}

// commit folds the delta of the texts observed.
func (l *learner) commit() error {
	d := &fold.Delta{Ranges: []fold.Range{{Source: source, Start: l.next, End: l.next + 1}},
		Counting: l.spec.Counting(),
		Counts:   l.builder.Delta()}
	l.next++
	if err := l.fold(fold.Entry{Delta: d}, fold.Accepted); err != nil {
		return err
	}
	l.builder.Reset()
	return nil
}

// batch is how many records make a delta.
const batch = 500

// learn learns texts, the i-th with the label that label returns.
func (l *learner) learn(texts [][]byte, label func(i int) string) error {
	for i, text := range texts {
		if err := l.observe(label(i), text); err != nil {
			return err
		}
		if i%batch == batch-1 || i == len(texts)-1 {
			if err := l.commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// label decides on texts.
func (l *learner) label(texts [][]byte) error {
	for _, text := range texts {
		l.in.Segments[0].Text = text
		l.extract.Extract(&l.f, &l.in)
		l.scorer.Decide(&l.d, l.state.Model(), &l.f, "", model.Options{Evidence: -1})
	}
	return nil
}

// fill makes a table of terms; the i-th is counted once in each class that classes returns.
func (l *learner) fill(terms int, classes func(i int) []int) error {
	const chunk = 100_000
	var w []byte
	for from := 0; from < terms; from += chunk {
		bags := map[int]*model.Features{}
		for i := from; i < min(from+chunk, terms); i++ {
			w = word(w[:0], i)
			for _, c := range classes(i) {
				if bags[c] == nil {
					bags[c] = &model.Features{}
				}
				bags[c].Bag.Add(w)
			}
		}
		for c, f := range bags {
			l.builder.Observe(className(c), 1, f)
		}
		if err := l.commit(); err != nil {
			return err
		}
	}
	return nil
}

func className(c int) string { return fmt.Sprintf("class%04d", c) }
