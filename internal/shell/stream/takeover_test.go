package stream_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// owned runs a test as the owner of partition 0 of a topic, in a group of the same name.
func owned(t *testing.T, client *stream.Client, topic string, test func(ctx context.Context, a stream.Assignment)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	stop := consume(t, client, quick(topic, topic), func(ctx context.Context, a stream.Assignment) error {
		defer close(done)
		test(ctx, a)
		return nil
	})
	defer stop()
	select {
	case <-done:
	case <-ctx.Done():
		t.Error("the owner is not done after a minute")
	}
}

// committedValues returns what a reader of committed records sees of partition 0.
func committedValues(t *testing.T, client *stream.Client, topic string) []string {
	t.Helper()
	var all []string
	for next := int64(0); ; {
		got, err := client.Fetch(t.Context(), stream.FetchRequest{Topic: topic, Offset: next, Committed: true, MaxWait: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, values(got.Records)...)
		if got.Next == next {
			return all
		}
		next = got.Next
	}
}

// wantValues checks what a reader of committed records sees. A real broker writes the end of a
// transaction some milliseconds after it has answered.
func wantValues(t *testing.T, client *stream.Client, topic string, want ...string) {
	t.Helper()
	got := committedValues(t, client, topic)
	for range 20 {
		if slices.Equal(got, want) {
			return
		}
		got = committedValues(t, client, topic)
	}
	t.Errorf("committed in %s: %q, want %q", topic, got, want)
}

// must fails the test with an error, and goes on: it is called in handlers.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// TestTransactionsOfAProducer: records and offset are visible together, and one transaction follows
// another.
func TestTransactionsOfAProducer(t *testing.T) {
	t.Parallel()
	client := kafkatest.Dial(t)
	from, labels, dead := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	owned(t, client, from, func(ctx context.Context, a stream.Assignment) {
		p, committed, err := client.TakeOver(ctx, a)
		if err != nil || committed != -1 {
			t.Errorf("TakeOver: offset %d, %v, want -1", committed, err)
			return
		}
		must(t, p.Commit(ctx, 3)) // an offset alone
		must(t, p.Produce(ctx, labels, 0, numbered("a", 2)))
		must(t, p.Produce(ctx, labels, 0, numbered("b", 1)))
		must(t, p.Produce(ctx, dead, 0, numbered("d", 1)))
		wantValues(t, client, labels)
		wantValues(t, client, dead)
		if got := kafkatest.Committed(t, from, from, 0); got != 3 {
			t.Errorf("committed offset %d, want 3", got)
		}
		must(t, p.Commit(ctx, 7))
		wantValues(t, client, labels, "a-0", "a-1", "b-0")
		wantValues(t, client, dead, "d-0")
		for range 3 {
			must(t, p.Produce(ctx, labels, 0, numbered("c", 1)))
			must(t, p.Commit(ctx, 9))
		}
		_, committed, err = client.TakeOver(ctx, a)
		if err != nil || committed != 9 {
			t.Errorf("TakeOver: offset %d, %v, want 9", committed, err)
		}
	})
	wantValues(t, client, labels, "a-0", "a-1", "b-0", "c-0", "c-0", "c-0")
}

// TestTakeOverOfOldBrokers asks brokers that do not wait for open transactions for an offset.
func TestTakeOverOfOldBrokers(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.MaxVersions(kversion.V2_4_0()), kfake.SeedTopics(1, "old"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	owned(t, client, "old", func(ctx context.Context, a stream.Assignment) {
		p, committed, err := client.TakeOver(ctx, a)
		if err != nil || committed != -1 {
			t.Errorf("TakeOver: offset %d, %v, want -1", committed, err)
			return
		}
		must(t, p.Commit(ctx, 3))
		if _, committed, err = client.TakeOver(ctx, a); err != nil || committed != 3 {
			t.Errorf("TakeOver: offset %d, %v, want 3", committed, err)
		}
	})
}

// TestTakeOverFences: the owner before can add nothing, and what it left open never becomes
// visible.
func TestTakeOverFences(t *testing.T) {
	client := kafkatest.Dial(t)
	from, labels := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	owned(t, client, from, func(ctx context.Context, a stream.Assignment) {
		zombie, _, err := client.TakeOver(ctx, a)
		must(t, err)
		must(t, zombie.Produce(ctx, labels, 0, numbered("kept", 1)))
		must(t, zombie.Commit(ctx, 1))
		must(t, zombie.Produce(ctx, labels, 0, numbered("left open", 2)))
		p, committed, err := client.TakeOver(ctx, a)
		if err != nil || committed != 1 {
			t.Errorf("TakeOver: offset %d, %v, want 1", committed, err)
		}
		if err := zombie.Commit(ctx, 3); !errors.Is(err, stream.ErrFenced) {
			t.Errorf("Commit of the owner before: %v, want ErrFenced", err)
		}
		if err := zombie.Produce(ctx, labels, 0, numbered("late", 1)); !errors.Is(err, stream.ErrFenced) {
			t.Errorf("Produce after that: %v, want ErrFenced", err)
		}
		must(t, p.Produce(ctx, labels, 0, numbered("new", 1)))
		must(t, p.Commit(ctx, 2))
	})
	wantValues(t, client, labels, "kept-0", "new-0")
	if got := kafkatest.Committed(t, from, from, 0); got != 2 {
		t.Errorf("committed offset %d, want 2", got)
	}
}

// TestFencedWhileProducing: the next request of a zombie is refused, whether its partition is in
// its transaction or not.
func TestFencedWhileProducing(t *testing.T) {
	client := kafkatest.Dial(t)
	from, labels := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	for _, before := range []int{0, 1} {
		owned(t, client, from, func(ctx context.Context, a stream.Assignment) {
			zombie, _, err := client.TakeOver(ctx, a)
			must(t, err)
			for range before {
				must(t, zombie.Produce(ctx, labels, 0, numbered("open", 1)))
			}
			_, _, err = client.TakeOver(ctx, a)
			must(t, err)
			if err := zombie.Produce(ctx, labels, 0, numbered("late", 1)); !errors.Is(err, stream.ErrFenced) {
				t.Errorf("Produce after %d before: %v, want ErrFenced", before, err)
			}
		})
	}
	wantValues(t, client, labels)
}

// TestCommitOfAnOldGeneration: an owner whose generation is over does not commit, though nobody has
// taken over yet.
func TestCommitOfAnOldGeneration(t *testing.T) {
	client := kafkatest.Dial(t)
	from, labels := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, nil)
	var old stream.Assignment
	owned(t, client, from, func(_ context.Context, a stream.Assignment) { old = a })
	owned(t, client, from, func(ctx context.Context, _ stream.Assignment) {
		zombie, _, err := client.TakeOver(ctx, old)
		must(t, err)
		must(t, zombie.Produce(ctx, labels, 0, numbered("late", 1)))
		if err := zombie.Commit(ctx, 1); !errors.Is(err, stream.ErrGenerationEnded) {
			t.Errorf("Commit: %v, want ErrGenerationEnded", err)
		}
	})
	wantValues(t, client, labels)
}

// TestTransactionsSurviveTrouble: lost answers and coordinators that move neither lose nor double
// anything.
func TestTransactionsSurviveTrouble(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(3), kfake.SeedTopics(1, "from", "labels"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	owned(t, client, "from", func(ctx context.Context, a stream.Assignment) {
		p, _, err := client.TakeOver(ctx, a)
		must(t, err)
		var want []string
		for _, fault := range []kfake.Fault{
			{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut}, // kfake writes all the same
			{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition},
			{Keys: []kmsg.Key{kmsg.AddPartitionsToTxn}, Err: kerr.NotCoordinator},
			{Keys: []kmsg.Key{kmsg.AddPartitionsToTxn}, Err: kerr.ConcurrentTransactions},
			{Keys: []kmsg.Key{kmsg.AddOffsetsToTxn}, Err: kerr.CoordinatorNotAvailable},
			{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.CoordinatorLoadInProgress},
			{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.NotCoordinator},
			{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.ConcurrentTransactions},
		} {
			handle := cluster.Fault(fault)
			must(t, p.Produce(ctx, "labels", 0, numbered(fault.Err.Message, 2)))
			must(t, p.Commit(ctx, 1))
			if handle.Hits() != 1 {
				t.Errorf("%s was answered %d times, want once", fault.Err.Message, handle.Hits())
			}
			want = append(want, fault.Err.Message+"-0", fault.Err.Message+"-1")
		}
		wantValues(t, client, "labels", want...)
		for _, fault := range []kfake.Fault{
			{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.ConcurrentTransactions, Count: 5},
			{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable},
			{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.UnstableOffsetCommit},
		} {
			cluster.Fault(fault)
			_, committed, err := client.TakeOver(ctx, a)
			if err != nil || committed != 1 {
				t.Errorf("TakeOver after %s: offset %d, %v, want 1", fault.Err.Message, committed, err)
			}
		}
	})
}

// TestUnstableOffset: where the coordinator of the group has missed the end of a transaction, the
// next owner tells it.
func TestUnstableOffset(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "from"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	owned(t, client, "from", func(ctx context.Context, a stream.Assignment) {
		before, _, err := client.TakeOver(ctx, a)
		must(t, err)
		must(t, before.Commit(ctx, 5))
		unstable := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.UnstableOffsetCommit, Count: -1})
		var aborted atomic.Int32
		cluster.ControlKey(int16(kmsg.EndTxn), func(request kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			if !request.(*kmsg.EndTxnRequest).Commit {
				aborted.Add(1)
				unstable.Remove()
			}
			return nil, nil, false
		})
		p, committed, err := client.TakeOver(ctx, a)
		if err != nil || committed != 5 || aborted.Load() != 1 {
			t.Errorf("TakeOver: offset %d, %v, after %d aborts; want 5 after 1", committed, err, aborted.Load())
			return
		}
		must(t, p.Commit(ctx, 6)) // the producer is as good as after any other takeover
	})
}

