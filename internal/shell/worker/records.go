package worker

import (
	"context"
	"fmt"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

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
