package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
)

// sendTime is how long a correction may take to become durable.
const sendTime = 15 * time.Second

// SendCorrection writes the record of a correction to a partition of the training topic, and waits until all replicas
// have it. Then it waits for what becomes of it.
func (w *Worker) SendCorrection(ctx context.Context, topic string, partition int, rec stream.Record, wait time.Duration) (httpapi.Corrected, error) {
	done := httpapi.Corrected{ID: string(rec.Key), Topic: topic, Partition: partition, Outcome: httpapi.OutcomeWritten}
	receipt := w.receipts.begin(fold.Source{Topic: topic, Partition: int32(partition)})
	defer receipt.close()
	sending, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	var err error
	done.Offset, err = w.Client.ProduceRetry(sending, topic, partition, []stream.Record{rec})
	if err != nil {
		return done, RefusalOf(ctx, err)
	}
	if wait == 0 {
		return done, nil
	}
	waiting, stop := context.WithTimeout(ctx, wait)
	defer stop()
	reason, err := receipt.wait(waiting, done.Offset)
	switch {
	case err != nil: // the record is durable all the same
	case reason == "":
		done.Outcome = httpapi.OutcomeCounted
	default:
		done.Outcome = httpapi.OutcomeSkipped
		done.Reason = reason
	}
	return done, nil
}

// RefusalOf returns an error of the brokers as the one that a client of HTTP gets.
func RefusalOf(ctx context.Context, err error) error {
	var right *stream.RightError
	switch {
	case errors.As(err, &right):
		return &httpapi.RefusedError{Status: http.StatusForbidden, Reason: "not_allowed", Message: right.Error()}
	case errors.Is(err, stream.ErrUnknownTopic):
		return &httpapi.RefusedError{Status: http.StatusNotFound, Reason: "no_topic", Message: err.Error()}
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("%w: the brokers do not answer, and the label may be written or not", httpapi.ErrNotReady)
	}
	return err
}
