package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
)

// TestReceipts: a receipt says what the delta that covers the offset says of it, and nothing else.
func TestReceipts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all receipts
		source, other := fold.Source{Topic: "training"}, fold.Source{Topic: "training", Partition: 1}
		delta := func(src fold.Source, start, end int64, skipped ...fold.Skipped) {
			all.note(&fold.Delta{Source: src, Start: start, End: end, Skipped: skipped})
		}
		delta(source, 0, 5) // nobody waits
		counted, skipped := all.begin(source), all.begin(source)
		delta(source, 5, 8)
		go func() {
			time.Sleep(time.Second)
			delta(other, 8, 20, fold.Skipped{Offset: 9, Reason: "lost"})
			delta(source, 8, 8) // upkeep
			delta(source, 8, 11, fold.Skipped{Offset: 10, Reason: "unknown_id"})
		}()
		if reason, err := counted.wait(t.Context(), 9); reason != "" || err != nil {
			t.Errorf("offset 9: %q, %v; want it to be counted", reason, err)
		}
		if reason, err := skipped.wait(t.Context(), 10); reason != "unknown_id" || err != nil {
			t.Errorf("offset 10: %q, %v; want it to be skipped", reason, err)
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := counted.wait(soon, 11); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("offset 11: %v, want the end of the time", err)
		}
		counted.close()
		skipped.close()
		if len(all.open) != 0 {
			t.Errorf("%d receipts are left", len(all.open))
		}
	})
}
