package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/listoffsets"
)

// Offsets returns the first offset that a partition holds and the one after its
// last: the offset of the next record to be written. Records of open and
// aborted transactions count.
func (c *Client) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	err = c.retry(ctx, fmt.Sprintf("ask for the offsets of %s/%d", topic, partition), patience,
		func(ctx context.Context) error {
			end, err = c.listOffset(ctx, topic, partition, kafka.LastOffset)
			if err != nil {
				return err
			}
			first, err = c.listOffset(ctx, topic, partition, kafka.FirstOffset)
			return err
		})
	if err != nil {
		return 0, 0, err
	}
	return first, end, nil
}

// OffsetAt returns the offset of the first record of a partition whose time is at or after the
// given time, and the end of the partition if there is none.
func (c *Client) OffsetAt(ctx context.Context, topic string, partition int, at time.Time) (offset int64, err error) {
	what := fmt.Sprintf("ask for the offset of %s/%d at %s", topic, partition, at.Format(time.RFC3339))
	err = c.retry(ctx, what, patience, func(ctx context.Context) error {
		offset, err = c.listOffset(ctx, topic, partition, at.UnixMilli())
		if err == nil && offset < 0 {
			offset, err = c.listOffset(ctx, topic, partition, kafka.LastOffset)
		}
		return err
	})
	return offset, err
}

// listOffset asks the leader for the first or the last offset, or for that of a time in
// milliseconds, -1 if no record is that late. One request has only one of them: brokers refuse a
// partition named twice.
func (c *Client) listOffset(ctx context.Context, topic string, partition int, which int64) (offset int64, err error) {
	request := &listoffsets.Request{ReplicaID: -1,
		Topics: []listoffsets.RequestTopic{{Topic: topic, Partitions: []listoffsets.RequestPartition{{
			Partition: int32(partition), CurrentLeaderEpoch: -1, Timestamp: which,
		}}}}}
	err = c.onLeader(ctx, topic, partition, func(leader int32) error {
		response, err := c.ask(ctx, &roundTrip{request: request, route: toBroker(leader)}, 0)
		if err != nil {
			return err
		}
		for _, t := range response.(*listoffsets.Response).Topics {
			for _, p := range t.Partitions {
				if t.Topic == topic && int(p.Partition) == partition {
					offset = p.Offset
					return deniedTopic(brokerError(p.ErrorCode, ""), "Describe", topic)
				}
			}
		}
		return fmt.Errorf("the broker's answer says nothing about %s/%d", topic, partition)
	})
	return offset, err
}

// Murmur2Partition returns the partition that Kafka's own default partitioner
// picks for a record with this key on a topic of n partitions, so that all records
// of one key are in one partition, whichever client wrote them. A nil key counts as
// an empty one. n must be positive.
func Murmur2Partition(key []byte, n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("stream: a topic has at least one partition, got %d", n))
	}
	partitions := make([]int, n)
	for i := range partitions {
		partitions[i] = i
	}
	return kafka.Murmur2Balancer{Consistent: true}.Balance(kafka.Message{Key: key}, partitions...)
}
