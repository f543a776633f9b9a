// Package worker is what ingest and classify have in common: a replica of the model that follows
// the log, its checkpoints in a file, the group, dead letters, HTTP, and an orderly stop.
//
// A stop goes from the front to the back: no more records are fetched, those in flight are
// finished, the group is left, the last checkpoint is written, HTTP ends. The next start repeats
// what was not finished; the fold counts nothing twice.
package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
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
	w.readModel(func(m *model.Model) { n = m.Changed() })
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

// partKafka is the part of the work that is to reach Kafka for the first time.
const partKafka = "kafka"

// insistEach is the pause between two attempts. Each of them is patient by itself.
const insistEach = time.Second

// insist repeats what a start needs of Kafka until it succeeds, as long as the trouble may pass.
// HTTP says meanwhile what the worker waits for.
func (w *Worker) insist(ctx context.Context, start func(ctx context.Context) error) error {
	for {
		err := start(ctx)
		w.report(partKafka, err)
		if !errors.Is(err, stream.ErrRetriable) || ctx.Err() != nil {
			return err
		}
		w.log.Warn("the worker waits for Kafka, and starts when it answers", "reason", err)
		if !stream.Sleep(ctx, insistEach) {
			return context.Cause(ctx)
		}
	}
}

// DeadLetterPartition returns the partition of the dead-letter topic that takes the dead letters of
// an input partition.
func (w *Worker) DeadLetterPartition(partition int) int { return partition % w.deadPart }

// DeadLetters writes dead letters and returns when all replicas have them.
func (w *Worker) DeadLetters(ctx context.Context, partition int32, records []stream.Record) error {
	for i := range records {
		// One at a time: two of the largest size do not fit into a batch.
		if _, err := w.Client.ProduceRetry(ctx, w.config.DeadTopic, w.DeadLetterPartition(int(partition)),
			records[i:i+1]); err != nil {
			return fmt.Errorf("dead letters: %w", err)
		}
		w.Metrics.DeadLetter(wire.DeadReason(&records[i]))
		w.NoteDeadLetter(&records[i])
	}
	return nil
}
