package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// roundTrip is one request and its response, in the form that kafka-go's Transport
// takes. It bypasses what the Transport does with certain types of request: metadata
// comes from a broker and not from the cache, ListOffsets is not split, partition
// leaders are known here (see routes.go), and a Fetch response is read as bytes and
// decoded here (see batch.go). Connections, the negotiation of versions, TLS, SASL
// and the list of brokers are kafka-go's.
type roundTrip struct {
	request  protocol.Message
	clientID string
	route    route // picks the broker
	// write writes the request with an id; nil lets kafka-go encode it.
	write func(w io.Writer, id int32) error
	// read reads the response; nil lets kafka-go decode it.
	read func(r io.Reader, version int16, id int32) (protocol.Message, error)

	version int16 // as negotiated for the connection
	known   bool  // the broker has such a request
}

var (
	_ protocol.BrokerMessage = (*roundTrip)(nil)
	_ protocol.RawExchanger  = (*roundTrip)(nil)
)

// correlation numbers requests. The numbers must differ on one connection only.
var correlation atomic.Int32

// ApiKey implements protocol.Message.
func (r *roundTrip) ApiKey() protocol.ApiKey { return r.request.ApiKey() }

// Broker implements protocol.BrokerMessage.
func (r *roundTrip) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	return r.route(cluster)
}

// Required implements protocol.RawExchanger.
func (r *roundTrip) Required(versions map[protocol.ApiKey]int16) bool {
	r.version, r.known = versions[r.ApiKey()]
	return true
}

// RawExchange implements protocol.RawExchanger.
func (r *roundTrip) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	if !r.known {
		return nil, fmt.Errorf("the broker has no %s: %w", r.ApiKey(), kafka.UnsupportedVersion)
	}
	id := correlation.Add(1)
	write := r.write
	if write == nil {
		write = r.writeKnown
	}
	if err := write(rw, id); err != nil {
		return nil, err
	}
	read := r.read
	if read == nil {
		read = r.readKnown
	}
	response, err := read(rw, r.version, id)
	if err != nil {
		return nil, err
	}
	return answer{response}, nil
}

// writeKnown writes a request that kafka-go knows how to encode.
func (r *roundTrip) writeKnown(out io.Writer, id int32) error {
	return protocol.WriteRequest(out, r.version, id, r.clientID, r.request)
}

// readKnown reads a response that kafka-go knows how to decode.
func (r *roundTrip) readKnown(in io.Reader, version int16, id int32) (protocol.Message, error) {
	got, response, err := protocol.ReadResponse(in, r.ApiKey(), version)
	if err == nil && got != id {
		err = protocol.Errorf("the broker answered request %d, want %d", got, id)
	}
	return response, err
}

// answer hides the type of a response from the Transport, which would take metadata
// for the response to a request of its own, and would wait until a created topic
// appears in its routing table.
type answer struct{ protocol.Message }

// ask sends a request and waits for the response, at most for the request timeout and
// hold, the time for which the request asks the broker to wait.
func (c *Client) ask(ctx context.Context, r *roundTrip, hold time.Duration) (protocol.Message, error) {
	if c.closed.Load() {
		return nil, ErrClosed
	}
	r.clientID = c.config.ClientID
	limit := c.config.RequestTimeout + hold
	attempt, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	response, err := c.transport.RoundTrip(attempt, c.addr, r)
	if err != nil {
		return nil, c.explain(ctx, c.access(err), limit)
	}
	now := time.Now()
	c.answered.Store(&now)
	return response.(answer).Message, nil
}

// explain adds to two errors of the network what they mean here.
func (c *Client) explain(ctx context.Context, err error, limit time.Duration) error {
	switch {
	case ctx.Err() != nil, errors.As(err, new(*AccessError)):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer within %s: %w", limit, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the broker closed the connection; it is stopping, or %s, or %s: %w", c.config.TLS.doubt(),
			c.config.SASL.doubt(), err)
	}
	return err
}
