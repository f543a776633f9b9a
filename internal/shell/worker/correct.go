package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// sendTime is how long records may take to become durable.
const sendTime = 15 * time.Second

// WriteDurably writes records to a partition, and waits until all replicas have them. It returns
// the offset of the last one.
func WriteDurably(ctx context.Context, to *stream.Client, topic string, partition int,
	records ...stream.Record) (int64, error) {
	sending, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	base, err := to.ProduceRetry(sending, topic, partition, records)
	return base + int64(len(records)) - 1, RefusalOf(ctx, err)
}

// SendCorrection writes the record of a correction to a partition of the training topic, and waits
// until all replicas have it. Then it waits for what becomes of it.
func (w *Worker) SendCorrection(ctx context.Context, topic string, partition int, rec stream.Record,
	wait time.Duration) (httpapi.Corrected, error) {
	done := httpapi.Corrected{ID: string(rec.Key), Topic: topic, Partition: partition, Outcome: httpapi.OutcomeWritten}
	receipt, end := w.receipts.begin()
	defer end()
	var err error
	done.Offset, err = WriteDurably(ctx, w.Client, topic, partition, rec)
	if err != nil {
		return done, err
	}
	if wait == 0 {
		return done, nil
	}
	waiting, stop := context.WithTimeout(ctx, wait)
	defer stop()
	done.Outcome, done.Reason = receipt.wait(waiting, wire.Ref{Topic: topic, Partition: partition, Offset: done.Offset})
	return done, nil
}

// RefusalOf returns an error of the brokers as the one that a client of HTTP gets.
func RefusalOf(ctx context.Context, err error) error {
	var right *stream.RightError
	switch {
	case errors.As(err, &right):
		return httpapi.Refusef(http.StatusForbidden, "not_allowed", "%v", right)
	case errors.Is(err, stream.ErrUnknownTopic):
		return httpapi.Refusef(http.StatusNotFound, "no_topic", "%v", err)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("%w: the brokers do not answer, and the record may be written or not", httpapi.ErrNotReady)
	}
	return err
}
