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

// ledger notes what the members of a group read.
type ledger struct {
	mutex sync.Mutex
	seen  map[string]int
	by    map[string]map[int]bool // member, partition
	owner map[int]string          // who holds a partition now
	clash []string
}

func newLedger() *ledger {
	return &ledger{seen: make(map[string]int), by: make(map[string]map[int]bool), owner: make(map[int]string)}
}

func (l *ledger) note(member string, a stream.Assignment, records []stream.Record) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.by[member] == nil {
		l.by[member] = make(map[int]bool)
	}
	l.by[member][a.Partition] = true
	for _, r := range records {
		l.seen[string(r.Value)]++
	}
}

func (l *ledger) enter(member string, partition int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if other, held := l.owner[partition]; held {
		l.clash = append(l.clash, fmt.Sprintf("%s got partition %d while %s had it", member, partition, other))
	}
	l.owner[partition] = member
}

func (l *ledger) leave(partition int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.owner, partition)
}

func (l *ledger) distinct() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.seen)
}

func (l *ledger) partitions(member string) int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.by[member])
}

// reader is a handler that reads, notes and commits. It goes on when a commit
// fails, and commits once more when it is told to stop.
func (l *ledger) reader(member string, client *stream.Client) stream.Handler {
	return func(ctx context.Context, a stream.Assignment) error {
		l.enter(member, a.Partition)
		defer l.leave(a.Partition)
		next, committed := max(a.Offset, 0), max(a.Offset, 0)
		for {
			got, err := client.Fetch(ctx, stream.FetchRequest{Topic: a.Topic, Partition: a.Partition, Offset: next, MaxWait: 200 * time.Millisecond})
			if err == nil {
				l.note(member, a, got.Records)
				next = got.Next
			}
			if next > committed && a.Commit(next) == nil {
				committed = next
			}
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil:
				return err
			}
		}
	}
}

// quick has the times of a group that can change hands several times in a test.
func quick(group, topic string) stream.GroupConfig {
	return stream.GroupConfig{Group: group, Topic: topic, Heartbeat: 300 * time.Millisecond, WatchInterval: 500 * time.Millisecond}
}

// leaveTimeout is that of the package: how long a member asks a coordinator to let it go.
const leaveTimeout = 5 * time.Second

// consume runs Consume until the returned function stops it and waits for it.
func consume(t *testing.T, client *stream.Client, config stream.GroupConfig, handle stream.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- client.Consume(ctx, config, handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		start := time.Now()
		if err := <-done; err != nil {
			t.Errorf("Consume: %v", err)
		}
		if took := time.Since(start); took > 4*leaveTimeout {
			t.Errorf("leaving took %s", took)
		}
	})
	t.Cleanup(stop)
	return stop
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(40 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// TestGroupHandover: two members share, one leaves, another joins, while records
// keep coming: none is lost, and no partition has two readers at once.
func TestGroupHandover(t *testing.T) {
	t.Parallel()
	const partitions = 4
	topic := kafkatest.Topic(t, partitions, nil)
	client, all := kafkatest.Dial(t), newLedger()
	sent, stopSending := 0, make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for ; ; sent++ {
			select {
			case <-stopSending:
				return
			case <-time.After(2 * time.Millisecond):
				kafkatest.Produce(t, topic, sent%partitions, stream.Record{Value: fmt.Appendf(nil, "%d", sent)})
			}
		}
	})
	stopA := consume(t, client, quick(topic, topic), all.reader("A", client))
	eventually(t, "A has all partitions", func() bool { return all.partitions("A") == partitions })
	second := kafkatest.Dial(t)
	stopB := consume(t, second, quick(topic, topic), all.reader("B", second))
	eventually(t, "B has half of them", func() bool { return all.partitions("B") == partitions/2 })
	stopA()
	eventually(t, "B has all partitions", func() bool { return all.partitions("B") == partitions })
	third := kafkatest.Dial(t)
	stopC := consume(t, third, quick(topic, topic), all.reader("C", third))
	eventually(t, "C has half of them", func() bool { return all.partitions("C") == partitions/2 })
	close(stopSending)
	sender.Wait()
	eventually(t, "everything is read", func() bool { return all.distinct() == sent })
	stopB()
	stopC()
	twice := 0
	for _, n := range all.seen {
		twice += n - 1
	}
	if twice > 0 {
		t.Errorf("%d of %d records were read twice, though every member could commit", twice, sent)
	}
	if len(all.clash) > 0 {
		t.Errorf("two readers at once: %q", all.clash)
	}
	for p := range partitions {
		if _, end, err := client.Offsets(deadline(t), topic, p); err != nil || kafkatest.Committed(t, topic, topic, p) != end {
			t.Errorf("partition %d: committed %d of %d, %v", p, kafkatest.Committed(t, topic, topic, p), end, err)
		}
	}
}

