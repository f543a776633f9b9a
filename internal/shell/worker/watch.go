package worker

import (
	"context"
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

// Compare is the function of that name, which notes what it finds. A topic without an id may have
// been another one since it was compared, and the anchor a record of that one: then the anchor of
// the last comparison tells.
func (w *Watch) Compare(ctx context.Context, b Comparer, topic string, partition int, next int64,
	a fold.Anchor) (Difference, error) {
	found, err := Compare(ctx, b, topic, partition, next, a)
	isNamed := found.ID != stream.TopicID{}
	if err == nil && found.What == "" && !isNamed && !w.comparedAt.IsZero() && w.agreed.Epoch >= 0 {
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
