package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The supported versions of the Fetch API: 4 introduced record batches and isolation
// levels (Kafka 0.11), 11 is the newest that kafka-go encodes.
const (
	fetchOldest = 4
	fetchNewest = 11
)

// fetchResponse is an undecoded response to a Fetch request: the goroutine of the
// connection only reads it off the wire, and the goroutine that asked decompresses
// and decodes it.
type fetchResponse struct {
	version int16
	body    []byte // after the correlation id
	refused error  // why it was passed over; nil: it was not
}

// ApiKey implements protocol.Message.
func (*fetchResponse) ApiKey() protocol.ApiKey { return protocol.Fetch }

// readFetchResponse reads one response of at most limit bytes from the wire. One that is not
// admitted is passed over.
func readFetchResponse(r io.Reader, version int16, id int32, limit int, admit func(bytes int) error) (*fetchResponse,
	error) {
	body, err := readBody(r, id, limit, admit)
	if without, ok := errors.AsType[*noRoomError](err); ok {
		return &fetchResponse{refused: without}, nil // the connection is used again
	}
	if errors.Is(err, errResponseLimit) {
		return nil, fmt.Errorf("%w: %w", errBatchLimit, err)
	}
	if err != nil {
		return nil, err
	}
	return &fetchResponse{version: version, body: body}, nil
}

// errResponseLimit says that a response is longer than any to its request.
var errResponseLimit = errors.New("the broker's response is too long")

func admitted(int) error { return nil }

// readBody reads the response to request id, of at most limit bytes, and returns what follows the
// id.
func readBody(r io.Reader, id int32, limit int, admit func(bytes int) error) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int(int32(binary.BigEndian.Uint32(head[:]))) - 4
	if got := int32(binary.BigEndian.Uint32(head[4:])); got != id {
		return nil, protocol.Errorf("the broker answered request %d, want %d", got, id)
	}
	if size < 0 || size > limit {
		return nil, fmt.Errorf("%w: it has %d bytes, and at most %d were expected", errResponseLimit, size, limit)
	}
	if refusal := admit(size); refusal != nil {
		if _, err := io.CopyN(io.Discard, r, int64(size)); err != nil {
			return nil, err
		}
		return nil, refusal
	}
	body := make([]byte, size)
	_, err := io.ReadFull(r, body)
	return body, err
}

// fetchedPartition is the part of a Fetch response about one partition.
type fetchedPartition struct {
	kmsg.FetchResponseTopicPartition

	topicID TopicID // asked behind it
}

// partition decodes the part about topic and partition, the only ones in the request.
func (f *fetchResponse) partition(topic string, partition int) (p fetchedPartition, err error) {
	r := kmsg.NewFetchResponse()
	r.Version = f.version
	if err := r.ReadFrom(f.body); err != nil {
		return p, fmt.Errorf("decode the broker's answer: %w", err)
	}
	if p.ErrorCode = r.ErrorCode; p.ErrorCode != 0 {
		return p, nil
	}
	for i := range r.Topics {
		for _, p.FetchResponseTopicPartition = range r.Topics[i].Partitions {
			if r.Topics[i].Topic == topic && int(p.Partition) == partition {
				return p, nil
			}
		}
	}
	return p, fmt.Errorf("the broker's answer says nothing about %s/%d", topic, partition)
}
