package stream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestLeaderMoves: reading and writing go on while the leader of the partition
// changes again and again, without a record lost or doubled.
func TestLeaderMoves(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(3), kfake.SeedTopics(1, "t"))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	const rounds = 12
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		for i := range rounds {
			if _, err := client.ProduceRetry(ctx, "t", 0, numbered(fmt.Sprint(i), 1)); err != nil {
				t.Error(err)
			}
			if err := cluster.MoveTopicPartition("t", 0, int32(i%3)); err != nil {
				t.Error(err)
			}
			time.Sleep(30 * time.Millisecond)
		}
	})
	var got []string
	epoch := int32(-1)
	for next := int64(0); len(got) < rounds; {
		fetched, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t", Offset: next, MaxWait: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		got, next = append(got, values(fetched.Records)...), fetched.Next
		if len(fetched.Records) > 0 {
			if fetched.LeaderEpoch < epoch {
				t.Errorf("the leader epoch went from %d to %d", epoch, fetched.LeaderEpoch)
			}
			epoch = fetched.LeaderEpoch
		}
	}
	for i, v := range got {
		if want := fmt.Sprintf("%d-0", i); v != want {
			t.Errorf("record %d is %q, want %q", i, v, want)
		}
	}
}

// TestBrokerGoesAway: the partitions of a broker that is gone are found on the
// others, and calls that were on their way to it are repeated.
func TestBrokerGoesAway(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(3), kfake.SeedTopics(3, "t"))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	for p := range 3 {
		if _, err := client.Produce(ctx, "t", p, numbered("before", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := cluster.RemoveNode(cluster.LeaderFor("t", 1)); err != nil {
		t.Fatal(err)
	}
	for p := range 3 {
		start := time.Now()
		if _, err := client.ProduceRetry(ctx, "t", p, numbered("after", 1)); err != nil {
			t.Fatal(err)
		}
		got, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t", Partition: p})
		if err != nil || !slices.Equal(values(got.Records), []string{"before-0", "after-0"}) {
			t.Errorf("partition %d: %q, %v", p, values(got.Records), err)
		}
		if took := time.Since(start); took > stream.DefaultRequestTimeout {
			t.Errorf("partition %d took %s", p, took)
		}
	}
}

// TestPassingErrors: what a broker may answer for a while is retried by the
// calls that retry, and marked by the one that does not.
func TestPassingErrors(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	for _, fault := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.LeaderNotAvailable, kerr.UnknownTopicOrPartition, kerr.KafkaStorageError, kerr.NotEnoughReplicas} {
		for key, call := range map[kmsg.Key]func() error{
			kmsg.Fetch: func() error {
				_, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t", MaxWait: time.Millisecond})
				return err
			},
			kmsg.ListOffsets: func() error { _, _, err := client.Offsets(ctx, "t", 0); return err },
			kmsg.Produce:     func() error { _, err := client.ProduceRetry(ctx, "t", 0, numbered("x", 1)); return err },
		} {
			handle := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Topic: "t", Err: fault, Count: 2})
			if err := call(); err != nil {
				t.Errorf("%s answered with %s twice: %v", key.Name(), fault.Message, err)
			}
			if handle.Hits() != 2 {
				t.Errorf("%s was answered with %s %d times, want 2", key.Name(), fault.Message, handle.Hits())
			}
			handle.Remove()
		}
		handle := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t", Err: fault, Count: -1})
		if _, err := client.Produce(ctx, "t", 0, numbered("x", 1)); !errors.Is(err, stream.ErrRetriable) {
			t.Errorf("Produce answered with %s: %v, want ErrRetriable", fault.Message, err)
		}
		handle.Remove()
	}
}

// TestClockAhead: a broker refuses records of the future, whose time is that of this machine.
func TestClockAhead(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t", Err: kerr.InvalidTimestamp, Count: -1})
	if _, err := client.Produce(deadline(t), "t", 0, numbered("x", 1)); err == nil || !strings.Contains(err.Error(), "set the clock of this machine right") {
		t.Errorf("got %v, want what to do", err)
	}
}

