package worker

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/store"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// newIdle returns a worker that nothing but its checkpoints is to run of, and what folds a record
// into it that changes so many rows. Its store is closed when the test ends.
func newIdle(t *testing.T, c config.Worker) (w *Worker, learn func(rows int)) {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "model.db"), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	sp := modeltest.Spec(t, "text: {language: none, stem: false}")
	state := storetest.Start(t, sp, false)
	log := slog.New(slog.DiscardHandler)
	w = &Worker{
		config: c, store: s, log: log, Metrics: httpapi.NewMetrics("classify"), trouble: map[string]string{},
		Replica: modellog.New(nil, "model", state, modellog.Observer{}, log),
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	next := int64(0)
	return w, func(rows int) {
		f := &model.Features{}
		for i := range rows - 1 - spec.ShapeTables { // the class and the shape of the text are more
			f.Bag.Add([]byte{'a' + byte(i/26%26), 'a' + byte(i%26)})
		}
		b := model.NewBuilder(sp)
		b.Observe("spam", 1, f)
		w.Replica.Copy(func(*fold.State) {}, func(s *fold.State) {
			storetest.Fold(t, s, fold.Entry{Delta: &fold.Delta{Ranges: []fold.Range{{Source: storetest.Training, Start: next, End: next + 1}},
				Counting: sp.Counting(),
				Counts:   b.Delta()}}, fold.Accepted)
		})
		next++
	}
}

// stored returns how many records are in the model file.
func stored(t *testing.T, w *Worker) int64 {
	t.Helper()
	state, err := w.store.Load()
	if err != nil {
		t.Fatal(err)
	}
	if state == nil || state.Model() == nil {
		return 0
	}
	return state.Model().Classes().Total()
}

// TestCheckpointsComeAndEnd: a checkpoint comes after the interval, or after the rows, and one more
// when the worker stops, without waiting for either.
func TestCheckpointsComeAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, learn := newIdle(t, config.Worker{CheckpointEach: 2 * time.Second, CheckpointRows: 100})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ended := make(chan error)
		go func() { ended <- w.checkpoints(ctx) }()
		after := func(d time.Duration, want int64, what string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := stored(t, w); got != want {
				t.Errorf("%s: %d records are in the model file, want %d", what, got, want)
			}
		}
		learn(99)
		after(1900*time.Millisecond, 0, "before the interval")
		after(200*time.Millisecond, 1, "after the interval")
		learn(100)
		after(200*time.Millisecond, 2, "after the rows")
		learn(3)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		after(0, 3, "after the end")
	})
}
