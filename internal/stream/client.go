package stream

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/segmentio/kafka-go/sasl"
)

// brokersAge is how old the Transport's list of brokers may get. (kafka-go's six
// seconds are what makes its writers stall after a broker is lost.)
const brokersAge = time.Second

// patience is for how long calls other than ProduceRetry repeat a request that
// fails with a retriable error.
const patience = 15 * time.Second

// Client talks to one Kafka cluster. It is safe for concurrent use.
type Client struct {
	config      Config
	log         *slog.Logger
	addr        net.Addr
	tls         *tls.Config
	sasl        sasl.Mechanism
	compression protocol.Attributes
	unpack      *decompressor

	connections *connections
	transport   *kafka.Transport
	routes      routes
	answered    atomic.Int64 // Unix time in ns of the last answer of a broker
	closed      atomic.Bool
}

// Dial prepares a client: it checks the configuration and reads the files that
// it names. It does not ask the network, so a cluster that is down at start is
// found by the first call and can be waited for; Ping asks.
func Dial(config Config) (*Client, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("connect to Kafka: %w", err)
	}
	c := &Client{config: config.withDefaults(), connections: new(connections)}
	c.log = c.config.Log
	c.addr = kafka.TCP(config.Brokers...)
	var err error
	if c.compression, err = compressionOf(config.Compression); err != nil {
		return nil, err
	}
	if c.tls, err = config.TLS.config(); err != nil {
		return nil, err
	}
	if c.sasl, err = config.SASL.mechanism(); err != nil {
		return nil, err
	}
	if c.unpack, err = newDecompressor(c.config.BatchLimit); err != nil {
		return nil, err
	}
	if c.tls == nil && strings.EqualFold(config.SASL.Mechanism, saslPlain) {
		c.log.Warn("the SASL password goes over the network in plain text: turn TLS on")
	}
	c.transport = &kafka.Transport{
		Dial: c.connections.dial, DialTimeout: c.config.RequestTimeout, MetadataTTL: brokersAge,
		MetadataTopics: []string{}, // none: routes.go knows the leaders
		ClientID:       c.config.ClientID, TLS: c.tls, SASL: c.sasl,
	}
	return c, nil
}

// Close closes all connections. Calls that still wait fail. It must come after
// Consume has returned, or the group learns of it only by its session timeout.
func (c *Client) Close() {
	if c.closed.Swap(true) {
		return
	}
	c.transport.CloseIdleConnections()
	c.connections.close()
	c.unpack.close()
}

// Ping asks one broker for its metadata, once.
func (c *Client) Ping(ctx context.Context) error {
	if _, err := c.askMetadata(ctx, []string{}); err != nil {
		return fmt.Errorf("ping Kafka at %s: %w", strings.Join(c.config.Brokers, ","), classify(err))
	}
	return nil
}

// LastRoundTrip returns when a broker last answered anything, the zero time when
// none has.
func (c *Client) LastRoundTrip() time.Time {
	if ns := c.answered.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// askMetadata asks a broker, not the cache of the Transport, about topics: none
// at all with an empty list.
func (c *Client) askMetadata(ctx context.Context, topics []string) (*metadata.Response, error) {
	response, err := c.roundTrip(ctx, &exchange{send: &metadata.Request{TopicNames: topics}, route: toAny}, 0)
	if err != nil {
		return nil, err
	}
	return response.(*metadata.Response), nil
}
