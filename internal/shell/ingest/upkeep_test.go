package ingest

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/kafkatest"

	"google.golang.org/protobuf/proto"
)

// learnAndForget learns two documents, then forgets the first and learns another one. It returns
// the offset of the model log between the two.
func learnAndForget(l *loop) (back int64) {
	l.t.Helper()
	l.train(document(1, "a"), document(2, "b"))
	l.learn()
	l.wantCounted(2, 2)
	back = int64(len(l.memory.Records("model", 0)))
	l.train(`{"id":"d1","label":null}`, document(3, "a"))
	l.wantCounted(4, 2)
	return back
}

func (l *loop) rollback(to int64) {
	l.t.Helper()
	if _, err := modellog.Command(l.t.Context(), l.memory, "model", fold.New(false), modellog.Rollback(to, "test")); err != nil {
		l.t.Fatal(err)
	}
}

// wantOwed checks how many documents are owed, and how many upkeep deltas were counted.
func (l *loop) wantOwed(owed, upkeep int) {
	l.t.Helper()
	n := l.upkeep()
	l.replica.Read(func(s *fold.State) {
		if got := s.Ledger(fold.Source{Topic: "training"}).OwedLen(); got != owed || n != upkeep {
			l.t.Errorf("%d documents are owed after %d upkeep deltas, want %d after %d", got, n, owed, upkeep)
		}
	})
}

// upkeep returns how many upkeep deltas the model log counts.
func (l *loop) upkeep() (n int) {
	l.t.Helper()
	each := func(e fold.Entry, outcome fold.Outcome) {
		if e.Offset == 0 {
			n = 0 // it is folded again
		}
		if outcome == fold.Accepted && e.Delta.IsUpkeep() {
			n++
		}
	}
	if err := modellog.Replay(l.t.Context(), l.memory, "model", fold.New(true), -1, each); err != nil {
		l.t.Fatal(err)
	}
	return n
}

// TestOwedForgets rolls back over a forget: the document is taken out again, once, and counting
// goes on.
func TestOwedForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		l.rollback(learnAndForget(l))
		l.wantCounted(4, 1)
		l.wantOwed(0, 1)
		l.train(document(4, "a"))
		l.wantCounted(5, 2)
		if l.host.Trouble != nil {
			t.Errorf("trouble: %v", l.host.Trouble)
		}
	})
}

// TestOwedForgetWithoutText rolls back over a forget of a document whose text is gone: it stays
// counted and owed, and counting goes on.
func TestOwedForgetWithoutText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, nil)
		defer l.end()
		back := learnAndForget(l)
		l.memory.Truncate("training", 0, 1)
		l.wantCounted(4, 2)
		l.rollback(back)
		l.train(document(4, "a"))
		l.wantCounted(5, 3)
		l.wantOwed(1, 1)
		if l.host.Trouble != nil {
			t.Errorf("trouble: %v", l.host.Trouble)
		}
	})
}

// TestUpkeepBehindLostRecords: a new leader of the model log has lost all deltas when the upkeep
// behind them is appended, and the replica is late to see that. The fold has not judged the upkeep,
// so that nothing is said of the text, which is there.
func TestUpkeepBehindLostRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startWindow(t, "{records: 1}")
		defer l.end()
		l.train(nameless(1))
		l.learn()
		l.wantCounted(1, 1)
		var lost atomic.Bool
		l.memory.Intercept(func(r kafkatest.MemoryRequest) error {
			switch {
			case r.Topic != "model":
			case r.Kind == "offsets" && lost.Load():
				time.Sleep(time.Second)
			case r.Kind == "produce" && upkeepIn(t, &r.Records[0]) != nil && !lost.Swap(true):
				l.memory.Elect("model", 0, 1)
			}
			return nil
		})
		l.train(nameless(2))
		l.wantCounted(2, 1)
		l.wantWindow(0, "exact")
		if !lost.Load() {
			t.Error("nothing was lost")
		}
		for _, rec := range l.memory.Records("model", 0) {
			if d := upkeepIn(t, &rec); saysGone(t, d) {
				t.Errorf("a text is said to be gone: %v", d)
			}
		}
	})
}

// TestGoneDocumentsFitIntoDeltas: the texts of many documents with long ids are gone when they are
// owed. The delta that says so is closed before it is larger than a record of the model topic may
// be, and the next one goes on where it ended.
func TestGoneDocumentsFitIntoDeltas(t *testing.T) {
	b := newBatch(t, "", mapView{})
	b.most = 4 * codec.LargestChange
	var owed []fold.LedgerChange
	for i := range int64(200) {
		put := fold.Learned{Label: "a", Weight: 1, Topic: "t", Partition: 1, Offset: i}
		owed = append(owed, fold.LedgerChange{Offset: i, ID: fmt.Sprintf("%0500d", i), Put: &put})
	}
	deltas := 0
	for i := 0; i < len(owed); deltas++ {
		b.begin(0, mapView{}, &worker.Fetched{})
		first := i
		for i < len(owed) {
			taken, gone := b.takeOut(&owed[i], texts{}, nil)
			if !taken && gone != nil {
				t.Fatalf("document %d is said to be gone, and does not fit", i)
			}
			if !taken {
				break
			}
			if gone == nil {
				t.Fatalf("document %d is not gone", i)
			}
			i++
		}
		value, err := codec.EncodeDelta(b.delta(spec.Fingerprint{}, false))
		if err != nil {
			t.Fatal(err)
		}
		if len(value) > b.most || i == first {
			t.Fatalf("the delta of documents %d to %d has %d bytes, more than %d, or none", first, i-1, len(value), b.most)
		}
	}
	if deltas < 2 {
		t.Errorf("%d deltas: the test does not test a full one", deltas)
	}
}

// upkeepIn returns the upkeep delta that a record of the model log holds, nil if it holds none.
func upkeepIn(t *testing.T, rec *stream.Record) *logpb.Range {
	t.Helper()
	var r logpb.Record
	if err := proto.Unmarshal(rec.Value, &r); err != nil {
		t.Fatal(err)
	}
	if d := r.GetDelta(); d != nil && d.GetRanges()[0].GetStart() == d.GetRanges()[0].GetEnd() {
		return d.GetRanges()[0]
	}
	return nil
}

// saysGone reports whether an upkeep delta says of a text that it is gone.
func saysGone(t *testing.T, d *logpb.Range) bool {
	t.Helper()
	var changes logpb.LedgerChanges
	if err := proto.Unmarshal(d.GetLedger().GetChanges(), &changes); err != nil {
		t.Fatal(err)
	}
	return slices.Contains(changes.GetGone(), true)
}
