package worker

import (
	"time"

	"bayestream/internal/stream"
)

// Watch is what the last fetches said of a partition of an input topic, to notice that the topic may be another one. A
// zero Watch doubts the first fetch.
type Watch struct {
	id         stream.TopicID // when the topic was compared
	comparedAt time.Time
	epoch      int32 // leader epoch of the last record
	start, end int64 // offsets that the partition held
}

// CompareEvery is the time after which a topic is compared with what was read of it, if nothing asks for it earlier.
const CompareEvery = time.Minute

// Doubts reports whether a fetch may come from another topic than the one before: requests failed meanwhile, the leader
// has changed, the partition holds other offsets than it could, a batch cannot be read, which says nothing of all that, or
// the topic was not compared for long.
func (w *Watch) Doubts(got *Fetched) bool {
	return w.comparedAt.IsZero() || time.Since(w.comparedAt) >= CompareEvery ||
		got.Interrupted || got.Lost > 0 || got.Unreadable != nil ||
		len(got.Records) > 0 && got.LeaderEpoch != w.epoch ||
		got.LogStart < w.start || got.HighWatermark < w.end
}

// Compared notes that the topic, which has the given id, is the one that was read.
func (w *Watch) Compared(id stream.TopicID) {
	w.id = id
	w.comparedAt = time.Now()
	w.start = 0
	w.end = 0
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

// ID returns the id of the topic, zero if it has none or was not compared.
func (w *Watch) ID() stream.TopicID { return w.id }

// Epoch returns the leader epoch of the last record that was fetched.
func (w *Watch) Epoch() int32 { return w.epoch }
