package stream

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/apiversions"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TopicID is the id that brokers give a topic when it is created: a topic that is created again
// under the same name has another one. It is zero where the brokers have none (before Kafka 2.8).
type TopicID [16]byte

// String returns the id in hexadecimal.
func (id TopicID) String() string { return hex.EncodeToString(id[:]) }

// The versions of the Metadata API that say a topic's id: kafka-go stops at 8, so that kmsg encodes
// the request. Its decoder is not used: it loops as often as a number in the response says.
const (
	topicIDOldest = 10
	topicIDNewest = 12
)

// TopicID returns the id of a topic. It asks the leader of a partition, which knows the topic that
// it serves.
func (c *Client) TopicID(ctx context.Context, topic string, partition int) (id TopicID, err error) {
	err = c.retry(ctx, fmt.Sprintf("ask for the id of topic %q", topic), patience, func(ctx context.Context) error {
		return c.onLeader(ctx, topic, partition, func(leader int32) error {
			id, err = c.askTopicID(ctx, topic, leader)
			return err
		})
	})
	return id, err
}

func (c *Client) askTopicID(ctx context.Context, topic string, leader int32) (TopicID, error) {
	newest, err := c.newestMetadata(ctx, leader)
	if err != nil || newest < topicIDOldest {
		return TopicID{}, err
	}
	request := kmsg.NewPtrMetadataRequest()
	request.Version = min(newest, topicIDNewest)
	request.Topics = []kmsg.MetadataRequestTopic{{Topic: &topic}}
	read := func(r io.Reader, _ int16, id int32) (protocol.Message, error) {
		body, err := readBody(r, id, statedLimit, admitted)
		return topicIDResponse(body), err
	}
	response, err := c.ask(ctx, &roundTrip{request: stated{key: request.Key()}, route: toBroker(leader),
		write: c.writeStated(request), read: read}, 0)
	if err != nil {
		c.metadata.Delete(leader) // it may be another version of the broker now
		return TopicID{}, err
	}
	id, err := response.(topicIDResponse).id(topic)
	return id, deniedTopic(err, "Describe", topic)
}

// newestMetadata returns the newest version of the Metadata API that a broker has. Where that
// has ids, it asks once: the answer holds until a request in that version fails.
func (c *Client) newestMetadata(ctx context.Context, broker int32) (int16, error) {
	if known, ok := c.metadata.Load(broker); ok {
		return known.(int16), nil
	}
	newest, err := c.newest(ctx, toBroker(broker), int16(protocol.Metadata))
	if err == nil && newest >= topicIDOldest {
		c.metadata.Store(broker, newest)
	}
	return newest, err
}

// topicIDResponse is a response to a Metadata request of a version with ids about one topic, behind
// the correlation id.
type topicIDResponse []byte

// ApiKey implements protocol.Message.
func (topicIDResponse) ApiKey() protocol.ApiKey { return protocol.Metadata }

// id decodes the response up to the id of the topic, which is the first one in it.
func (r topicIDResponse) id(topic string) (id TopicID, err error) {
	b := kbin.Reader{Src: r}
	passTags(&b)
	b.Int32() // throttle time
	for brokers := b.CompactArrayLen(); brokers > 0; brokers-- {
		b.Int32()                       // id
		b.UnsafeCompactString()         // host
		b.Int32()                       // port
		b.UnsafeCompactNullableString() // rack
		passTags(&b)
	}
	b.UnsafeCompactNullableString() // cluster
	b.Int32()                       // controller
	topics := b.CompactArrayLen()
	code := b.Int16()
	name := b.UnsafeCompactNullableString()
	id = b.Uuid()
	switch {
	case topics <= 0 || b.Ok() && (name == nil || *name != topic):
		return TopicID{}, protocol.Errorf("the answer says nothing about topic %q", topic)
	case !b.Ok():
		return TopicID{}, fmt.Errorf("the answer about topic %q: %w", topic, errShort)
	case kafka.Error(code) == kafka.UnknownTopicOrPartition:
		return TopicID{}, ErrUnknownTopic
	}
	return id, brokerError(code, "")
}

// passTags passes over tagged fields: their number, and of each its tag, its size and its bytes.
func passTags(b *kbin.Reader) {
	for n := b.Uvarint(); n > 0 && b.Ok(); n-- {
		b.Uvarint()
		b.Span(int(b.Uvarint()))
	}
}

// statedLimit bounds the response to a request in a version that it states, in bytes.
const statedLimit = 1 << 20

// stated is a request in the version that it states, or its response, which kmsg encodes.
type stated struct {
	key      int16
	response kmsg.Response
}

// ApiKey implements protocol.Message.
func (s stated) ApiKey() protocol.ApiKey { return protocol.ApiKey(s.key) }

// newest returns the newest version of a request that a broker has.
func (c *Client) newest(ctx context.Context, to route, key int16) (int16, error) {
	response, err := c.ask(ctx, &roundTrip{request: &apiversions.Request{}, route: to}, 0)
	if err != nil {
		return -1, err
	}
	versions := response.(*apiversions.Response)
	if err := brokerError(versions.ErrorCode, ""); err != nil {
		return -1, err
	}
	for _, v := range versions.ApiKeys {
		if v.ApiKey == key {
			return v.MaxVersion, nil
		}
	}
	return -1, nil
}

// askStated sends a request in the version that it states, which the broker must have (see newest).
func (c *Client) askStated(ctx context.Context, to route, request kmsg.Request) (kmsg.Response, error) {
	read := func(r io.Reader, _ int16, id int32) (protocol.Message, error) {
		response := request.ResponseKind()
		response.SetVersion(request.GetVersion())
		err := readStated(r, id, response)
		return stated{request.Key(), response}, err
	}
	response, err := c.ask(ctx,
		&roundTrip{request: stated{key: request.Key()}, route: to, write: c.writeStated(request), read: read}, 0)
	if err != nil {
		return nil, err
	}
	return response.(stated).response, nil
}

// writeStated returns a function that writes a request with an id, in the version that the request
// states.
func (c *Client) writeStated(request kmsg.Request) func(w io.Writer, id int32) error {
	return func(w io.Writer, id int32) error {
		format := kmsg.NewRequestFormatter(kmsg.FormatterClientID(c.config.ClientID))
		_, err := w.Write(format.AppendRequest(nil, request, id))
		return err
	}
}

// readStated reads one response from the wire. The broker is trusted here: kmsg spins for seconds on
// a damaged count of tagged fields, which it does not compare with the bytes that are left.
func readStated(r io.Reader, id int32, response kmsg.Response) error {
	body, err := readBody(r, id, statedLimit, admitted)
	if err != nil {
		return err
	}
	if response.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return errors.New("the broker's answer begins with fields that are not known")
		}
		body = body[1:] // no tagged fields of the header
	}
	return response.ReadFrom(body)
}
