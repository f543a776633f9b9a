package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/produce"
	"github.com/segmentio/kafka-go/protocol/rawproduce"
)

// acksAll makes the leader answer after all in-sync replicas have the batch.
const acksAll = -1

// compressions are the names of the codecs that Produce can use.
var compressions = map[string]protocol.Attributes{
	"": 0, "none": 0, "gzip": protocol.Gzip, "snappy": protocol.Snappy, "lz4": protocol.Lz4, "zstd": protocol.Zstd,
}

func compressionOf(name string) (protocol.Attributes, error) {
	attributes, ok := compressions[strings.ToLower(name)]
	if !ok {
		return 0, fmt.Errorf("compression %q is not known: want none, gzip, snappy, lz4 or zstd", name)
	}
	return attributes, nil
}

// Produce writes records to a partition as one batch, waits until all in-sync
// replicas have it, and returns the offset of the first; the others follow
// without a gap. Of each record it takes Time (now when zero), Key, Value and
// Headers. It asks once: an error that is an [ErrRetriable] leaves open whether
// the batch was written.
func (c *Client) Produce(ctx context.Context, topic string, partition int, records []Record) (base int64, err error) {
	what := describeProduce(topic, partition, records)
	set, err := c.encode(records)
	if err == nil {
		base, err = c.produce(ctx, topic, partition, set)
	}
	if err != nil {
		return -1, fmt.Errorf("%s: %w", what, classify(err))
	}
	return base, nil
}

// ProduceRetry is Produce, repeated until it succeeds, fails for good or ctx
// ends. When an answer is lost, the batch can be in the log twice.
func (c *Client) ProduceRetry(ctx context.Context, topic string, partition int, records []Record) (base int64, err error) {
	what := describeProduce(topic, partition, records)
	set, err := c.encode(records)
	if err != nil {
		return -1, fmt.Errorf("%s: %w", what, err)
	}
	err = c.retry(ctx, what, 0, func(ctx context.Context) error {
		base, err = c.produce(ctx, topic, partition, set)
		return err
	})
	if err != nil {
		return -1, err
	}
	return base, nil
}

func describeProduce(topic string, partition int, records []Record) string {
	return fmt.Sprintf("produce %d records to %s/%d", len(records), topic, partition)
}

// encode turns records into a record set. It happens before the request is
// handed to the goroutine of a connection, which may still be writing when ctx
// ends and the caller reuses its buffers.
func (c *Client) encode(records []Record) ([]byte, error) {
	if len(records) == 0 {
		return nil, errors.New("a batch has at least one record")
	}
	set := protocol.RecordSet{Version: 2, Attributes: c.compression, Records: &recordSource{records: records}}
	var out bytes.Buffer
	if _, err := set.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("encode the batch: %w", err)
	}
	return out.Bytes(), nil
}

// produce sends an encoded record set once.
func (c *Client) produce(ctx context.Context, topic string, partition int, set []byte) (base int64, err error) {
	request := &rawproduce.Request{
		Acks: acksAll, Timeout: int32(c.config.RequestTimeout / time.Millisecond),
		Topics: []rawproduce.RequestTopic{{Topic: topic, Partitions: []rawproduce.RequestPartition{{
			Partition: int32(partition), RecordSet: protocol.RawRecordSet{Reader: bytes.NewReader(set)},
		}}}},
	}
	err = c.onLeader(ctx, topic, partition, func(leader route) error {
		response, err := c.roundTrip(ctx, &exchange{send: request, route: leader}, 0)
		if err != nil {
			return err
		}
		for _, t := range response.(*produce.Response).Topics {
			for _, p := range t.Partitions {
				if t.Topic == topic && int(p.Partition) == partition {
					base = p.BaseOffset
					return produceError(p)
				}
			}
		}
		return fmt.Errorf("the broker's answer says nothing about %s/%d", topic, partition)
	})
	return base, err
}

// produceError is the broker's verdict with what it says about single records.
func produceError(p produce.ResponsePartition) error {
	message := p.ErrorMessage
	for _, r := range p.RecordErrors {
		message = strings.TrimPrefix(fmt.Sprintf("%s; record %d: %s", message, r.BatchIndex, r.BatchIndexErrorMessage), "; ")
	}
	return brokerError(p.ErrorCode, message)
}

// recordSource feeds records to kafka-go's encoder one at a time, in memory that
// it reuses.
type recordSource struct {
	records    []Record
	current    protocol.Record
	key, value chunk
	headers    []protocol.Header
}

// ReadRecord implements protocol.RecordReader.
func (s *recordSource) ReadRecord() (*protocol.Record, error) {
	if len(s.records) == 0 {
		return nil, io.EOF
	}
	r := &s.records[0]
	s.records = s.records[1:]
	s.headers = s.headers[:0]
	for _, h := range r.Headers {
		s.headers = append(s.headers, protocol.Header(h))
	}
	s.current = protocol.Record{Time: r.Time, Key: s.key.hold(r.Key), Value: s.value.hold(r.Value), Headers: s.headers}
	return &s.current, nil
}

// chunk is a protocol.Bytes over a slice.
type chunk struct{ bytes.Reader }

// Close implements io.Closer: there is nothing to release.
func (*chunk) Close() error { return nil }

// hold makes the chunk stand for b; null stays null.
func (c *chunk) hold(b []byte) protocol.Bytes {
	if b == nil {
		return nil
	}
	c.Reset(b)
	return c
}
