package stream

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/listoffsets"
)

// Offsets returns the first offset that a partition holds and the one after its
// last: the offset of the next record to be written. Records of open and
// aborted transactions count.
func (c *Client) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	err = c.retry(ctx, fmt.Sprintf("ask for the offsets of %s/%d", topic, partition), patience, func(ctx context.Context) error {
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

// listOffset asks the leader for the first or the last offset. One request has only
// one of them: brokers refuse a partition named twice.
func (c *Client) listOffset(ctx context.Context, topic string, partition int, which int64) (offset int64, err error) {
	request := &listoffsets.Request{ReplicaID: -1, Topics: []listoffsets.RequestTopic{{Topic: topic, Partitions: []listoffsets.RequestPartition{{
		Partition: int32(partition), CurrentLeaderEpoch: -1, Timestamp: which,
	}}}}}
	err = c.onLeader(ctx, topic, partition, func(leader route) error {
		response, err := c.ask(ctx, &roundTrip{request: request, route: leader}, 0)
		if err != nil {
			return err
		}
		for _, t := range response.(*listoffsets.Response).Topics {
			for _, p := range t.Partitions {
				if t.Topic == topic && int(p.Partition) == partition {
					offset = p.Offset
					return brokerError(p.ErrorCode, "")
				}
			}
		}
		return fmt.Errorf("the broker's answer says nothing about %s/%d", topic, partition)
	})
	return offset, err
}
