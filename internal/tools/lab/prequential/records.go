package prequential

import (
	"context"
	"fmt"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// records reads a training topic, whose deltas are many and short: it keeps the last fetch of each
// partition.
type records struct {
	broker  worker.Fetcher
	topic   string
	fetched map[int32]worker.Fetched
}

func newRecords(broker worker.Fetcher, topic string) *records {
	return &records{broker: broker, topic: topic, fetched: map[int32]worker.Fetched{}}
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

// at returns the record that a ref points at, nil if its topic does not hold it any more.
func (r *records) at(ctx context.Context, ref *wire.Ref) (*stream.Record, error) {
	return worker.ReadAt(ctx, r.broker, ref.Topic, ref.Partition, ref.Offset)
}