func TestGroupResumesFromTheCommit(t *testing.T) {
	t.Parallel()
	topic := kafkatest.Topic(t, 1, nil)
	kafkatest.Produce(t, topic, 0, numbered("x", 10)...)
	client := kafkatest.Dial(t)
	starts := make(chan stream.Assignment, 2)
	stop := consume(t, client, quick(topic, topic), func(ctx context.Context, a stream.Assignment) error {
		starts <- a
		return a.Commit(4)
	})
	first := <-starts
	if first.Offset != -1 || first.Topic != topic || first.Partition != 0 {
		t.Errorf("the first assignment is %+v, want offset -1", first)
	}
	eventually(t, "the commit arrives", func() bool { return kafkatest.Committed(t, topic, topic, 0) == 4 })
	stop()
	stop = consume(t, client, quick(topic, topic), func(ctx context.Context, a stream.Assignment) error {
		starts <- a
		<-ctx.Done()
		return nil
	})
	second := <-starts
	stop()
	if second.Offset != 4 || second.Generation <= 0 {
		t.Errorf("the second assignment is %+v, want offset 4", second)
	}
}

// TestGroupCommitsWhileStopping: a handler whose context has ended can record
// where it stopped; once it has returned, nobody can.
func TestGroupCommitsWhileStopping(t *testing.T) {
	t.Parallel()
	topic := kafkatest.Topic(t, 1, nil)
	client := kafkatest.Dial(t)
	started := make(chan stream.Assignment, 1)
	stop := consume(t, client, quick(topic, topic), func(ctx context.Context, a stream.Assignment) error {
		started <- a
		<-ctx.Done()
		time.Sleep(200 * time.Millisecond) // what was in flight
		return a.Commit(7)
	})
	late := <-started
	stop()
	if got := kafkatest.Committed(t, topic, topic, 0); got != 7 {
		t.Errorf("committed %d, want 7", got)
	}
	if err := late.Commit(3); !errors.Is(err, stream.ErrGenerationEnded) {
		t.Errorf("a commit after the end: %v, want ErrGenerationEnded", err)
	}
	if got := kafkatest.Committed(t, topic, topic, 0); got != 7 {
		t.Errorf("a late commit set the group back to %d", got)
	}
	if err := (stream.Assignment{}).Commit(1); err != nil {
		t.Errorf("an assignment of a test: %v", err)
	}
}

func TestGroupRestartsAFailingHandler(t *testing.T) {
	t.Parallel()
	topic := kafkatest.Topic(t, 2, nil)
	client := kafkatest.Dial(t)
	var mutex sync.Mutex
	offsets := make(map[int][]int64)
	generations := make(map[int32]bool)
	stop := consume(t, client, quick(topic, topic), func(ctx context.Context, a stream.Assignment) error {
		mutex.Lock()
		offsets[a.Partition] = append(offsets[a.Partition], a.Offset)
		generations[a.Generation] = true
		n := int64(len(offsets[a.Partition]))
		mutex.Unlock()
		if a.Partition == 1 && n <= 3 {
			if err := a.Commit(n * 10); err != nil {
				return err
			}
			return fmt.Errorf("failure %d", n)
		}
		<-ctx.Done()
		return nil
	})
	eventually(t, "the handler of partition 1 has started four times", func() bool {
		mutex.Lock()
		defer mutex.Unlock()
		return len(offsets[1]) == 4
	})
	stop()
	if want := []int64{-1, 10, 20, 30}; !slices.Equal(offsets[1], want) {
		t.Errorf("the failing handler started at %v, want %v", offsets[1], want)
	}
	if len(offsets[0]) != 1 || len(generations) != 1 {
		t.Errorf("the other handler started %d times in %d generations, want once", len(offsets[0]), len(generations))
	}
}

