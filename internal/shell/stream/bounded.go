package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"bayestream/internal/shell/budget"

	"github.com/segmentio/kafka-go/protocol"
)

// unpackRatio is how many times its stored size a Bounded fetch unpacks to, beyond its first batch.
// The rest of a response that is packed more tightly is asked for again.
const unpackRatio = 4

// smallestFetch is the least size that a reader asks for.
const smallestFetch = 64 << 10

// fetchBytes returns the size to ask for, as batches are stored: what all readers ask for has room
// at once.
func (c *Client) fetchBytes() int {
	if c.config.Memory == nil {
		return DefaultMaxBytes
	}
	each := c.config.Memory.Share(budget.Received) / int(max(c.readers.Load(), 1))
	return max(smallestFetch, min(DefaultMaxBytes, each))
}

// admission takes room for a response when its size is known. The goroutine of a connection asks
// for it, perhaps after the request has been given up.
type admission struct {
	memory *budget.Budget

	mu     sync.Mutex
	room   *budget.Room
	closed bool
}

// noRoomError says that a response had no room, and was passed over.
type noRoomError struct{ bytes int }

// Error says how large the response was.
func (e *noRoomError) Error() string {
	return fmt.Sprintf("no room for a response of %d bytes", e.bytes)
}

// admit takes room for a response of so many bytes, without waiting: others use the connection.
func (a *admission) admit(bytes int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return &noRoomError{bytes}
	}
	if a.room != nil { // the wait for it is over
		a.room.Resize(bytes)
		return nil
	}
	room, ok := a.memory.Try(budget.Received, bytes)
	if !ok {
		return &noRoomError{bytes}
	}
	a.room = room
	return nil
}

// close returns the room that was taken. No other is taken from then on.
func (a *admission) close() *budget.Room {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	return a.room
}

// receive sends the request to the leader and returns the response about the partition, and the
// room that it takes. A response of a Bounded fetch for which there is no room is asked for again
// when there is.
func (c *Client) receive(ctx context.Context, request FetchRequest) (fetchedPartition, *budget.Room, error) {
	var room *budget.Room
	for {
		a := &admission{memory: c.config.Memory, room: room}
		if !request.Bounded {
			a.memory = nil
		}
		p, err := c.askFetch(ctx, request, a.admit)
		room = a.close()
		var without *noRoomError
		if !errors.As(err, &without) {
			return p, room, err
		}
		room, err = c.config.Memory.Take(ctx, budget.Received, without.bytes)
		if err != nil {
			return p, nil, err
		}
	}
}

// askFetch sends the request to the leader and returns the response about the partition, if it is
// admitted.
func (c *Client) askFetch(ctx context.Context, request FetchRequest, admit func(bytes int) error) (p fetchedPartition,
	err error) {
	limit := request.MaxBytes + batchLimit
	read := func(r io.Reader, version int16, id int32) (protocol.Message, error) {
		if version < fetchOldest || version > fetchNewest {
			return nil, fmt.Errorf("the broker speaks version %d of Fetch, want %d to %d: Kafka 0.11 or newer", version,
				fetchOldest, fetchNewest)
		}
		return readFetchResponse(r, version, id, limit, admit)
	}
	err = c.onLeader(ctx, request.Topic, request.Partition, func(leader int32) error {
		response, err := c.ask(ctx, &roundTrip{request: fetchMessage(request), route: toBroker(leader), read: read},
			request.MaxWait)
		if err != nil {
			return err
		}
		got := response.(*fetchResponse)
		if got.refused != nil {
			return got.refused
		}
		p, err = got.partition(request.Topic, request.Partition)
		if err != nil {
			return err
		}
		err = brokerError(p.ErrorCode, "")
		if err == nil && request.Identify && len(p.RecordBatches) > 0 {
			p.topicID, err = c.askTopicID(ctx, request.Topic, leader)
		}
		return err
	})
	return p, deniedTopic(err, "Read", request.Topic)
}

// decode decodes what a broker sent. For a Bounded fetch it waits for room, and returns that of the
// records. One fetch at a time does, because what a batch unpacks to is known afterwards.
func (c *Client) decode(ctx context.Context, bounded bool, set *recordSet, raw []byte) (room *budget.Room, missing int,
	err error) {
	if !bounded || len(raw) == 0 || c.config.Memory == nil {
		missing, err = set.decode(raw)
		return nil, missing, err
	}
	select {
	case c.unpacking <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
	defer func() { <-c.unpacking }()
	room, err = c.config.Memory.Take(ctx, budget.Fetched, len(raw))
	if err != nil {
		return nil, 0, err
	}
	missing, err = set.decode(raw)
	room.Resize(set.size())
	return room, missing, err
}
