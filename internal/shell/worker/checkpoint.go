package worker

import (
	"context"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/store"
)

// checkpoints writes what changed to the model file, at the pace of store.Pace and once at the end.
// A file that cannot be written stops the worker: the log has everything, a restart loses nothing.
func (w *Worker) checkpoints(ctx context.Context) error {
	const look = 200 * time.Millisecond
	tick := time.NewTicker(min(look, w.config.CheckpointEach))
	defer tick.Stop()
	pace := store.NewPace(w.config.CheckpointEach, w.config.CheckpointRows, time.Now())
	for {
		select {
		case <-ctx.Done():
			_, err := w.checkpoint()
			return err
		case now := <-tick.C:
			if !pace.Due(now, w.changed()) {
				continue
			}
			took, err := w.checkpoint()
			if err != nil {
				return err
			}
			pace.Wrote(took, time.Now())
		}
	}
}

// changed returns how many rows of the model the file does not have yet.
func (w *Worker) changed() (n int) {
	w.Replica.Read(func(s *fold.State) {
		if s.Model() != nil {
			n = s.Model().Changed()
		}
	})
	return n
}

// errNoFile: the worker has not opened its file yet, or has moved it aside and could not open
// another.
var errNoFile = fmt.Errorf("%w: no model file is open: its log says why", httpapi.ErrNotReady)

// checkpoint writes what changed and returns how long that took.
func (w *Worker) checkpoint() (took time.Duration, err error) {
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	if w.store == nil {
		return 0, errNoFile
	}
	start := time.Now()
	var batch *store.Batch
	w.Replica.Copy(func(s *fold.State) { batch = store.Copy(s) }, (*fold.State).ClearChanges)
	if err := w.store.Write(batch); err != nil {
		return 0, fmt.Errorf("the model file cannot be written: %w; free some space or repair "+
			"the disk and restart, nothing is lost", err)
	}
	took = time.Since(start)
	w.Metrics.Checkpoint(batch.Rows(), took, time.Now())
	return took, nil
}
