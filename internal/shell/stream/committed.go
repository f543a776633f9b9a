package stream

import (
	"context"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
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
		return c.onCoordinator(ctx, &who, func(broker route) error {
			offset, err = c.askCommitted(ctx, broker, group, topic, partition)
			return err
		})
	})
	return offset, err
}

// askCommitted asks a coordinator for an offset that, if the broker knows that, no open transaction
// is about to replace.
func (c *Client) askCommitted(ctx context.Context, to route, group, topic string, partition int) (int64, error) {
	newest, err := c.newest(ctx, to, kmsg.OffsetFetch.Int16())
	if err != nil {
		return -1, err
	}
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Version = min(max(newest, 1), stableOffsets)
	request.Group = group
	request.RequireStable = true
	request.Topics = []kmsg.OffsetFetchRequestTopic{{Topic: topic, Partitions: []int32{int32(partition)}}}
	got, err := c.askStated(ctx, to, request)
	if err != nil {
		return -1, err
	}
	response := got.(*kmsg.OffsetFetchResponse)
	if err := brokerError(response.ErrorCode, ""); err != nil {
		return -1, err
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

func silentAbout(topic string, partition int) error {
	return fmt.Errorf("the broker's answer says nothing about %s/%d: %w", topic, partition, kafka.Unknown)
}
