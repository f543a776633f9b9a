package worker

import (
	"fmt"
	"testing"
	"testing/synctest"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
)

// TestWatchDoubts: a fetch is doubted if the topic may be another one than that of the fetch
// before.
func TestWatchDoubts(t *testing.T) {
	memory := kafkatest.NewMemory()
	memory.CreateTopic("t", 1)
	id, err := memory.TopicID(t.Context(), "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	fetched := func(start, end int64, epoch int32) stream.Fetched {
		return stream.Fetched{LogStart: start, HighWatermark: end, LeaderEpoch: epoch, TopicID: id, Records: []stream.Record{{}}}
	}
	var w Watch
	interrupted := fetched(6, 12, 2)
	interrupted.Interrupted = true
	another := fetched(6, 12, 2)
	another.TopicID = stream.TopicID{9}
	first := &Fetched{Fetched: fetched(5, 9, 2)}
	if !w.Doubts(first) {
		t.Error("the first fetch is not doubted")
	}
	if found, err := w.Compare(t.Context(), memory, "t", 0, 0, fold.NoAnchor); err != nil || found.What != "" || w.ID() != id {
		t.Fatalf("compared: %+v, %v, the id is %s", found, err, w.ID())
	}
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
		"another topic":         {Fetched{Fetched: another}, true},
		"an earlier start":      {Fetched{Fetched: fetched(0, 12, 2)}, true},
		"an earlier end":        {Fetched{Fetched: fetched(6, 8, 2)}, true},
	} {
		if got := w.Doubts(&c.got); got != c.want {
			t.Errorf("%s: doubted: %v, want %v", name, got, c.want)
		}
	}
}

// TestWatchWithoutIDs replaces a topic without an id unseen, of which records are read as if they
// were of the one before. The next comparison finds it, and says to go on behind these.
func TestWatchWithoutIDs(t *testing.T) {
	for _, c := range []struct{ read, end, begin int64 }{{4, 9, 0}, {6, 9, 6}, {9, 9, 9}, {6, 5, 0}} {
		synctest.Test(t, func(t *testing.T) {
			memory := kafkatest.NewMemory()
			memory.HideIDs()
			var w Watch
			anchorAt := func(next int64) fold.Anchor {
				rec, err := ReadAt(t.Context(), memory, "t", 0, next-1)
				if err != nil || rec == nil {
					t.Fatalf("no record at offset %d: %v", next-1, err)
				}
				return Anchor(rec, 0, w.ID())
			}
			fill(t, memory, "old", 4)
			before := anchorAt(4)
			if found, err := w.Compare(t.Context(), memory, "t", 0, 4, before); err != nil || found.What != "" {
				t.Fatalf("the first comparison: %+v, %v", found, err)
			}
			fill(t, memory, "new", 9)
			last := before
			if c.read > 4 {
				last = anchorAt(c.read)
			}
			if c.end < 9 {
				fill(t, memory, "newest", c.end)
			}
			found, err := w.Compare(t.Context(), memory, "t", 0, c.read, last)
			if err != nil || found.What == "" {
				t.Fatalf("read up to offset %d: %+v, %v, want another topic", c.read, found, err)
			}
			if begin, err := found.Begin(t.Context(), memory, "t", 0, c.read, last); err != nil || begin != c.begin {
				t.Errorf("read up to offset %d of %d: go on at %d, %v, want %d", c.read, c.end, begin, err, c.begin)
			}
		})
	}
}

// fill creates the topic again with n records.
func fill(t *testing.T, memory *kafkatest.Memory, text string, n int64) {
	t.Helper()
	memory.CreateTopic("t", 1)
	for i := range n {
		value := fmt.Appendf(nil, "%s %d", text, i)
		if _, err := memory.Produce(t.Context(), "t", 0, []stream.Record{{Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
}
