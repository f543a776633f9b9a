package stream

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/produce"
	"github.com/segmentio/kafka-go/protocol/rawproduce"
)

// acksAll makes the leader respond after all in-sync replicas have the batch.
const acksAll = -1

// codecs are those of the batches of a client.
type codecs struct{ records, logs protocol.Attributes }

// compressions are the names of the codecs that a client can use.
var compressions = map[string]codecs{
	"": auto, "auto": auto, "none": {}, "gzip": {protocol.Gzip, protocol.Gzip},
	"snappy": {protocol.Snappy, protocol.Snappy}, "lz4": {protocol.Lz4, protocol.Lz4},
	"zstd": {protocol.Zstd, protocol.Zstd},
}

// auto packs what every replica reads and keeps: deltas of the model log take half of the bytes.
var auto = codecs{logs: protocol.Zstd}

func compressionOf(name string) (codecs, error) {
	c, ok := compressions[strings.ToLower(name)]
	if !ok {
		return c, fmt.Errorf("compression %q is not known: want auto, none, gzip, snappy, lz4 or zstd", name)
	}
	return c, nil
}

// Produce writes records to a partition of a log as one batch, waits until all
// in-sync replicas have it, and returns the offset of the first; the others follow
// without a gap. Of each record it takes Time (now if zero), Key, Value and Headers.
// It sends one request: after an error that is an [ErrRetriable] the batch may have
// been written.
func (c *Client) Produce(ctx context.Context, topic string, partition int, records []Record) (base int64, err error) {
	what := describeProduce(topic, partition, records)
	set, err := encode(records, anonymous, c.codecs.logs)
	if err == nil {
		base, err = c.produce(ctx, "", topic, partition, set)
	}
	if err != nil {
		return -1, fmt.Errorf("%s: %w", what, classify(err))
	}
	return base, nil
}

// ProduceRetry writes records to any topic as Produce does, until it succeeds, fails permanently or ctx ends.
// If a response is lost, the batch can be in the log twice.
func (c *Client) ProduceRetry(ctx context.Context, topic string, partition int, records []Record) (base int64,
	err error) {
	return c.produceRetry(ctx, topic, partition, records, c.codecs.records)
}

// ProduceLogRetry is ProduceRetry to a log.
func (c *Client) ProduceLogRetry(ctx context.Context, topic string, partition int, records []Record) (base int64,
	err error) {
	return c.produceRetry(ctx, topic, partition, records, c.codecs.logs)
}

func (c *Client) produceRetry(ctx context.Context, topic string, partition int, records []Record,
	codec protocol.Attributes) (base int64, err error) {
	what := describeProduce(topic, partition, records)
	set, err := encode(records, anonymous, codec)
	if err != nil {
		return -1, fmt.Errorf("%s: %w", what, err)
	}
	err = c.retry(ctx, what, 0, func(ctx context.Context) error {
		base, err = c.produce(ctx, "", topic, partition, set)
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

// produce sends an encoded record set once, in a transaction of the transactional id, or in none if
// it is empty.
func (c *Client) produce(ctx context.Context, transaction, topic string, partition int, set []byte) (base int64,
	err error) {
	request := &rawproduce.Request{
		TransactionalID: transaction, Acks: acksAll, Timeout: int32(c.config.RequestTimeout / time.Millisecond),
		Topics: []rawproduce.RequestTopic{{Topic: topic, Partitions: []rawproduce.RequestPartition{{
			Partition: int32(partition), RecordSet: protocol.RawRecordSet{Reader: bytes.NewReader(set)},
		}}}},
	}
	err = c.onLeader(ctx, topic, partition, func(leader int32) error {
		response, err := c.ask(ctx, &roundTrip{request: request, route: toBroker(leader)}, 0)
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
	return base, deniedTopic(err, "Write", topic)
}

func produceError(p produce.ResponsePartition) error {
	message := p.ErrorMessage
	for _, r := range p.RecordErrors {
		message = strings.TrimPrefix(fmt.Sprintf("%s; record %d: %s", message, r.BatchIndex, r.BatchIndexErrorMessage), "; ")
	}
	return brokerError(p.ErrorCode, message)
}
