package worker

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/fold"
	"bayestream/internal/stream"
)

// Comparer is what comparing a topic asks of Kafka. A *stream.Client is one.
type Comparer interface {
	Fetcher
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
	TopicID(ctx context.Context, topic string, partition int) (stream.TopicID, error)
}

// Anchor returns the anchor of a record: what tells its topic, which has the given id, from another one of its name.
// epoch is the leader epoch of its batch, or of a later one.
func Anchor(rec *stream.Record, epoch int32, id stream.TopicID) fold.Anchor {
	return fold.Anchor{Offset: rec.Offset, Epoch: epoch, Checksum: rec.Checksum(), TopicID: id}
}

// Unread returns the anchor of a topic, which has the given id, of which no record could be read up to an offset; -1: none
// was asked for.
func Unread(offset int64, id stream.TopicID) fold.Anchor {
	return fold.Anchor{Offset: offset, Epoch: -1, TopicID: id}
}

// Compare returns the id that a topic has now, and how one of its partitions differs from what was read of it: up to the
// offset next, with the last record that the anchor says. Empty: it is the same, or nothing is left that could tell, as
// when the record was deleted.
func Compare(ctx context.Context, b Comparer, topic string, partition int, next int64, a fold.Anchor) (id stream.TopicID, difference string, err error) {
	id, err = b.TopicID(ctx, topic, partition)
	if err != nil {
		return id, "", err
	}
	none := stream.TopicID{}
	if was := stream.TopicID(a.TopicID); was != none && id != none && id != was {
		return id, fmt.Sprintf("its id is %s and was %s", id, was), nil
	}
	first, end, err := b.Offsets(ctx, topic, partition)
	switch {
	case err != nil:
		return id, "", err
	case end < next:
		return id, fmt.Sprintf("it ends at offset %d and was read up to %d", end, next), nil
	case a.Offset < first, a == Unread(a.Offset, a.TopicID):
		return id, "", nil
	}
	difference, err = compareRecord(ctx, b, topic, partition, a)
	return id, difference, err
}

// compareRecord compares the record of an anchor with the one that is at its offset now, if there is one.
func compareRecord(ctx context.Context, b Comparer, topic string, partition int, a fold.Anchor) (difference string, err error) {
	got, err := b.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: partition, Offset: a.Offset, MaxBytes: 1})
	switch {
	case errors.Is(err, stream.ErrOffsetOutOfRange), errors.Is(err, stream.ErrBadBatch):
		return "", nil
	case err != nil:
		return "", err
	}
	if len(got.Records) == 0 || got.Records[0].Offset != a.Offset || got.Records[0].Checksum() == a.Checksum {
		return "", nil
	}
	return fmt.Sprintf("another record is at offset %d", a.Offset), nil
}

// Uncovered returns the first offset from first on whose record belongs to a later leader epoch, end if there is none.
// Epochs never decrease along a partition: what an unclean leader election has put there comes behind it.
func Uncovered(ctx context.Context, b Comparer, topic string, partition int, epoch int32, first, end int64) (int64, error) {
	for first < end {
		middle := first + (end-first)/2
		got, err := b.Fetch(ctx, stream.FetchRequest{Topic: topic, Partition: partition, Offset: middle, MaxBytes: 1})
		switch {
		case err != nil:
			return 0, err
		case len(got.Records) > 0 && got.LeaderEpoch <= epoch:
			first = got.Records[0].Offset + 1
		default:
			end = middle
		}
	}
	return end, nil
}
