package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// logShape is what the records of a log are.
type logShape struct {
	name      string
	documents int // of a delta
	deltas    int
}

// memoryLog is a model log that answers at once.
type memoryLog struct {
	records []stream.Record
	bytes   int
}

// classes and vocabulary are those of the documents of a log.
const (
	classes    = 20
	vocabulary = 200_000
)

func newWords(r *rand.Rand) *rand.Zipf { return rand.NewZipf(r, 1.1, 10, vocabulary) }

// document returns the features of a document of so many words.
func document(words *rand.Zipf, n int) *model.Features {
	f := &model.Features{}
	for range n {
		f.Bag.Add(fmt.Appendf(nil, "word%d", words.Uint64()))
	}
	return f
}

// newMemoryLog returns a log of a spec and deltas, whose documents have ids.
func newMemoryLog(shape logShape) (*memoryLog, error) {
	sp, err := spec.Parse([]byte("text: {}"))
	if err != nil {
		return nil, err
	}
	first, err := codec.EncodeSpec(sp, fold.LogID{})
	if err != nil {
		return nil, err
	}
	log := &memoryLog{}
	log.add(first)
	random := rand.New(rand.NewPCG(1, 2))
	words := newWords(random)
	builder := model.NewBuilder(sp)
	d := &fold.Delta{Counting: sp.Counting(), Ranges: make([]fold.Range, 1)}
	r := &d.Ranges[0]
	r.Topic = "training"
	r.FromStart = true
	for range shape.deltas {
		builder.Reset()
		r.Ledger = nil
		r.Start = r.End
		for range shape.documents {
			label := fmt.Sprintf("class%d", random.IntN(classes))
			builder.Observe(label, 1, document(words, 30))
			r.Ledger = append(r.Ledger, fold.LedgerChange{Offset: r.End, ID: fmt.Sprintf("document-%d", r.End),
				Put: &fold.Learned{Label: label, Weight: 1, Topic: "training", Offset: r.End}})
			r.End++
		}
		d.Counts = builder.Delta()
		value, err := codec.EncodeDelta(d)
		if err != nil {
			return nil, err
		}
		log.add(value)
		r.Previous = codec.Sum(value)
		r.FromStart = false
	}
	return log, nil
}

func (l *memoryLog) add(value []byte) {
	l.records = append(l.records, stream.Record{Offset: int64(len(l.records)), Value: value})
	l.bytes += len(value)
}

// Offsets returns where the log begins and ends.
func (l *memoryLog) Offsets(context.Context, string, int) (first, end int64, err error) {
	return 0, int64(len(l.records)), nil
}

// Fetch returns records up to the size that is asked for. At the end of the log it waits.
func (l *memoryLog) Fetch(ctx context.Context, r stream.FetchRequest) (stream.Fetched, error) {
	from := int(r.Offset)
	if from == len(l.records) {
		<-ctx.Done()
		return stream.Fetched{}, ctx.Err()
	}
	limit := r.MaxBytes
	if limit == 0 {
		limit = stream.DefaultMaxBytes
	}
	to := from + 1
	for size := len(l.records[from].Value); to < len(l.records) && size < limit; to++ {
		size += len(l.records[to].Value)
	}
	return stream.Fetched{Records: l.records[from:to:to], Next: int64(to), HighWatermark: int64(len(l.records)),
		LeaderEpoch: -1}, nil
}

// Produce refuses: nothing is appended.
func (l *memoryLog) Produce(context.Context, string, int, []stream.Record) (int64, error) {
	return 0, errors.New("the log of the bench is complete")
}
