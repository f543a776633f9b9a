package worker

import (
	"testing"

	"bayestream/internal/stream"
)

// TestWatchDoubts: a fetch is doubted if the topic may be another one than that of the fetch before.
func TestWatchDoubts(t *testing.T) {
	fetched := func(start, end int64, epoch int32) stream.Fetched {
		return stream.Fetched{LogStart: start, HighWatermark: end, LeaderEpoch: epoch, Records: []stream.Record{{}}}
	}
	var w Watch
	interrupted := fetched(6, 12, 2)
	interrupted.Interrupted = true
	first := &Fetched{Fetched: fetched(5, 9, 2)}
	if !w.Doubts(first) {
		t.Error("the first fetch is not doubted")
	}
	w.Compared(stream.TopicID{1})
	w.Note(first)
	for name, c := range map[string]struct {
		got  Fetched
		want bool
	}{
		"the next":              {Fetched{Fetched: fetched(6, 12, 2)}, false},
		"failed before":         {Fetched{Fetched: interrupted}, true},
		"records are gone":      {Fetched{Fetched: fetched(6, 12, 2), Lost: 1}, true},
		"a batch of no records": {Fetched{Unreadable: &stream.BatchError{}}, true},
		"another leader":        {Fetched{Fetched: fetched(6, 12, 3)}, true},
		"an earlier start":      {Fetched{Fetched: fetched(0, 12, 2)}, true},
		"an earlier end":        {Fetched{Fetched: fetched(6, 8, 2)}, true},
	} {
		if got := w.Doubts(&c.got); got != c.want {
			t.Errorf("%s: doubted: %v, want %v", name, got, c.want)
		}
	}
}
