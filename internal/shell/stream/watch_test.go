package stream_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/test/chaos/kafka"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestPartitionsAddedDuringJoin adds partitions after the leader of the group has divided those
// that it knew, and before the generation has begun: a watcher that counts first then sees nothing
// change.
func TestPartitionsAddedDuringJoin(t *testing.T) {
	t.Parallel()
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
	// The coordinator begins another generation if the first member takes too long to begin this one.
	if want := []int{1, 0, 3}; !slices.Equal(seen[:min(3, len(seen))], want) && (len(seen) == 0 || seen[0] != 3) {
		t.Errorf("the generations had %v partitions, want %v, or 3 at once", seen, want)
	}
}

// TestTopicUnknownDuringJoin lets the brokers say that there is no such topic while the leader of
// the group divides it, as ones that are just starting may: the group must not settle with nothing
// to read.
func TestTopicUnknownDuringJoin(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(3, "t"))
	asked := cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Metadata}, Topic: "t", Err: kerr.UnknownTopicOrPartition,
		// as only kafka-go's own groups ask
		When: func(r kmsg.Request) bool { return r.(*kmsg.MetadataRequest).AllowAutoTopicCreation },
	})
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	all := newLedger()
	for p := range 3 {
		if _, err := client.Produce(deadline(t), "t", p, numbered(fmt.Sprint(p), 1)); err != nil {
			t.Fatal(err)
		}
	}
	consume(t, client, quick("g", "t"), all.reader("A", client))
	eventually(t, "all partitions are read", func() bool { return all.distinct() == 3 })
	if asked.Hits() != 1 {
		t.Errorf("the leader was told %d times that there is no topic, want once", asked.Hits())
	}
}

// TestPartitionOnItsWay writes to a partition that the brokers are about to learn of: somebody has
// seen it already, on another one.
func TestPartitionOnItsWay(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	added := make(chan struct{})
	go func() {
		defer close(added)
		time.Sleep(300 * time.Millisecond)
		addPartitions(t, cluster.ListenAddrs(), "t", 2)
	}()
	if _, err := client.ProduceRetry(deadline(t), "t", 1, numbered("x", 1)); err != nil {
		t.Error(err)
	}
	<-added
}

func addPartitions(t *testing.T, brokers []string, topic string, n int) {
	client, err := kafka.Dial(brokers)
	if err == nil {
		defer client.Close()
		err = client.AddPartitions(t.Context(), topic, n)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestGroupOfTwoTopics puts members with different topics into one group, by mistake: each gets its
// own, and the leader does not take the partitions of the other topic for new ones of its own.
func TestGroupOfTwoTopics(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(2, "t", "u"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	var generations atomic.Int64
	both := make(chan string, 100)
	for _, topic := range []string{"t", "u"} {
		config := quick("g", topic)
		config.OnGeneration = func([]int) { generations.Add(1) }
		consume(t, client, config, func(ctx context.Context, a stream.Assignment) error {
			both <- a.Topic
			<-ctx.Done()
			return nil
		})
	}
	seen := map[string]int{}
	eventually(t, "both topics are assigned", func() bool {
		select {
		case topic := <-both:
			seen[topic]++
		default:
		}
		return seen["t"] >= 2 && seen["u"] >= 2
	})
	time.Sleep(time.Second) // two looks and a join would fit
	before := generations.Load()
	time.Sleep(2 * time.Second)
	if after := generations.Load(); after != before {
		t.Errorf("the group began %d new generations, with nothing changed", after-before)
	}
}