// TestLastingErrors: what waiting does not cure is returned at once.
func TestLastingErrors(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	for _, fault := range []*kerr.Error{kerr.TopicAuthorizationFailed, kerr.InvalidRecord, kerr.UnsupportedForMessageFormat} {
		handle := cluster.Fault(kfake.Fault{Topic: "t", Err: fault, Count: -1})
		_, produced := client.ProduceRetry(ctx, "t", 0, numbered("x", 1))
		_, fetched := client.Fetch(ctx, stream.FetchRequest{Topic: "t"})
		for _, err := range []error{produced, fetched} {
			if err == nil || errors.Is(err, stream.ErrRetriable) {
				t.Errorf("answered with %s: %v, want an error for good", fault.Message, err)
			}
		}
		if handle.Hits() != 2 {
			t.Errorf("%s was asked for %d times, want each call to ask once", fault.Message, handle.Hits())
		}
		handle.Remove()
	}
}

// TestLostAcknowledgement: when the answer to a write is lost, Produce says so
// and ProduceRetry writes again: at least once.
func TestLostAcknowledgement(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	lose := kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "t", Err: kerr.RequestTimedOut} // kfake writes all the same
	cluster.Fault(lose)
	if _, err := client.Produce(ctx, "t", 0, numbered("once", 1)); !errors.Is(err, stream.ErrRetriable) {
		t.Errorf("Produce: %v, want ErrRetriable", err)
	}
	cluster.Fault(lose)
	base, err := client.ProduceRetry(ctx, "t", 0, numbered("twice", 1))
	if err != nil || base != 2 {
		t.Errorf("ProduceRetry = %d, %v, want 2, the offset of the acknowledged copy", base, err)
	}
	got, err := client.Fetch(ctx, stream.FetchRequest{Topic: "t"})
	if err != nil || !slices.Equal(values(got.Records), []string{"once-0", "twice-0", "twice-0"}) {
		t.Errorf("the log has %q, %v", values(got.Records), err)
	}
}

// TestSilentBroker: a broker that takes a request and never answers costs a
// request timeout, not the end of the world.
func TestSilentBroker(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs(), RequestTimeout: 300 * time.Millisecond}), deadline(t)
	silent := func(kmsg.Request) (kmsg.Response, error, bool) { return nil, nil, true } // to one request
	cluster.ControlKey(int16(kmsg.ListOffsets), silent)
	start := time.Now()
	if _, _, err := client.Offsets(ctx, "t", 0); err != nil {
		t.Errorf("Offsets: %v, want the answer to the second request", err)
	}
	if took := time.Since(start); took < 300*time.Millisecond || took > stream.DefaultRequestTimeout {
		t.Errorf("Offsets took %s, want a little more than the request timeout", took)
	}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	cluster.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return silent(r)
	})
	if err := client.Ping(short); err == nil {
		t.Error("Ping without an answer succeeds")
	}
}

// TestNewTopicUnknown: a broker that is slow to hear of a topic that was just created is asked
// again, for longer than one of which nobody knows whether it exists.
func TestNewTopicUnknown(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1))
	client, ctx := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()}), deadline(t)
	heard := time.Now().Add(2500 * time.Millisecond)
	cluster.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		request := r.(*kmsg.MetadataRequest)
		if time.Now().After(heard) || len(request.Topics) == 0 {
			return nil, nil, false
		}
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		for _, asked := range request.Topics {
			topic := kmsg.NewMetadataResponseTopic()
			topic.Topic, topic.ErrorCode = asked.Topic, kerr.UnknownTopicOrPartition.Code
			response.Topics = append(response.Topics, topic)
		}
		return response, nil, true
	})
	if err := client.CreateTopic(ctx, stream.TopicSpec{Name: "new", Partitions: 1}); err != nil {
		t.Error(err)
	}
	if time.Now().Before(heard) {
		t.Error("the topic was not looked for")
	}
}
