package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/modellog"
	"bayestream/internal/stream"
	"bayestream/internal/testing/kafkatest"
)

// snapshot returns the state after all that was written.
func (w *digestWriter) snapshot() *fold.State {
	w.t.Helper()
	s := fold.New(true)
	for offset, value := range w.values {
		if _, _, err := modellog.Fold(s, &stream.Record{Offset: int64(offset), Value: value}, 0); err != nil {
			w.t.Fatal(err)
		}
	}
	s.Settle()
	return s
}

// A replica that the log no longer reaches back to goes on from a snapshot: a new one, and one that the log was cut
// behind while it could not read it. Where no snapshot leads on, Follow ends with the reason.
func TestCutLogGoesOnFromSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDigestWriter(t)
		var snapshot *fold.State
		// cut writes records, and deletes those before the last one; the newest snapshot is of before it, or is older.
		cut := func(newer bool) {
			for range 3 {
				w.write(nil)
			}
			next := w.state.Next()
			if newer {
				snapshot = w.snapshot()
			}
			w.write(nil)
			w.memory.Truncate("log", 0, next)
		}
		taken := 0
		r := modellog.New(w.memory, "log", fold.New(true), modellog.Observer{
			Folded: func(fold.Outcome) {}, Rebuild: func(reason error, _ func()) { t.Errorf("the state was rebuilt: %v", reason) },
			Truncated: func(_ context.Context, reason *modellog.TruncatedError, swap func(*fold.State)) error {
				if snapshot.Next() < reason.Start {
					return reason
				}
				taken++
				swap(snapshot)
				return nil
			},
		}, slog.New(slog.DiscardHandler))
		ended := make(chan error, 1)
		cut(true)
		go func() { ended <- r.Follow(t.Context()) }()
		for n := 1; n <= 2; n++ {
			w.mustEqual(&follower{Replica: r})
			if taken != n {
				t.Errorf("%d snapshots were taken, want %d", taken, n)
			}
			w.memory.Intercept(func(m kafkatest.MemoryRequest) error {
				if m.Kind == "produce" {
					return nil
				}
				return stream.ErrRetriable
			})
			time.Sleep(time.Minute) // a fetch that waits for records ends
			cut(n == 1)
			w.memory.Intercept(nil)
		}
		var truncated *modellog.TruncatedError
		if err := <-ended; !errors.As(err, &truncated) {
			t.Errorf("Follow ended with %v, want that the log is cut", err)
		}
	})
}
