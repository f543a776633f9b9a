package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/store"
)

// checkpoints writes what changed to the model file, now and then and once more at the end. A file
// that cannot be written stops the worker: the log has everything, a restart loses nothing.
func (w *Worker) checkpoints(ctx context.Context) error {
	const look = 200 * time.Millisecond
	tick := time.NewTicker(min(look, w.config.CheckpointEach))
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return w.checkpoint()
		case now := <-tick.C:
			if now.Sub(last) < w.config.CheckpointEach && w.changed() < w.config.CheckpointRows {
				continue
			}
			if err := w.checkpoint(); err != nil {
				return err
			}
			last = time.Now()
		}
	}
}

func (w *Worker) changed() (n int) {
	w.Replica.Read(func(s *fold.State) {
		if s.Model() != nil {
			n = s.Model().Changed()
		}
	})
	return n
}

func (w *Worker) checkpoint() error {
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	if w.store == nil {
		return errors.New("there is no model file to write checkpoints to: see the errors above")
	}
	start := time.Now()
	var batch *store.Batch
	w.Replica.Update(func(s *fold.State) { batch = store.Collect(s) })
	if err := w.store.Write(batch); err != nil {
		return fmt.Errorf("the model file cannot be written: %w; free some space or mend the disk and start again, nothing is lost", err)
	}
	w.Metrics.Checkpoint(batch.Rows(), time.Since(start), time.Now())
	return nil
}
