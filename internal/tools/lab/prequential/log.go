// Package prequential scores the records of a training topic by the models of a model log: each
// record by the model as it was before the delta that learned the record (prequential evaluation,
// Dawid 1984). So the models of two logs are compared on the same records, none of which the model
// knew: the way to see whether another tokenizer or spec is better.
package prequential

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// Log is a model log that was folded once, up to the end that it had then.
type Log struct {
	Topic string
	State *fold.State // at the end

	training string
	deltas   map[int64][]span // of the training topic, by their offset in the log
}

// span is what a delta says of the records [start, end) of a partition.
type span struct {
	partition  int32
	generation uint32
	start, end int64
	skipped    map[int64]string // the reason, by offset
}

// Read folds a model log. each, if not nil, is called after every record.
func Read(ctx context.Context, log modellog.Reader, topic, training string, each func()) (*Log, error) {
	l := &Log{Topic: topic, State: fold.New(true), training: training, deltas: map[int64][]span{}}
	err := modellog.Replay(ctx, log, topic, l.State, -1, func(e fold.Entry, outcome fold.Outcome) {
		delete(l.deltas, e.Offset) // after a void the records before it are folded again
		if outcome == fold.Accepted && !e.Delta.IsUpkeep() {
			l.deltas[e.Offset] = spansOf(e.Delta, training)
		}
		if each != nil {
			each()
		}
	})
	if err != nil {
		return nil, err
	}
	if l.State.Model() == nil {
		return nil, fmt.Errorf("the model log %s: %w", topic, ErrNoModel)
	}
	for offset, spans := range l.deltas { // without those of a topic that another one of its name has replaced
		l.deltas[offset] = slices.DeleteFunc(spans, func(d span) bool {
			p, _ := l.State.Progress(fold.Source{Topic: training, Partition: d.partition})
			return p.Generation != d.generation
		})
	}
	return l, nil
}

// spansOf returns what a delta says of a topic.
func spansOf(d *fold.Delta, topic string) (spans []span) {
	for _, r := range d.Ranges {
		if r.Topic != topic {
			continue
		}
		s := span{partition: r.Partition, generation: r.Generation, start: r.Start, end: r.End, skipped: map[int64]string{}}
		for _, skipped := range r.Skipped {
			s.skipped[skipped.Offset] = skipped.Reason
		}
		spans = append(spans, s)
	}
	return spans
}

// Watermarks returns the offset to count next of each partition of the training topic.
func (l *Log) Watermarks() map[int32]int64 {
	found := map[int32]int64{}
	for _, src := range l.State.Sources() {
		if p, ok := l.State.Progress(src); ok && src.Topic == l.training {
			found[src.Partition] = p.Watermark
		}
	}
	return found
}

// Window returns the last n offsets of each partition that both logs have counted.
func Window(a, b *Log, n int64) map[int32]Range {
	window := map[int32]Range{}
	other := b.Watermarks()
	for partition, end := range a.Watermarks() {
		if counted, ok := other[partition]; ok {
			end = min(end, counted)
			window[partition] = Range{From: max(0, end-n), To: end}
		}
	}
	return window
}

// Range is the offsets [From, To) of a partition.
type Range struct{ From, To int64 }

// records reads a training topic, whose deltas are many and short: it keeps the last fetch of each
// partition.
type records struct {
	broker  worker.Fetcher
	topic   string
	fetched map[int32]worker.Fetched
}

// each calls f for the committed records [start, end) of a partition that the topic still holds.
func (r *records) each(ctx context.Context, partition int32, start, end int64, f func(*stream.Record) error) error {
	for next := start; next < end; {
		got, err := r.from(ctx, partition, next)
		if err != nil {
			return fmt.Errorf("training topic %s/%d from offset %d: %w", r.topic, partition, next, err)
		}
		for i := range got.Records {
			rec := &got.Records[i]
			if rec.Offset < next || rec.Offset >= end {
				continue
			}
			if err := f(rec); err != nil {
				return err
			}
		}
		if got.Next <= next {
			return fmt.Errorf("training topic %s/%d ends at offset %d, and the model has counted up to %d: it is not the "+
				"topic that was counted", r.topic, partition, next, end)
		}
		next = got.Next
	}
	return nil
}

// from returns a fetch that holds the offset.
func (r *records) from(ctx context.Context, partition int32, offset int64) (worker.Fetched, error) {
	got, ok := r.fetched[partition]
	if ok && got.From <= offset && offset < got.Next {
		return got, nil
	}
	got, err := worker.Fetch(ctx, r.broker, stream.FetchRequest{Topic: r.topic, Partition: int(partition), Offset: offset})
	if err == nil {
		r.fetched[partition] = got
	}
	return got, err
}

// ErrNoModel says that a model log holds no spec: no ingest has written to it yet.
var ErrNoModel = errors.New("it holds no spec yet")