// TestTooLargeForATransaction: what a topic does not take leaves the transaction as it was.
func TestTooLargeForATransaction(t *testing.T) {
	client := kafkatest.Dial(t)
	from, labels := kafkatest.Topic(t, 1, nil), kafkatest.Topic(t, 1, map[string]string{"max.message.bytes": "1000"})
	owned(t, client, from, func(ctx context.Context, a stream.Assignment) {
		p, _, err := client.TakeOver(ctx, a)
		must(t, err)
		must(t, p.Produce(ctx, labels, 0, numbered("a", 1)))
		large := []stream.Record{{Value: []byte(strings.Repeat("large", 1000))}}
		if err := p.Produce(ctx, labels, 0, large); !errors.Is(err, stream.ErrRecordTooLarge) {
			t.Errorf("Produce: %v, want ErrRecordTooLarge", err)
		}
		must(t, p.Produce(ctx, labels, 0, numbered("b", 1)))
		must(t, p.Commit(ctx, 1))
	})
	wantValues(t, client, labels, "a-0", "b-0")
}

// TestBrokersRefuseTransactions: a refusal that lasts is an ErrNoTransactions, and trouble that may
// pass is not.
func TestBrokersRefuseTransactions(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "from"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	owned(t, client, "from", func(ctx context.Context, a stream.Assignment) {
		refused := func(fault kfake.Fault) bool {
			fault.Count = -1
			handle := cluster.Fault(fault)
			defer handle.Remove()
			_, _, err := client.TakeOver(ctx, a)
			if err == nil {
				t.Errorf("TakeOver succeeds with %s", fault.Err.Message)
			}
			return errors.Is(err, stream.ErrNoTransactions)
		}
		for _, code := range []*kerr.Error{kerr.TransactionalIDAuthorizationFailed, kerr.UnsupportedVersion, kerr.InvalidTransactionTimeout} {
			if !refused(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: code}) {
				t.Errorf("%s is no ErrNoTransactions", code.Message)
			}
		}
		if refused(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.InvalidProducerEpoch}) {
			t.Error("to be fenced is an ErrNoTransactions")
		}
	})
}

// TestClusterIsTooSmallForTransactions: if the coordinator is away, the topic of its state tells
// whether it can come back.
func TestClusterIsTooSmallForTransactions(t *testing.T) {
	for _, c := range []struct {
		config   map[string]string // of the topic, nil: there is none
		possible bool
	}{{nil, false}, {map[string]string{"min.insync.replicas": "2"}, false}, {map[string]string{"min.insync.replicas": "1"}, true}} {
		cluster := kafkatest.Fake(t, kfake.NumBrokers(1))
		client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
		if c.config != nil {
			must(t, client.CreateTopic(t.Context(), stream.TopicSpec{Name: "__transaction_state", Partitions: 1, Config: c.config}))
		}
		if err := client.TransactionsPossible(t.Context()); errors.Is(err, stream.ErrNoTransactions) == c.possible {
			t.Errorf("with the settings %v: %v, possible must be %v", c.config, err, c.possible)
		}
	}
}
