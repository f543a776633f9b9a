package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Client writes records, reads topics back and changes topics.
type Client struct {
	brokers []string
	client  *kgo.Client
}

// Dial returns a client.
func Dial(brokers []string) (*Client, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(0),
		kgo.MetadataMinAge(100*time.Millisecond),
		kgo.UnknownTopicRetries(-1), kgo.ProducerBatchMaxBytes(2<<20),
	)
	if err != nil {
		return nil, err
	}
	return &Client{brokers: brokers, client: client}, nil
}

// Close closes the connections.
func (c *Client) Close() { c.client.Close() }

// Produce writes records to the partitions that they name and sets their offsets.
func (c *Client) Produce(ctx context.Context, records ...*kgo.Record) error {
	return c.client.ProduceSync(ctx, records...).FirstErr()
}

// CreateTopic creates a topic with as many replicas as the brokers give by default.
func (c *Client) CreateTopic(ctx context.Context, name string, partitions int, settings map[string]string) error {
	return c.CreateReplicated(ctx, name, partitions, -1, settings)
}

// CreateReplicated creates a topic.
func (c *Client) CreateReplicated(ctx context.Context, name string, partitions, replicas int,
	settings map[string]string) error {
	request := kmsg.NewPtrCreateTopicsRequest()
	request.TimeoutMillis = 10_000
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, int32(partitions), int16(replicas)
	for key, value := range settings {
		setting := kmsg.NewCreateTopicsRequestTopicConfig()
		setting.Name, setting.Value = key, kmsg.StringPtr(value)
		topic.Configs = append(topic.Configs, setting)
	}
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(ctx, c.client)
	if err != nil {
		return fmt.Errorf("create topic %s: %w", name, err)
	}
	return code("create topic "+name, response.Topics[0].ErrorCode)
}

// DeleteTopic deletes a topic.
func (c *Client) DeleteTopic(ctx context.Context, name string) error {
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TimeoutMillis = 10_000
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = kmsg.StringPtr(name)
	request.Topics = append(request.Topics, topic)
	request.TopicNames = []string{name}
	response, err := request.RequestWith(ctx, c.client)
	if err != nil {
		return fmt.Errorf("delete topic %s: %w", name, err)
	}
	return code("delete topic "+name, response.Topics[0].ErrorCode)
}

// DeleteRecords makes a partition begin at an offset, as its retention would.
func (c *Client) DeleteRecords(ctx context.Context, topic string, partition int, before int64) error {
	request := kmsg.NewPtrDeleteRecordsRequest()
	request.TimeoutMillis = 10_000
	asked := kmsg.NewDeleteRecordsRequestTopic()
	asked.Topic = topic
	asked.Partitions = []kmsg.DeleteRecordsRequestTopicPartition{{Partition: int32(partition), Offset: before}}
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, c.client)
	if err != nil {
		return fmt.Errorf("delete records of %s/%d: %w", topic, partition, err)
	}
	return code("delete records of "+topic, response.Topics[0].Partitions[0].ErrorCode)
}

// AddPartitions raises the number of a topic's partitions to n.
func (c *Client) AddPartitions(ctx context.Context, topic string, n int) error {
	request := kmsg.NewPtrCreatePartitionsRequest()
	request.TimeoutMillis = 10_000
	asked := kmsg.NewCreatePartitionsRequestTopic()
	asked.Topic, asked.Count = topic, int32(n)
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, c.client)
	if err != nil {
		return fmt.Errorf("add partitions to %s: %w", topic, err)
	}
	return code("add partitions to "+topic, response.Topics[0].ErrorCode)
}

// Unclean elects the leaders of a topic's partitions again, also from replicas that lack records.
func (c *Client) Unclean(ctx context.Context, topic string, partition int) error {
	request := kmsg.NewPtrElectLeadersRequest()
	request.ElectionType = 1
	request.TimeoutMillis = 10_000
	asked := kmsg.NewElectLeadersRequestTopic()
	asked.Topic, asked.Partitions = topic, []int32{int32(partition)}
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, c.client)
	if err != nil {
		return fmt.Errorf("elect a leader of %s: %w", topic, err)
	}
	for _, t := range response.Topics {
		for _, p := range t.Partitions {
			if err := code("elect a leader of "+topic, p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}

// Leader returns the node that leads a partition, 0 if none does, and how many replicas are in
// sync.
func (c *Client) Leader(ctx context.Context, topic string, partition int) (node, inSync int, err error) {
	p, err := c.partition(ctx, topic, partition)
	return max(0, int(p.Leader)), len(p.ISR), err
}

// Replicas returns the node that leads a partition and those that have it.
func (c *Client) Replicas(ctx context.Context, topic string, partition int) (leader int, nodes []int, err error) {
	p, err := c.partition(ctx, topic, partition)
	for _, node := range p.Replicas {
		nodes = append(nodes, int(node))
	}
	return int(p.Leader), nodes, err
}

func (c *Client) partition(ctx context.Context, topic string, partition int) (found kmsg.MetadataResponseTopicPartition,
	err error) {
	request := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = kmsg.StringPtr(topic)
	request.Topics = append(request.Topics, asked)
	response, err := request.RequestWith(ctx, c.client)
	if err != nil {
		return found, fmt.Errorf("describe %s: %w", topic, err)
	}
	if err := code("describe "+topic, response.Topics[0].ErrorCode); err != nil {
		return found, err
	}
	for _, p := range response.Topics[0].Partitions {
		if int(p.Partition) == partition {
			return p, nil
		}
	}
	return found, fmt.Errorf("%s has no partition %d", topic, partition)
}

// Offsets returns the first offset and the one after the last committed record of each partition.
func (c *Client) Offsets(ctx context.Context, topic string, partitions int) (first, end []int64, err error) {
	if first, err = c.offsets(ctx, topic, partitions, -2); err != nil {
		return nil, nil, err
	}
	end, err = c.offsets(ctx, topic, partitions, -1)
	return first, end, err
}

func (c *Client) offsets(ctx context.Context, topic string, partitions int, at int64) ([]int64, error) {
	request := kmsg.NewPtrListOffsetsRequest()
	request.ReplicaID = -1
	request.IsolationLevel = 1
	asked := kmsg.NewListOffsetsRequestTopic()
	asked.Topic = topic
	for p := range partitions {
		partition := kmsg.NewListOffsetsRequestTopicPartition()
		partition.Partition, partition.Timestamp = int32(p), at
		asked.Partitions = append(asked.Partitions, partition)
	}
	request.Topics = append(request.Topics, asked)
	found := make([]int64, partitions)
	for _, shard := range c.client.RequestSharded(ctx, request) {
		if shard.Err != nil {
			return nil, fmt.Errorf("ask for the offsets of %s: %w", topic, shard.Err)
		}
		for _, t := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics {
			for _, p := range t.Partitions {
				if err := code("ask for the offsets of "+topic, p.ErrorCode); err != nil {
					return nil, err
				}
				found[p.Partition] = p.Offset
			}
		}
	}
	return found, nil
}

func code(what string, number int16) error {
	if err := kerr.ErrorForCode(number); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