func TestGroupMemberWithoutPartition(t *testing.T) {
	t.Parallel()
	topic := kafkatest.Topic(t, 1, nil)
	var mutex sync.Mutex
	seen := make(map[string][][]int)
	member := func(name string) func() {
		config := quick(topic, topic)
		config.OnGeneration = func(assigned []int) {
			mutex.Lock()
			defer mutex.Unlock()
			seen[name] = append(seen[name], slices.Clone(assigned))
		}
		return consume(t, kafkatest.Dial(t), config, func(ctx context.Context, a stream.Assignment) error {
			<-ctx.Done()
			return ctx.Err()
		})
	}
	has := func(want ...int) int { // members that now hold exactly this
		mutex.Lock()
		defer mutex.Unlock()
		n := 0
		for _, s := range seen {
			if last := s[len(s)-1]; last != nil && slices.Equal(last, want) {
				n++
			}
		}
		return n
	}
	stopA := member("A")
	eventually(t, "A has the partition", func() bool { return has(0) == 1 })
	stopB := member("B")
	eventually(t, "one has the partition and one has none", func() bool { return has(0) == 1 && has() == 1 })
	stopA()
	eventually(t, "B has the partition", func() bool { return has(0) == 1 && has() == 0 })
	stopB()
	if n := has(0); n != 0 {
		t.Errorf("after the end %d members still believe to have the partition", n)
	}
}

func TestGroupSeesNewPartitions(t *testing.T) {
	t.Parallel()
	topic := kafkatest.Topic(t, 1, nil)
	client, all := kafkatest.Dial(t), newLedger()
	stop := consume(t, client, quick(topic, topic), all.reader("A", client))
	kafkatest.Produce(t, topic, 0, numbered("old", 3)...)
	eventually(t, "the old partition is read", func() bool { return all.distinct() == 3 })
	kafkatest.AddPartitions(t, topic, 3)
	kafkatest.Produce(t, topic, 2, numbered("new", 3)...)
	eventually(t, "the new partition is read", func() bool { return all.distinct() == 6 })
	stop()
}

// TestGroupRefused: what waiting does not cure ends Consume with the reason.
func TestGroupRefused(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, TopLevel: true, Err: kerr.GroupAuthorizationFailed, Count: -1})
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	err := client.Consume(deadline(t), quick("forbidden", "t"), func(context.Context, stream.Assignment) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "forbidden") || errors.Is(err, stream.ErrRetriable) {
		t.Errorf("Consume without the right to: %v", err)
	}
}

// TestGroupWaitsForItsCoordinator: trouble that passes is waited for, and the
// end of the context is heard meanwhile.
func TestGroupWaitsForItsCoordinator(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	fault := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable, Count: -1})
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	started := make(chan struct{}, 1)
	handle := func(ctx context.Context, a stream.Assignment) error {
		started <- struct{}{}
		<-ctx.Done()
		return nil
	}
	stop := consume(t, client, quick("g", "t"), handle)
	if err := fault.Wait(deadline(t), 2); err != nil {
		t.Fatalf("kafka-go did not look for the coordinator twice: %v", err)
	}
	stop()
	consume(t, client, quick("g", "t"), handle)
	if err := fault.Wait(deadline(t), 5); err != nil {
		t.Fatal(err)
	}
	fault.Remove()
	select {
	case <-started:
	case <-time.After(20 * time.Second):
		t.Error("the member does not join after the coordinator came back")
	}
}

// TestGroupLeavesAStuckCoordinator: a broker that answers no more does not hold
// a member that wants to stop.
func TestGroupLeavesAStuckCoordinator(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	stuck := make(chan struct{})
	cluster.ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		close(stuck)
		return nil, nil, true
	})
	stop := consume(t, client, quick("g", "t"), func(context.Context, stream.Assignment) error { return nil })
	<-stuck
	stop() // complains when it takes longer than leaving may
}
