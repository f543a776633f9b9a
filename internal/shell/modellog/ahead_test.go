package modellog_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/storetest"
)

// standing is where a state stands, and the digests that it has there.
type standing struct {
	next            int64
	counts, ledgers digest.Sum
}

func standingOf(s *fold.State) standing {
	counts, ledgers := s.Digests()
	return standing{s.Next(), counts, ledgers}
}

// watched follows the log of a writer to its end. It returns the outcomes, and where the state
// stood behind each hold of the exclusive lock, and for readers and checkpoints.
func watched(t *testing.T, w *digestWriter) (outcomes []fold.Outcome, held, read []standing) {
	t.Helper()
	var r *modellog.Replica
	var mu sync.Mutex
	note := func(list *[]standing) func(*fold.State) {
		return func(s *fold.State) {
			mu.Lock()
			defer mu.Unlock()
			*list = append(*list, standingOf(s))
		}
	}
	r = modellog.New(w.memory, "log", fold.New(true), modellog.Observer{
		Folded:  func(o fold.Outcome) { outcomes = append(outcomes, o) },
		Rebuild: func(reason error, _ func()) { t.Errorf("rebuilt: %v", reason) },
		Held:    func(time.Duration) { r.Read(note(&held)) },
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() { _ = r.Follow(ctx) }) // it ends with ctx
	isWhole := func(s *fold.State) bool { return s.Next() == w.state.Next() }
	group.Go(func() {
		for ctx.Err() == nil {
			r.Read(note(&read))
			r.Copy(func(s *fold.State) {
				store.Copy(s)
				note(&read)(s)
			}, (*fold.State).ClearChanges)
		}
	})
	if err := r.Wait(ctx, isWhole); err != nil {
		t.Fatal(err)
	}
	cancel()
	group.Wait()
	return outcomes, held, read
}

// TestSlices follows a log of more than one slice, with readers and checkpoints meanwhile. Each of
// them sees the state behind some record, few records are folded in one hold, and each has the
// outcome that it has alone: those behind the first spec were decoded before it was folded.
func TestSlices(t *testing.T) {
	const most = 16 << 10 // bytes of records in a slice
	w := newDigestWriter(t)
	for i := range 200 {
		w.write(nil)
		if i%50 == 0 {
			w.append([]byte("unreadable"), nil)
		}
	}
	alone := fold.New(true)
	var want []fold.Outcome
	prefixes := []standing{standingOf(alone)}
	for offset, value := range w.values {
		_, outcome, err := storetest.FoldRecord(alone, &stream.Record{Offset: int64(offset), Value: value}, 0)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, outcome)
		prefixes = append(prefixes, standingOf(alone))
	}
	outcomes, held, read := watched(t, w)
	if !slices.Equal(outcomes, want) {
		t.Errorf("the outcomes are %q, want %q", outcomes, want)
	}
	for _, seen := range slices.Concat(held, read) {
		if seen != prefixes[seen.next] {
			t.Errorf("somebody saw %v, and no prefix of the log is that", seen)
		}
	}
	last := int64(0)
	for _, at := range held {
		size := 0
		for _, value := range w.values[last:at.next] {
			size += len(value)
		}
		if at.next > last+1 && size > most {
			t.Errorf("the records %d to %d, %d bytes, were folded in one hold, want at most %d bytes", last, at.next-1, size, most)
		}
		last = at.next
	}
	if last != w.state.Next() {
		t.Errorf("the last hold ended at offset %d, want %d", last, w.state.Next())
	}
}
