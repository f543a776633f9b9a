package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go/protocol"
)

// exchange is one request as kafka-go's Transport takes it. It goes around what
// the Transport does with certain requests by type: metadata is asked of a
// broker, not of the cache, ListOffsets is not split, partition leaders are
// known here (see routes.go), and a Fetch response is read as bytes, so that
// decoding it is ours (see batch.go). Connections, the negotiation of versions,
// TLS, SASL and the list of brokers stay kafka-go's.
type exchange struct {
	send     protocol.Message
	clientID string
	route    route // picks the broker
	// read reads the response; nil lets kafka-go decode it.
	read func(r io.Reader, version int16, id int32) (protocol.Message, error)
	// oldest asks in version 0, not in the newest that both sides speak.
	oldest bool

	version int16 // as negotiated for the connection
}

var (
	_ protocol.BrokerMessage = (*exchange)(nil)
	_ protocol.RawExchanger  = (*exchange)(nil)
)

// correlation numbers requests; it need only differ between the requests of one
// connection.
var correlation atomic.Int32

// ApiKey implements protocol.Message.
func (x *exchange) ApiKey() protocol.ApiKey { return x.send.ApiKey() }

// Broker implements protocol.BrokerMessage.
func (x *exchange) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	return x.route(cluster)
}

// Required implements protocol.RawExchanger.
func (x *exchange) Required(versions map[protocol.ApiKey]int16) bool {
	if !x.oldest {
		x.version = versions[x.ApiKey()]
	}
	return true
}

// RawExchange implements protocol.RawExchanger.
func (x *exchange) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	id := correlation.Add(1)
	if err := protocol.WriteRequest(rw, x.version, id, x.clientID, x.send); err != nil {
		return nil, err
	}
	read := x.read
	if read == nil {
		read = x.readKnown
	}
	response, err := read(rw, x.version, id)
	if err != nil {
		return nil, err
	}
	return answer{response}, nil
}

// readKnown reads a response that kafka-go knows how to decode.
func (x *exchange) readKnown(r io.Reader, version int16, id int32) (protocol.Message, error) {
	got, response, err := protocol.ReadResponse(r, x.ApiKey(), version)
	if err == nil && got != id {
		err = protocol.Errorf("the broker answered request %d, want %d", got, id)
	}
	return response, err
}

// answer hides what a response is from the Transport, which would take metadata
// for an answer to a question of its own, and wait for a topic that was made to
// appear in its routing table.
type answer struct{ protocol.Message }

// roundTrip sends x and waits for the answer: at most the request timeout, and
// thinking on top of it for a request that the broker is told to hold.
func (c *Client) roundTrip(ctx context.Context, x *exchange, thinking time.Duration) (protocol.Message, error) {
	if c.closed.Load() {
		return nil, ErrClosed
	}
	x.clientID = c.config.ClientID
	limit := c.config.RequestTimeout + thinking
	attempt, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	response, err := c.transport.RoundTrip(attempt, c.addr, x)
	if err != nil {
		return nil, explain(ctx, err, limit)
	}
	c.answered.Store(time.Now().UnixNano())
	return response.(answer).Message, nil
}

// explain says in words what two bare errors of the network mean here.
func explain(ctx context.Context, err error, limit time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer within %s: %w", limit, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the broker closed the connection; it is stopping, or wants TLS, or refuses the SASL user: %w", err)
	}
	return err
}
