package main

import (
	"fmt"
	"io"

	"bayestream/bench/timing"
	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
)

// logSpecs are the specs of the logs that are measured: what nobody named, and words that one
// candidate scores.
var logSpecs = []struct{ name, yaml string }{
	{"default", "scoring: {}"},
	{"words alone", "text: {likelihood: multinomial}"},
}

// Deltas of the logs that are measured have so many records, each with an id, of so many words of a
// vocabulary of so many, in so many classes.
var logDeltas = []int{25, 1000, 5000}

const (
	logRecords    = 20_000
	logWords      = 40
	logVocabulary = 1_000_000
	logClasses    = 4
)

// measureLog builds logs of new texts as one core of ingest does, without its client, and folds
// them as a replica does.
func measureLog(w io.Writer, o *options) error {
	fmt.Fprintf(w, "### Log\n\n%d records with ids, of %d words; microseconds of processor time of a record\n\n",
		logRecords, logWords)
	fmt.Fprintln(w, "| spec | records of a delta | bytes of a record | to build | to fold, classify | to fold, ingest | "+
		"ingest cores that one fold carries: classify | ingest |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	texts := make([][]byte, logRecords)
	speaker := newSpeaker(7, logVocabulary)
	for i := range texts {
		texts[i] = speaker.text(logWords)
	}
	for _, s := range logSpecs {
		parsed, err := spec.Parse([]byte(s.yaml))
		if err != nil {
			return err
		}
		for _, n := range logDeltas {
			l := &logged{spec: parsed, texts: texts, each: n}
			for range o.rounds {
				if err := l.round(); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "| %s | %d | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", s.name, n, l.bytes,
				timing.Median(l.build), timing.Median(l.classify), timing.Median(l.ingest), ratio(l.build, l.classify),
				ratio(l.build, l.ingest))
		}
	}
	fmt.Fprintln(w)
	return nil
}

// logged is a log and what it cost: microseconds of a record, by round.
type logged struct {
	spec                    *spec.Spec
	texts                   [][]byte
	each                    int // records of a delta
	values                  [][]byte
	bytes                   float64 // of a record
	build, classify, ingest []float64
}

// round builds the log, and folds it twice.
func (l *logged) round() error {
	build, err := processor(l.make)
	if err != nil {
		return err
	}
	// What a builder folds is no part of building: each replica does it.
	own, err := processor(func() error { return l.fold(true) })
	if err != nil {
		return err
	}
	readers, err := processor(func() error { return l.fold(false) })
	l.build = append(l.build, (build-own)/logRecords*1e6)
	l.ingest = append(l.ingest, own/logRecords*1e6)
	l.classify = append(l.classify, readers/logRecords*1e6)
	return err
}

// make builds the log, each delta on the state of those before it.
func (l *logged) make() error {
	b, err := newLogBuilder(l.spec)
	if err != nil {
		return err
	}
	for start := 0; start < logRecords; start += l.each {
		for i := range l.each {
			b.learn(start+i, l.texts[start+i])
		}
		if err := b.commit(int64(start), int64(start+l.each)); err != nil {
			return err
		}
	}
	l.values = b.values
	size := 0
	for _, value := range l.values {
		size += len(value)
	}
	l.bytes = float64(size) / logRecords
	return nil
}

// fold folds the log as a replica does, which keeps the ledgers or not.
func (l *logged) fold(ledgers bool) error {
	state := fold.New(ledgers)
	for _, value := range l.values {
		if err := foldValue(state, value); err != nil {
			return err
		}
	}
	return nil
}

// foldValue folds the next record of a log.
func foldValue(state *fold.State, value []byte) error {
	e, err := codec.Decode(value, state.Next(), state.Reading())
	if err != nil {
		return err
	}
	e.Offset = state.Next()
	e.CRC = codec.Checksum(value)
	e.Sum = codec.Sum(value)
	outcome, err := state.Fold(e)
	state.Settle()
	if err == nil && outcome != fold.Accepted && outcome != fold.Respecified {
		err = fmt.Errorf("offset %d of the log is %s", e.Offset, outcome)
	}
	return err
}

// logBuilder builds the deltas of a log.
type logBuilder struct {
	spec    *spec.Spec
	extract *model.Extractor
	builder *model.Builder
	trial   *model.Trial
	state   *fold.State
	in      model.Input
	f       model.Features
	ledger  []fold.LedgerChange
	values  [][]byte
}

func newLogBuilder(s *spec.Spec) (*logBuilder, error) {
	extract, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	b := &logBuilder{spec: s, extract: extract, builder: model.NewBuilder(s),
		trial: model.NewTrial(), state: fold.New(true), in: model.Input{Segments: make([]model.Segment, 1)}}
	first, err := codec.EncodeSpec(s, fold.LogID{})
	if err != nil {
		return nil, err
	}
	return b, b.append(first)
}

// append adds a record to the log, and folds it.
func (b *logBuilder) append(value []byte) error {
	b.values = append(b.values, value)
	return foldValue(b.state, value)
}

// learn counts the record at an offset, which has a text.
func (b *logBuilder) learn(offset int, text []byte) {
	label := className(offset % logClasses)
	b.in.Segments[0].Text = text
	b.extract.Extract(&b.f, &b.in)
	sum := b.f.Checksum()
	b.trial.Use(b.state.Race().List())
	key := digest.Hash(text)
	if b.trial.Draws(b.state.Model(), int64(offset), key) {
		b.trial.Score(b.state.Model(), b.state.Race(), &b.f, label)
	}
	b.builder.Observe(label, 1, &b.f)
	b.ledger = append(b.ledger, fold.LedgerChange{
		Offset: int64(offset), ID: fmt.Sprintf("message-%08d", offset),
		Put: &fold.Learned{Label: label, Weight: 1, Topic: source.Topic, Offset: int64(offset), Sum: sum},
	})
}

// commit writes and folds the delta of the records [start, end).
func (b *logBuilder) commit(start, end int64) error {
	basis := b.state.Basis(source)
	value, err := codec.EncodeDelta(&fold.Delta{
		Counting: b.spec.Counting(), Source: source, Start: start, End: end, Previous: basis.Previous, Spec: basis.Spec,
		Counts: b.builder.Delta(), Ledger: b.ledger, Scores: fold.ScoresOf(b.trial),
	})
	if err != nil {
		return err
	}
	b.builder.Reset()
	b.trial.Reset()
	b.ledger = b.ledger[:0]
	return b.append(value)
}
