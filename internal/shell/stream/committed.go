package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/offsetfetch"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stableOffsets is the first version of OffsetFetch that waits for the end of transactions (Kafka
// 2.5). Without it, a coordinator may answer with the offset from before a transaction whose end it
// has not applied yet.
const stableOffsets = 7

// committed returns the offset that a group committed for a partition, -1 if none. It waits for
// transactions that have one of it and are not over.
func (c *Client) committed(ctx context.Context, group, topic string, partition int, within time.Duration) (offset int64,
	err error) {
	who := coordinator{kind: groupKey, key: group}
	what := fmt.Sprintf("ask group %q for its offset of %s/%d", group, topic, partition)
	err = c.retry(ctx, what, within, func(ctx context.Context) error {
		if err := c.findCoordinator(ctx, &who); err != nil {
			return err
		}
		newest, err := c.newest(ctx, who.broker, kmsg.OffsetFetch.Int16())
		switch {
		case err != nil:
		case newest >= stableOffsets:
			offset, err = c.askStable(ctx, who.broker, group, topic, partition)
		default:
			offset, err = c.askCommitted(ctx, &who, topic, partition)
		}
		if err != nil && retriable(err) {
			who.broker = nil
		}
		return err
	})
	return offset, err
}

// askStable asks a coordinator for an offset that no open transaction is about to replace.
func (c *Client) askStable(ctx context.Context, to route, group, topic string, partition int) (int64, error) {
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Version = stableOffsets
	request.Group = group
	request.RequireStable = true
	request.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: topic, Partitions: []int32{int32(partition)}}}
	got, err := c.askNewer(ctx, to, request)
	if err != nil {
		return -1, err
	}
	response := got.(*kmsg.OffsetFetchResponse)
	if err := brokerError(response.ErrorCode, ""); err != nil {
		return -1, deniedKey(err, groupKey, group)
	}
	for _, t := range response.Topics {
		for _, p := range t.Partitions {
			if t.Topic == topic && int(p.Partition) == partition {
				return p.Offset, brokerError(p.ErrorCode, "")
			}
		}
	}
	return -1, silentAbout(topic, partition)
}

// askCommitted asks a coordinator of an older version for an offset.
func (c *Client) askCommitted(ctx context.Context, who *coordinator, topic string, partition int) (offset int64,
	err error) {
	request := &offsetfetch.Request{GroupID: who.key,
		Topics: []offsetfetch.RequestTopic{{Name: topic, PartitionIndexes: []int32{int32(partition)}}}}
	err = c.askCoordinator(ctx, who, request, func(got protocol.Message) error {
		response := got.(*offsetfetch.Response)
		if err := brokerError(response.ErrorCode, ""); err != nil {
			return err
		}
		for _, t := range response.Topics {
			for _, p := range t.Partitions {
				if t.Name == topic && int(p.PartitionIndex) == partition {
					offset = p.CommittedOffset
					return brokerError(p.ErrorCode, "")
				}
			}
		}
		return silentAbout(topic, partition)
	})
	return offset, err
}

// silentAbout is the error of a response that lacks the partition that was asked for.
func silentAbout(topic string, partition int) error {
	return fmt.Errorf("the broker's answer says nothing about %s/%d: %w", topic, partition, kafka.Unknown)
}
