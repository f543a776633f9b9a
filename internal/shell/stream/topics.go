package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/createtopics"
	"github.com/segmentio/kafka-go/protocol/describeconfigs"
	"github.com/segmentio/kafka-go/protocol/metadata"
)

// TopicInfo describes a topic.
type TopicInfo struct {
	Partitions int
	// Config has every setting of the topic, defaults included. It is nil if
	// the client has no right to see it.
	Config map[string]string
}

// TopicSpec describes a topic to create.
type TopicSpec struct {
	Name        string
	Partitions  int               // 0 or less: the broker's default
	Replication int               // 0 or less: the broker's default
	Config      map[string]string // settings that differ from the broker's defaults
}

// Topic describes a topic, or returns ErrUnknownTopic. A topic that is new may be unknown to some
// brokers, so one that is unknown is asked for again for newTopicGrace.
func (c *Client) Topic(ctx context.Context, name string) (info TopicInfo, err error) {
	err = c.retry(ctx, describing(name), patience, func(ctx context.Context) (err error) {
		info, err = c.describe(ctx, name)
		return err
	})
	return info, err
}

// FindTopic describes a topic, or reports that it does not exist as soon as one broker says so: for
// a caller that creates it then, and gets ErrTopicExists if that broker was not up to date.
func (c *Client) FindTopic(ctx context.Context, name string) (info TopicInfo, exists bool, err error) {
	err = c.retry(ctx, describing(name), patience, func(ctx context.Context) (err error) {
		info, err = c.describe(ctx, name)
		exists = err == nil
		if errors.Is(err, ErrUnknownTopic) {
			return nil
		}
		return err
	})
	return info, exists, err
}

func describing(name string) string { return fmt.Sprintf("describe topic %q", name) }

func (c *Client) describe(ctx context.Context, name string) (TopicInfo, error) {
	topic, err := c.askTopic(ctx, name)
	if err != nil {
		return TopicInfo{}, err
	}
	config, err := c.topicConfig(ctx, name)
	if err != nil {
		return TopicInfo{}, err
	}
	return TopicInfo{Partitions: len(topic.Partitions), Config: config}, nil
}

func (c *Client) askTopic(ctx context.Context, name string) (metadata.ResponseTopic, error) {
	response, err := c.askMetadata(ctx, []string{name})
	if err != nil {
		return metadata.ResponseTopic{}, err
	}
	for _, topic := range response.Topics {
		switch {
		case topic.Name != name:
		case kafka.Error(topic.ErrorCode) == kafka.UnknownTopicOrPartition:
			return topic, ErrUnknownTopic
		default:
			return topic, deniedTopic(brokerError(topic.ErrorCode, ""), "Describe", name)
		}
	}
	return metadata.ResponseTopic{}, ErrUnknownTopic
}

func (c *Client) topicConfig(ctx context.Context, name string) (map[string]string, error) {
	const topicResource = 2
	request := &describeconfigs.Request{Resources: []describeconfigs.RequestResource{{ResourceType: topicResource,
		ResourceName: name}}}
	response, err := c.ask(ctx, &roundTrip{request: request, route: toAny}, 0)
	if err != nil {
		return nil, err
	}
	config := make(map[string]string)
	for _, resource := range response.(*describeconfigs.Response).Resources {
		switch kafka.Error(resource.ErrorCode) {
		case kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed:
			return nil, nil
		}
		if err := brokerError(resource.ErrorCode, resource.ErrorMessage); err != nil {
			return nil, err
		}
		for _, entry := range resource.ConfigEntries {
			config[entry.ConfigName] = entry.ConfigValue
		}
	}
	return config, nil
}

// CreateTopic creates a topic and waits until each of its partitions responds. If the
// topic exists, perhaps for a moment only, it waits likewise, and the error is ErrTopicExists.
func (c *Client) CreateTopic(ctx context.Context, spec TopicSpec) error {
	what := fmt.Sprintf("create topic %q", spec.Name)
	asked := false
	err := c.retry(ctx, what, patience, func(ctx context.Context) error {
		err := c.createTopic(ctx, spec)
		if errors.Is(err, ErrTopicExists) && asked {
			return nil // created by a request whose response was lost
		}
		asked = true
		return err
	})
	if err != nil && !errors.Is(err, ErrTopicExists) {
		return err
	}
	silent := c.retry(ctx, what+" and wait for its leaders", patience, func(ctx context.Context) error {
		err := c.topicAnswers(ctx, spec.Name)
		if errors.Is(err, ErrUnknownTopic) || errors.Is(err, ErrUnknownPartition) {
			return protocol.ErrNoTopic // a broker that is busy may hear of it after the grace that names from outside get
		}
		return err
	})
	return cmp.Or(silent, err)
}

func (c *Client) createTopic(ctx context.Context, spec TopicSpec) error {
	topic := createtopics.RequestTopic{Name: spec.Name, NumPartitions: -1, ReplicationFactor: -1}
	if spec.Partitions > 0 {
		topic.NumPartitions = int32(spec.Partitions)
	}
	if spec.Replication > 0 {
		topic.ReplicationFactor = int16(spec.Replication)
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Config)) {
		topic.Configs = append(topic.Configs, createtopics.RequestConfig{Name: name, Value: spec.Config[name]})
	}
	request := &createtopics.Request{Topics: []createtopics.RequestTopic{topic},
		TimeoutMs: int32(c.config.RequestTimeout / time.Millisecond)}
	response, err := c.ask(ctx, &roundTrip{request: request, route: toController}, 0)
	if err != nil {
		return err
	}
	for _, topic := range response.(*createtopics.Response).Topics {
		if err := brokerError(topic.ErrorCode, topic.ErrorMessage); err != nil {
			return deniedTopic(err, "Create", spec.Name)
		}
	}
	return nil
}

// topicAnswers asks every partition of a topic for its end. Without it, a quarter of
// the first writes to a new topic of a real broker fail.
func (c *Client) topicAnswers(ctx context.Context, name string) error {
	topic, err := c.askTopic(ctx, name)
	if err != nil {
		return err
	}
	for _, p := range topic.Partitions {
		if _, err := c.listOffset(ctx, name, int(p.PartitionIndex), kafka.LastOffset); err != nil {
			return fmt.Errorf("partition %d: %w", p.PartitionIndex, err)
		}
	}
	return nil
}
