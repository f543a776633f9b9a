package worker

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/wire"
)

// A receipt says what the delta that has a record says of it, and nothing else.
func TestReceipts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all receipts
		source, other := fold.Source{Topic: "training"}, fold.Source{Topic: "training", Partition: 1}
		delta := func(src fold.Source, start, end int64, skipped ...fold.Skipped) {
			all.note(&fold.Delta{Ranges: []fold.Range{{Source: src, Start: start, End: end, Skipped: skipped}}})
		}
		delta(source, 0, 5) // nobody waits
		receipt, end := all.begin()
		delta(source, 5, 8)
		go func() {
			time.Sleep(time.Second)
			delta(other, 8, 20, fold.Skipped{Offset: 9, Reason: "lost"})
			delta(source, 8, 8) // upkeep
			delta(source, 8, 11, fold.Skipped{Offset: 10, Reason: "unknown_id"})
		}()
		soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		for offset, want := range map[int64]string{4: "written", 7: "counted", 9: "counted", 10: "skipped unknown_id", 11: "written"} {
			outcome, reason := receipt.wait(soon, wire.Ref{Topic: "training", Offset: offset})
			if reason != "" {
				outcome += " " + reason
			}
			if outcome != want {
				t.Errorf("offset %d is %s, want %s", offset, outcome, want)
			}
		}
		end()
		for range all.open.Range {
			t.Error("a receipt is left")
		}
	})
}

// What a state has counted is counted. What a rollback took out is in no span, and another topic of
// the name begins again.
func TestOutcomesOfOtherTopics(t *testing.T) {
	source := fold.Source{Topic: "training"}
	o := NewOutcomes()
	for _, d := range []fold.Delta{{Ranges: []fold.Range{{Start: 0, End: 5}}}, {Ranges: []fold.Range{{Start: 5, End: 8}}}, {Ranges: []fold.Range{{Start: 10, End: 12}}}} {
		d.Ranges[0].Source = source
		o.Accepted(&d)
	}
	want := func(offset int64, want string) {
		t.Helper()
		if got, _ := o.Of(wire.Ref{Topic: "training", Offset: offset}); got != want {
			t.Errorf("offset %d is %s, want %s", offset, got, want)
		}
	}
	want(7, "counted")
	want(9, "written")
	want(11, "counted")
	o.Accepted(&fold.Delta{Ranges: []fold.Range{{Source: source, Start: 0, End: 2}}})
	want(1, "counted")
	want(7, "written")
}
