package stream

import (
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go/protocol"
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

// admitted admits every response.
func admitted(int) error { return nil }

// readBody reads the response to request id, of at most limit bytes, and returns what follows the
// id.
func readBody(r io.Reader, id int32, limit int, admit func(bytes int) error) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	c := cursor{rest: head[:]}
	size := int(c.int32()) - 4
	got := c.int32()
	if got != id {
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
	code          int16
	highWatermark int64
	lastStable    int64
	logStart      int64
	aborted       []abortedTxn
	records       []byte
	topicID       TopicID // asked behind it
}

// partition decodes the part about topic and partition, the only ones in the request.
func (f *fetchResponse) partition(topic string, partition int) (fetchedPartition, error) {
	c := cursor{rest: f.body}
	c.int32() // throttle time: the broker delays the connection itself
	if f.version >= 7 {
		code := c.int16()
		if code != 0 {
			return fetchedPartition{code: code}, nil
		}
		c.int32() // session id
	}
	const smallestTopic, smallestPartition = 6, 30
	for range c.length(smallestTopic) {
		name := c.text()
		for range c.length(smallestPartition) {
			index := int(c.int32())
			p := f.decodePartition(&c)
			if c.err == nil && name == topic && index == partition {
				return p, nil
			}
		}
	}
	if c.err != nil {
		return fetchedPartition{}, fmt.Errorf("decode the broker's answer: %w", c.err)
	}
	return fetchedPartition{}, fmt.Errorf("the broker's answer says nothing about %s/%d", topic, partition)
}

func (f *fetchResponse) decodePartition(c *cursor) fetchedPartition {
	p := fetchedPartition{code: c.int16(), highWatermark: c.int64(), lastStable: c.int64(), logStart: -1}
	if f.version >= 5 {
		p.logStart = c.int64()
	}
	const abortedSize = 16
	n := c.length(abortedSize)
	if n > 0 {
		p.aborted = make([]abortedTxn, n)
		for i := range p.aborted {
			p.aborted[i] = abortedTxn{producer: c.int64(), first: c.int64()}
		}
	}
	if f.version >= 11 {
		c.int32() // preferred read replica: none, as the request names no rack
	}
	size := int(c.int32())
	if size > 0 {
		p.records = c.take(size)
	}
	return p
}
