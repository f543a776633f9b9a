package stream_test

import (
	"context"
	"testing"
	"time"

	"bayestream/internal/kafkatest"
	"bayestream/internal/stream"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestPartitionsAddedDuringJoin adds partitions after the leader of the group has divided those that it
// knew, and before the generation has begun: a watcher that counts first then sees nothing change.
func TestPartitionsAddedDuringJoin(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.SeedTopics(1, "t"))
	cluster.ControlKey(int16(kmsg.SyncGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.DropControl()
		cluster.SleepControl(func() { addPartitions(t, cluster.ListenAddrs(), "t", 3) })
		return nil, nil, false
	})
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	config := quick("g", "t")
	var seen []int
	config.OnGeneration = func(assigned []int) {
		seen = append(seen, len(assigned))
		if len(assigned) == 3 {
			cancel()
		}
	}
	err := client.Consume(ctx, config, func(ctx context.Context, _ stream.Assignment) error {
		<-ctx.Done()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 3 || seen[0] != 1 || seen[1] != 0 || seen[2] != 3 {
		t.Errorf("the generations had %v partitions, want 1, none between them, then 3", seen)
	}
}

func addPartitions(t *testing.T, brokers []string, topic string, n int32) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	request := kmsg.NewPtrCreatePartitionsRequest()
	asked := kmsg.NewCreatePartitionsRequestTopic()
	asked.Topic, asked.Count = topic, n
	request.Topics = append(request.Topics, asked)
	if _, err := request.RequestWith(t.Context(), client); err != nil {
		t.Error(err)
	}
}
