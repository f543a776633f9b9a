package stream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// What a caller may want to tell apart, with errors.Is.
var (
	// ErrRetriable marks trouble that passes by itself: the same call can
	// succeed later.
	ErrRetriable = errors.New("the trouble may pass: try again")
	// ErrUnknownTopic says that a broker was asked and knows no such topic.
	ErrUnknownTopic = errors.New("the topic does not exist: create it, or check its name and the rights to see it")
	// ErrUnknownPartition says that the topic has fewer partitions.
	ErrUnknownPartition = errors.New("the topic has no such partition")
	// ErrTopicExists says that a topic of that name is there already.
	ErrTopicExists = errors.New("the topic exists already")
	// ErrOffsetOutOfRange marks an *[OffsetError].
	ErrOffsetOutOfRange = errors.New("the offset is out of range")
	// ErrRecordTooLarge says that the broker takes no batch of that size.
	ErrRecordTooLarge = errors.New("the records are larger than the topic allows: raise its max.message.bytes, or send fewer at once")
	// ErrBadBatch marks a *[BatchError].
	ErrBadBatch = errors.New("the batch cannot be delivered")
	// ErrGenerationEnded is what a commit returns after the partition was
	// taken away.
	ErrGenerationEnded = errors.New("the group generation has ended: the partition may belong to another member")
	// ErrClosed is returned by a Client after Close.
	ErrClosed = errors.New("the client is closed")
)

// OffsetError says that an offset lies outside of what the partition holds.
type OffsetError struct {
	Topic     string
	Partition int
	Offset    int64
	LogStart  int64 // the first offset there is, -1 when not known
	End       int64 // one past the last, -1 when not known
}

// Error says what was asked for and what there is.
func (e *OffsetError) Error() string {
	return fmt.Sprintf("%s/%d has the offsets from %d up to %d, asked for %d: records were deleted, or the topic is another one than before",
		e.Topic, e.Partition, e.LogStart, e.End, e.Offset)
}

// Is makes every OffsetError an ErrOffsetOutOfRange.
func (e *OffsetError) Is(target error) bool { return target == ErrOffsetOutOfRange }

// retriableError adds ErrRetriable to an error without changing its words.
type retriableError struct{ error }

func (e retriableError) Unwrap() error        { return e.error }
func (e retriableError) Is(target error) bool { return target == ErrRetriable }

// classify marks err as retriable where it is.
func classify(err error) error {
	if err == nil || errors.Is(err, ErrRetriable) || !retriable(err) {
		return err
	}
	return retriableError{err}
}

// final lists our own errors that no waiting cures, whatever they wrap.
var final = []error{
	ErrUnknownTopic, ErrUnknownPartition, ErrTopicExists, ErrOffsetOutOfRange,
	ErrRecordTooLarge, ErrBadBatch, ErrGenerationEnded, ErrClosed, errBatchLimit, context.Canceled,
}

// retriable tells trouble that passes from errors that stay. A deadline counts
// as the former: it is that of one request, for callers look at their own
// context before they ask.
func retriable(err error) bool {
	for _, sentinel := range final {
		if errors.Is(err, sentinel) {
			return false
		}
	}
	var code kafka.Error
	if errors.As(err, &code) {
		return code.Temporary() || code == kafka.Unknown || code == kafka.BrokerNotAvailable || code == kafka.ReplicaNotAvailable
	}
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return false
	}
	var network net.Error
	return errors.Is(err, protocol.ErrNoTopic) || errors.Is(err, protocol.ErrNoPartition) || errors.Is(err, protocol.ErrNoLeader) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network)
}

// brokerError turns an error code of the protocol into an error, with what the
// broker added to it.
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
	return err
}
