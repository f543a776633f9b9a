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

	"github.com/klauspost/compress/zstd"
)

// logSpecs are the specs of the logs that are measured: what nobody named, and words that one
// candidate scores.
var logSpecs = []struct{ name, yaml string }{
	{"default", "scoring: {}"},
	{"words alone", "text: {likelihood: multinomial}"},
}

// Deltas of the logs that are measured are sums of so many partitions with so many records of each,
// which have an id, and so many words of a vocabulary of so many, in so many classes.
var logDeltas = []struct{ partitions, records int }{{1, 1}, {40, 1}, {1, 25}, {40, 25}, {1, 1000}, {1, 5000}}

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
	fmt.Fprintln(w, "| spec | partitions | records of each in a delta | bytes of a record | packed | to build | "+
		"to fold, classify | to fold, ingest | ingest cores that one fold carries: classify | ingest |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
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
			l := &logged{spec: parsed, texts: texts, partitions: n.partitions, each: n.records}
			for range o.rounds {
				if err := l.round(); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "| %s | %d | %d | %.0f | %.0f ", s.name, n.partitions, n.records, l.bytes, l.packed)
			fmt.Fprintf(w, "| %.1f | %.1f | %.1f | %.1f | %.1f |\n", timing.Median(l.build), timing.Median(l.classify),
				timing.Median(l.ingest), ratio(l.build, l.classify), ratio(l.build, l.ingest))
		}
	}
	fmt.Fprintln(w)
	return nil
}

// logged is a log and what it cost: microseconds of a record, by round.
type logged struct {
	spec                    *spec.Spec
	texts                   [][]byte
	partitions              int // of a delta
	each                    int // records of each
	values                  [][]byte
	bytes, packed           float64 // of a record
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
	for range l.partitions {
		b.trials = append(b.trials, model.NewTrial())
	}
	for next := 0; next < logRecords; {
		for partition := range l.partitions {
			for range l.each {
				b.learn(next, l.texts[next])
				next++
			}
			b.end(int32(partition), int64(l.each))
		}
		if err := b.commit(); err != nil {
			return err
		}
	}
	l.values = b.values
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	size, packed := 0, 0
	for _, value := range l.values {
		size += len(value)
		packed += len(packer.EncodeAll(value, nil))
	}
	l.bytes = float64(size) / logRecords
	l.packed = float64(packed) / logRecords
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
	trials  []*model.Trial // of the partitions: what a delta says of scores is a view
	state   *fold.State
	in      model.Input
	f       model.Features
	ledger  []fold.LedgerChange
	deltas  []*fold.Delta // of the partitions so far
	values  [][]byte
}

func newLogBuilder(s *spec.Spec) (*logBuilder, error) {
	extract, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	b := &logBuilder{spec: s, extract: extract, builder: model.NewBuilder(s),
		state: fold.New(true), in: model.Input{Segments: make([]model.Segment, 1)}}
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

// learn counts a record, which has a text.
func (b *logBuilder) learn(n int, text []byte) {
	label := className(n % logClasses)
	trial := b.trials[len(b.deltas)]
	b.in.Segments[0].Text = text
	b.extract.Extract(&b.f, &b.in)
	trial.Use(b.state.Race().List())
	if trial.Draws(b.state.Model(), int64(n), digest.Hash(text)) {
		trial.Score(b.state.Model(), b.state.Race(), &b.f, label)
	}
	b.builder.Observe(label, 1, &b.f)
	b.ledger = append(b.ledger, fold.LedgerChange{ID: fmt.Sprintf("message-%08d", n),
		Put: &fold.Learned{Label: label, Weight: 1, Topic: source.Topic, Sum: b.f.Checksum()}})
}

// end ends the delta of so many records of a partition.
func (b *logBuilder) end(partition int32, records int64) {
	src := fold.Source{Topic: source.Topic, Partition: partition}
	p, _ := b.state.Progress(src)
	for i := range b.ledger {
		at := p.Watermark + int64(i)
		b.ledger[i].Offset, b.ledger[i].Put.Offset, b.ledger[i].Put.Partition = at, at, partition
	}
	d := &fold.Delta{
		Ranges:   []fold.Range{{Source: src, Start: p.Watermark, End: p.Watermark + records, Ledger: b.ledger}},
		Counting: b.spec.Counting(),
		Counts:   b.builder.Delta(),
		Scores:   fold.ScoresOf(b.trials[len(b.deltas)]),
	}
	d.BuildOn(b.state.Basis(src))
	b.deltas = append(b.deltas, d)
	b.ledger = nil
	b.builder.Reset()
}

// commit writes and folds the deltas of the partitions, as one.
func (b *logBuilder) commit() error {
	value, err := codec.EncodeDelta(fold.Sum(b.deltas))
	if err != nil {
		return err
	}
	b.deltas = b.deltas[:0]
	for _, trial := range b.trials {
		trial.Reset()
	}
	return b.append(value)
}
