package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// Pauses between attempts double from firstPause to longestPause. Each is shortened
// by up to half at random, so that clients do not retry together. The longest one is
// that of Kafka's own clients (retry.backoff.max.ms): an outage lasts so much longer
// for the client than for the broker.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = time.Second
)

// pauseAfter returns the pause after an attempt, counted from 0.
func pauseAfter(attempt int) time.Duration {
	full := longestPause
	if attempt < 4 {
		full = min(firstPause<<attempt, longestPause)
	}
	return full - rand.N(full/2)
}

// Sleep waits. If ctx ends first, it returns false.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// newTopicGrace is how long a new topic or partition may be unknown to some brokers.
const newTopicGrace = 2 * time.Second

// quiet is how long a request is retried before a warning.
const quiet = 2 * time.Second

// retry repeats attempt until it succeeds, fails permanently, ctx ends, or patience is
// over (0: no limit). what names the call in errors and logs.
func (c *Client) retry(ctx context.Context, what string, patience time.Duration,
	attempt func(context.Context) error) error {
	start := time.Now()
	warned := false
	for n := 0; ; n++ {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
		pause := pauseAfter(n)
		waited := time.Since(start) + pause
		again := retriable(err) && (patience == 0 || waited < patience) ||
			(errors.Is(err, ErrUnknownTopic) || errors.Is(err, ErrUnknownPartition)) && waited < newTopicGrace
		if !again {
			return classify(fmt.Errorf("%s: %w", what, err))
		}
		if !warned && waited > quiet {
			warned = true
			c.log.LogAttrs(ctx, slog.LevelWarn, "a request to Kafka fails and is retried", slog.String("request", what),
				slog.Any("error", err))
		}
		if !Sleep(ctx, pause) {
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
	}
}

// Errors that callers distinguish, with errors.Is.
var (
	// ErrRetriable marks a temporary failure: the same call can succeed later.
	ErrRetriable = errors.New("the trouble may pass: try again")
	// ErrUnknownTopic says that the brokers have no such topic.
	ErrUnknownTopic = errors.New("the topic does not exist: create it, or check its name and the rights to see it")
	// ErrUnknownPartition says that the topic has fewer partitions.
	ErrUnknownPartition = errors.New("the topic has no such partition")
	// ErrTopicExists says that a topic of that name exists.
	ErrTopicExists = errors.New("the topic exists already")
	// ErrOffsetOutOfRange marks an *[OffsetError].
	ErrOffsetOutOfRange = errors.New("the offset is out of range")
	// ErrRecordTooLarge says that the broker refuses a batch of that size.
	ErrRecordTooLarge = errors.New("the records are larger than the topic allows: raise its " +
		"max.message.bytes, or send fewer at once")
	// ErrBadBatch marks a *[BatchError].
	ErrBadBatch = errors.New("the batch cannot be delivered")
	// ErrGenerationEnded is returned by a commit after the partition was revoked.
	ErrGenerationEnded = errors.New("the group generation has ended: the partition may belong to another member")
	// ErrFenced says that another owner has taken over the partition of a Producer, or that its
	// transaction was open for too long.
	ErrFenced = errors.New("the producer is fenced: another one has taken over its " +
		"partition, or its transaction was open for too long")
	// ErrNoTransactions says that the brokers refuse transactions, and not for a moment.
	ErrNoTransactions = errors.New("the brokers refuse transactions")
	// ErrClosed is returned by a Client after Close.
	ErrClosed = errors.New("the client is closed")
)

// OffsetError says that a partition does not hold an offset.
type OffsetError struct {
	Topic     string
	Partition int
	Offset    int64
	LogStart  int64 // the first offset, -1 if not known
	End       int64 // one past the last, -1 if not known
}

// Error names the requested offset and those that the partition holds.
func (e *OffsetError) Error() string {
	return fmt.Sprintf("%s/%d has the offsets from %d up to %d, asked for %d: records were deleted, or the topic is "+
		"another one than before",
		e.Topic, e.Partition, e.LogStart, e.End, e.Offset)
}

// Is makes every OffsetError an ErrOffsetOutOfRange.
func (e *OffsetError) Is(target error) bool { return target == ErrOffsetOutOfRange }

// retriableError adds ErrRetriable to an error without changing its text.
type retriableError struct{ error }

func (e retriableError) Unwrap() error        { return e.error }
func (e retriableError) Is(target error) bool { return target == ErrRetriable }

func classify(err error) error {
	if err == nil || errors.Is(err, ErrRetriable) || !retriable(err) {
		return err
	}
	return retriableError{err}
}

// final lists our own errors that are permanent, whatever they wrap.
var final = []error{
	ErrUnknownTopic, ErrUnknownPartition, ErrTopicExists, ErrOffsetOutOfRange,
	ErrRecordTooLarge, ErrBadBatch, ErrGenerationEnded, ErrFenced, ErrNoTransactions, ErrClosed, errBatchLimit,
	errResponseLimit, context.Canceled,
}

// retriable reports whether an error is temporary. A deadline is: it is that of one
// request, because callers check their own context first.
func retriable(err error) bool {
	if errors.As(err, new(*AccessError)) {
		return errors.Is(err, ErrRetriable)
	}
	if isAny(err, final...) {
		return false
	}
	if code, ok := errors.AsType[kafka.Error](err); ok {
		return code.Temporary() || code == kafka.Unknown || code == kafka.BrokerNotAvailable ||
			code == kafka.ReplicaNotAvailable
	}
	return errors.As(err, new(net.Error)) || isAny(err, protocol.ErrNoTopic, protocol.ErrNoPartition,
		protocol.ErrNoLeader, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.EPIPE, context.DeadlineExceeded)
}

// isAny reports whether an error is one of several.
func isAny(err error, of ...error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}

// brokerError returns an error code of the protocol as an error, with the message of
// the broker, if any.
func brokerError(code int16, message string) error {
	if code == 0 {
		return nil
	}
	err := error(kafka.Error(code))
	switch kafka.Error(code) {
	case kafka.TopicAlreadyExists:
		err = ErrTopicExists
	case kafka.MessageSizeTooLarge, kafka.RecordListTooLarge:
		err = fmt.Errorf("%w (%w)", ErrRecordTooLarge, kafka.Error(code))
	}
	if message != "" {
		err = fmt.Errorf("%w: %s", err, message)
	}
	if kafka.Error(code) == kafka.InvalidTimestamp {
		err = fmt.Errorf("%w: set the clock of this machine right, the records have its time", err)
	}
	return err
}
