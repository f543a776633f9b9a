package stream_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A topic that its caller will create is looked for once: nothing waits for somebody else to create
// it.
func TestFindTopicAsksOnce(t *testing.T) {
	cluster := kafkatest.Fake(t)
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	ctx := deadline(t)
	const name = "made-by-the-caller"
	var asked atomic.Int64
	cluster.ControlKey(int16(kmsg.Metadata), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if topics := request.(*kmsg.MetadataRequest).Topics; len(topics) == 1 && *topics[0].Topic == name {
			asked.Add(1)
		}
		return nil, nil, false
	})
	if _, exists, err := client.FindTopic(ctx, name); exists || err != nil {
		t.Fatalf("got %v, %v of a topic that is missing", exists, err)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for it", n)
	}
	spec := stream.TopicSpec{Name: name, Partitions: 3}
	if err := client.CreateTopic(ctx, spec); err != nil {
		t.Fatal(err)
	}
	if err := client.CreateTopic(ctx, spec); !errors.Is(err, stream.ErrTopicExists) {
		t.Errorf("got %v when it is created twice", err)
	}
	if info, exists, err := client.FindTopic(ctx, name); !exists || err != nil || info.Partitions != 3 {
		t.Errorf("got %+v, %v, %v of a topic that was created", info, exists, err)
	}
}

// A topic that another worker has just created may be unknown to a busy broker. Whoever wanted to
// create it waits.
func TestCreateTopicWaitsForThatOfAnother(t *testing.T) {
	t.Parallel()
	const name, unknown = "made-by-another", 3
	cluster := kafkatest.Fake(t, kfake.SeedTopics(1, name))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	var asked atomic.Int64
	cluster.ControlKey(int16(kmsg.Metadata), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		topics := request.(*kmsg.MetadataRequest).Topics
		if len(topics) != 1 || *topics[0].Topic != name || asked.Add(1) > unknown {
			return nil, nil, false
		}
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		topic := kmsg.NewMetadataResponseTopic()
		topic.Topic = topics[0].Topic
		topic.ErrorCode = 3 // unknown topic or partition
		response.Topics = append(response.Topics, topic)
		return response, nil, true
	})
	if err := client.CreateTopic(deadline(t), stream.TopicSpec{Name: name, Partitions: 1}); !errors.Is(err, stream.ErrTopicExists) {
		t.Errorf("got %v, want that the topic exists", err)
	}
	if n := asked.Load(); n <= unknown {
		t.Errorf("asked %d times for a topic that is unknown %d times", n, unknown)
	}
}
