package modellog_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/testing/storetest"
)

// snapshot returns the state after all that was written.
func (w *digestWriter) snapshot() *fold.State {
	w.t.Helper()
	s := fold.New(true)
	for offset, value := range w.values {
		if _, _, err := storetest.FoldRecord(s, &stream.Record{Offset: int64(offset), Value: value}, 0); err != nil {
			w.t.Fatal(err)
		}
	}
	s.Settle()
	return s
}

// A replica that the log no longer reaches back to goes on from a snapshot: a new one, and one that
// the log was cut behind while it could not read it. Where the snapshot is too old, it keeps what
// it has, says so and takes the next one. Where no snapshot may come, Follow ends with the reason.
func TestCutLogGoesOnFromSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDigestWriter(t)
		var snapshot *fold.State
		// cut writes records, and deletes those before the last one; the newest snapshot is of before it,
		// or is older.
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
		var halted error
		r := modellog.New(w.memory, "log", fold.New(true), modellog.Observer{
			Folded: func(fold.Outcome) {}, Rebuild: func(reason error, _ func()) { t.Errorf("the state was rebuilt: %v", reason) },
			Halted: func(reason error) { halted = reason },
			Truncated: func(_ context.Context, reason *modellog.TruncatedError, swap func(*fold.State)) error {
				if snapshot.Next() < reason.Start {
					return reason
				}
				taken++
				swap(snapshot)
				return nil
			},
		}, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		cut(true)
		go func() { _ = r.Follow(ctx) }()
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
		time.Sleep(time.Minute)
		synctest.Wait()
		var truncated *modellog.TruncatedError
		if !errors.As(halted, &truncated) {
			t.Errorf("halted for %v, want that the log is cut", halted)
		}
		cut(true)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if halted != nil || taken != 3 {
			t.Errorf("%d snapshots were taken, halted: %v; want a third one", taken, halted)
		}
		w.mustEqual(&follower{Replica: r})
		none := modellog.New(w.memory, "log", fold.New(true), modellog.Observer{Folded: func(fold.Outcome) {}}, slog.New(slog.DiscardHandler))
		if err := none.Follow(ctx); !errors.As(err, &truncated) {
			t.Errorf("Follow without snapshots ended with %v, want that the log is cut", err)
		}
	})
}
