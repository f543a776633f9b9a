package worker

import (
	"context"
	"errors"
	"time"

	"bayestream/internal/shell/stream"
)

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
		select {
		case <-time.After(insistEach):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
