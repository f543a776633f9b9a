package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// Watch is what the last fetches said of a partition of an input topic, to notice that the topic
// may be another one. A zero Watch doubts the first fetch.
type Watch struct {
	id         stream.TopicID // when the topic was compared
	comparedAt time.Time
	agreed     fold.Anchor // then
	epoch      int32       // leader epoch of the last record
	start, end int64       // offsets that the partition held
}

// CompareEvery is the time after which a topic is compared with what was read of it, if nothing
// asks for it earlier.
const CompareEvery = time.Minute

// Doubts reports whether a fetch may come from another topic than the one before: requests failed
// meanwhile, the leader or the id of the topic has changed, the partition holds other offsets than
// it could, a batch cannot be read, which says nothing of all that, or the topic was not compared
// for long.
func (w *Watch) Doubts(got *Fetched) bool {
	return w.comparedAt.IsZero() || time.Since(w.comparedAt) >= CompareEvery ||
		got.Interrupted || got.Lost > 0 || got.Unreadable != nil ||
		len(got.Records) > 0 && got.TopicID != w.id ||
		len(got.Records) > 0 && got.LeaderEpoch != w.epoch ||
		got.LogStart < w.start || got.HighWatermark < w.end
}

// Compare compares a topic as it is now with what was read of one of its partitions: up to the
// offset next, with the last record that the anchor says. It asks for the id last: if that is the
// anchor's, all that it saw is of this topic. A topic without an id may have been another one since
// it was compared, and the anchor a record of that one: then the anchor of the last comparison tells.
func (w *Watch) Compare(ctx context.Context, b Comparer, topic string, partition int, next int64,
	a fold.Anchor) (found Difference, err error) {
	if found.What, err = compareContent(ctx, b, topic, partition, next, a); err != nil {
		return Difference{}, err
	}
	found.ID, err = b.TopicID(ctx, topic, partition)
	none := stream.TopicID{}
	if was := stream.TopicID(a.TopicID); was != none && found.ID != none && found.ID != was {
		found.What = fmt.Sprintf("its id is %s and was %s", found.ID, was)
	}
	if err == nil && found.What == "" && found.ID == none && !w.comparedAt.IsZero() && w.agreed.Epoch >= 0 {
		found.What, err = compareRecord(ctx, b, topic, partition, w.agreed)
		found.Read = found.What != ""
	}
	if err == nil && found.What == "" {
		*w = Watch{id: found.ID, comparedAt: time.Now(), epoch: w.epoch, agreed: a}
	}
	return found, err
}

// Note keeps what a fetch of that topic says.
func (w *Watch) Note(got *Fetched) {
	if len(got.Records) > 0 {
		w.epoch = got.LeaderEpoch
	}
	if got.Unreadable == nil && got.Lost == 0 {
		w.start = got.LogStart
		w.end = got.HighWatermark
	}
}

// HasID reports whether the topic had an id when it was compared: then each fetch asks for it.
func (w *Watch) HasID() bool { return w.id != stream.TopicID{} }

// ID returns the id of the topic, zero if it has none or was not compared.
func (w *Watch) ID() stream.TopicID { return w.id }

// Epoch returns the leader epoch of the last record that was fetched.
func (w *Watch) Epoch() int32 { return w.epoch }

// Comparer is what comparing a topic asks of Kafka. A *stream.Client is one.
type Comparer interface {
	Fetcher
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
	TopicID(ctx context.Context, topic string, partition int) (stream.TopicID, error)
}

// Anchor returns the anchor of a record: what tells its topic, which has the given id, from another
// one of its name. epoch is the leader epoch of its batch, or of a later one.
func Anchor(rec *stream.Record, epoch int32, id stream.TopicID) fold.Anchor {
	return fold.Anchor{Offset: rec.Offset, Epoch: epoch, Checksum: rec.Checksum(), TopicID: id}
}

// Unread returns the anchor of a topic, which has the given id, of which no record could be read up
// to an offset; -1: none was asked for.
func Unread(offset int64, id stream.TopicID) fold.Anchor {
	return fold.Anchor{Offset: offset, Epoch: -1, TopicID: id}
}

// Difference says how a partition of a topic differs from what was read of it.
type Difference struct {
	What string         // in words; "": it is the same, or nothing is left that could tell, as when a record was deleted
	ID   stream.TopicID // of the topic as it is now
	Read bool           // records of that topic were read already, as if they were of the one before
}

// compareContent is Compare without the id.
func compareContent(ctx context.Context, b Comparer, topic string, partition int, next int64,
	a fold.Anchor) (what string, err error) {
	first, end, err := b.Offsets(ctx, topic, partition)
	switch {
	case err != nil:
		return "", err
	case end < next:
		return fmt.Sprintf("it ends at offset %d and was read up to %d", end, next), nil
	case a.Offset < first, a == Unread(a.Offset, a.TopicID):
		return "", nil
	}
	return compareRecord(ctx, b, topic, partition, a)
}

// Begin returns the offset from which on a topic is to be read that differs from what was read of
// it up to the offset next: its first, or next where records of this topic were read already. A
// topic whose id is that of the anchor has lost records at its end to an unclean leader election,
// and is read from where others stand now.
func (d *Difference) Begin(ctx context.Context, b Comparer, topic string, partition int, next int64,
	a fold.Anchor) (int64, error) {
	first, end, err := b.Offsets(ctx, topic, partition)
	switch {
	case err != nil:
		return 0, err
	case d.IsSame(a):
		return uncovered(ctx, b, topic, partition, a.Epoch, first, min(end, next))
	case d.Read && next <= end:
		return next, nil
	}
	return first, nil
}

// IsSame reports whether the topic has the id of an anchor.
func (d *Difference) IsSame(a fold.Anchor) bool {
	return d.ID != stream.TopicID{} && d.ID == stream.TopicID(a.TopicID)
}

// compareRecord compares the record of an anchor with the one that is at its offset now, if there
// is one.
func compareRecord(ctx context.Context, b Comparer, topic string, partition int, a fold.Anchor) (difference string,
	err error) {
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

// uncovered returns the first offset from first on whose record belongs to a later leader epoch,
// end if there is none. Epochs never decrease along a partition: what an unclean leader election
// has put there comes behind it.
func uncovered(ctx context.Context, b Comparer, topic string, partition int, epoch int32, first, end int64) (int64,
	error) {
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
