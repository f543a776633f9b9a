package worker

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/schema"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// Fetcher fetches records. A *stream.Client is one.
type Fetcher interface {
	Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error)
}

// Fetched is what an input topic had from an offset on. If records were deleted there, or cannot be
// read, it says so and has no Records; Next is behind them.
type Fetched struct {
	stream.Fetched

	From       int64              // the offset that was asked for
	Lost       int64              // how many records from From on were deleted before they were read
	Unreadable *stream.BatchError // the batch at From that no client can read; nil: none
}

// Fetch reads the committed records of a partition from an offset on, with their schemas.
func Fetch(ctx context.Context, f Fetcher, request stream.FetchRequest) (Fetched, error) {
	request.Schemas = true
	return FetchUnread(ctx, f, request)
}

// FetchUnread is Fetch of records whose values need no schema, unless the request asks for it.
func FetchUnread(ctx context.Context, f Fetcher, request stream.FetchRequest) (Fetched, error) {
	from := request.Offset
	request.Committed = true
	got, err := f.Fetch(ctx, request)
	var out *stream.OffsetError
	var bad *stream.BatchError
	switch {
	case errors.As(err, &out) && out.LogStart > from:
		got = stream.Fetched{Next: out.LogStart, LogStart: out.LogStart, LastStable: out.End}
		return Fetched{Fetched: got, From: from, Lost: out.LogStart - from}, nil
	case errors.As(err, &bad):
		got = stream.Fetched{Next: bad.Next, LogStart: -1, LastStable: bad.Next}
		return Fetched{Fetched: got, From: from, Unreadable: bad}, nil
	}
	return Fetched{Fetched: got, From: from}, err
}

// Nothing is a fetch that has found nothing at an offset.
func Nothing(at int64) Fetched {
	return Fetched{From: at, Fetched: stream.Fetched{Next: at}}
}

// ReadAt returns the committed record at a place, nil if its topic does not hold it any more, or
// only in a batch that no client can read.
func ReadAt(ctx context.Context, f Fetcher, topic string, partition int, offset int64) (*stream.Record, error) {
	got, err := f.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: partition, Offset: offset, MaxBytes: 1,
		Committed: true, Schemas: true})
	switch {
	case errors.Is(err, stream.ErrOffsetOutOfRange), errors.Is(err, stream.ErrUnknownTopic), errors.Is(err,
		stream.ErrUnknownPartition),
		errors.Is(err, stream.ErrBadBatch):
		return nil, nil
	case errors.As(err, new(*schema.WaitError)): // whoever asks over HTTP may ask again
		return nil, fmt.Errorf("%w: %w", httpapi.ErrNotReady, err)
	case err != nil:
		return nil, fmt.Errorf("read %s/%d/%d again: %w", topic, partition, offset, err)
	}
	return stream.Find(got.Records, offset), nil
}

// Reject returns why the batch is unreadable, and a record without a value that stands for it.
func (f *Fetched) Reject() (*stream.Record, *wire.Reject) {
	rec := &stream.Record{Topic: f.Unreadable.Topic, Partition: f.Unreadable.Partition, Offset: f.From}
	return rec, wire.Rejectf(wire.BadBatch, "%v", f.Unreadable)
}

// ValueBytes returns the size of the values of all records.
func (f *Fetched) ValueBytes() (n int) {
	for i := range f.Records {
		n += len(f.Records[i].Value)
	}
	return n
}
