package stream_test

import (
	"errors"
	"testing"

	"bayestream/internal/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// TestTopicID asks for the id of a topic, deletes the topic and creates it again under its name.
func TestTopicID(t *testing.T) {
	ctx := deadline(t)
	client := kafkatest.Dial(t)
	topic := kafkatest.Topic(t, 2, nil)
	first, err := client.TopicID(ctx, topic, 1)
	if err != nil || first == (stream.TopicID{}) {
		t.Fatalf("the id is %s: %v", first, err)
	}
	again, err := client.TopicID(ctx, topic, 0)
	if err != nil || again != first {
		t.Errorf("the id is %s the second time, want %s: %v", again, first, err)
	}
	kafkatest.Recreate(t, topic, 2)
	second, err := client.TopicID(ctx, topic, 1)
	if err != nil || second == first || second == (stream.TopicID{}) {
		t.Errorf("after the topic was created again its id is %s, before it was %s: %v", second, first, err)
	}
	if _, err := client.TopicID(ctx, topic+"-none", 0); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("the id of a topic that does not exist: %v", err)
	}
}

// TestTopicIDOfOldBrokers asks brokers that give topics no ids.
func TestTopicIDOfOldBrokers(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.MaxVersions(kversion.V2_7_0()), kfake.SeedTopics(1, "topic"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	id, err := client.TopicID(deadline(t), "topic", 0)
	if err != nil || id != (stream.TopicID{}) {
		t.Errorf("the id is %s: %v, want none", id, err)
	}
}
