package stream

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/segmentio/kafka-go/sasl"
)

// brokersAge is the greatest age of the Transport's list of brokers. (With kafka-go's
// six seconds its writers stall after a broker is lost.)
const brokersAge = time.Second

// patience is how long calls other than ProduceRetry repeat a request that fails with
// a retriable error.
const patience = 15 * time.Second

// Client talks to one Kafka cluster. It is safe for concurrent use.
type Client struct {
	config    Config
	log       *slog.Logger
	addr      net.Addr
	sasl      sasl.Mechanism
	codecs    codecs
	unpack    *decompressor
	unpacking chan struct{} // has an element while a Bounded fetch unpacks, or waits to
	readers   atomic.Int64  // partitions that the group gave to this client

	connections *connections
	transport   *kafka.Transport
	routes      sync.Map                  // by topic: the leaders of its partitions, until a request fails
	metadata    sync.Map                  // by broker: the newest version of the Metadata API, an int16
	answered    atomic.Pointer[time.Time] // of the last response of a broker, by the clock that nobody sets
	closed      atomic.Bool
}

// Dial returns a client. It checks the configuration and reads the files that it
// names. It does not use the network, so that a caller can wait for a cluster that is
// down; Ping does.
func Dial(config Config) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("connect to Kafka: %w", err)
	}
	c := &Client{config: config.withDefaults(), connections: &connections{tls: config.TLS}}
	c.log = c.config.Log
	c.unpacking = make(chan struct{}, 1)
	c.addr = kafka.TCP(config.Brokers...)
	var err error
	c.codecs, err = compressionOf(config.Compression)
	if err != nil {
		return nil, err
	}
	if err := config.readable(); err != nil {
		return nil, err
	}
	c.sasl = config.SASL.mechanism()
	c.unpack, err = newDecompressor(batchLimit)
	if err != nil {
		return nil, err
	}
	if !config.TLS.enabled() && (strings.EqualFold(config.SASL.Mechanism, saslPlain) ||
		strings.EqualFold(config.SASL.Mechanism, saslOAuth)) {
		c.log.Warn("the SASL password or token goes over the network in plain text: turn TLS on")
	}
	c.transport = &kafka.Transport{
		Dial: c.connections.dial, DialTimeout: c.config.RequestTimeout, MetadataTTL: brokersAge,
		MetadataTopics: []string{}, // none: routes.go knows the leaders
		ClientID:       c.config.ClientID, SASL: c.sasl,
	}
	return c, nil
}

// Close closes all connections. Pending calls fail. It must be called after Consume
// has returned: otherwise the group notices only by its session timeout.
func (c *Client) Close() {
	if c.closed.Swap(true) {
		return
	}
	c.transport.CloseIdleConnections()
	c.connections.close()
	c.unpack.close()
}

// Ping requests the metadata of one broker, once.
func (c *Client) Ping(ctx context.Context) error {
	if _, err := c.askMetadata(ctx, []string{}); err != nil {
		return fmt.Errorf("ping Kafka at %s: %w", strings.Join(c.config.Brokers, ","), classify(err))
	}
	return nil
}

// LastRoundTrip returns the time of the last response of a broker, the zero time if
// none has responded yet.
func (c *Client) LastRoundTrip() time.Time {
	if at := c.answered.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// askMetadata requests the metadata of topics from a broker, not from the cache of
// the Transport. With an empty list the response has no topics.
func (c *Client) askMetadata(ctx context.Context, topics []string) (*metadata.Response, error) {
	response, err := c.ask(ctx, &roundTrip{request: &metadata.Request{TopicNames: topics}, route: toAny}, 0)
	if err != nil {
		return nil, err
	}
	return response.(*metadata.Response), nil
}
