package stream_test

import (
	"context"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestCoordinatorComesBack takes the coordinator away and brings it back, with the group as it was.
// The member that joins again must not wait until the coordinator gives up the one that it was
// before.
func TestCoordinatorComesBack(t *testing.T) {
	t.Parallel()
	cluster := kafkatest.Fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	client := kafkatest.DialConfig(t, stream.Config{Brokers: cluster.ListenAddrs()})
	began := make(chan int32)
	config := quick("g", "t")
	config.SessionTimeout, config.RebalanceTimeout = time.Minute, time.Minute
	consume(t, client, config, func(ctx context.Context, a stream.Assignment) error {
		began <- a.Generation
		<-ctx.Done()
		return nil
	})
	first := <-began
	away := []kfake.Fault{
		{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: "g", Err: kerr.NotCoordinator, Count: -1},
		{Keys: []kmsg.Key{kmsg.FindCoordinator}, Group: "g", Err: kerr.CoordinatorNotAvailable, Count: -1},
	}
	var handles []*kfake.FaultHandle
	for _, fault := range away {
		fault.TopLevel = true
		handles = append(handles, cluster.Fault(fault))
	}
	eventually(t, "the member looks for the coordinator", func() bool { return handles[1].Hits() > 3 })
	// A coordinator that is back moves once more, and says so; the new member is in the group already.
	moves := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.LeaveGroup}, Group: "g", Err: kerr.NotCoordinator, TopLevel: true, Count: 2})
	for _, handle := range handles {
		handle.Remove()
	}
	select {
	case second := <-began:
		if second <= first {
			t.Errorf("generation %d follows %d", second, first)
		}
		if moves.Hits() != 2 {
			t.Errorf("the coordinator was asked %d times to let the old member go while it moved, want 2", moves.Hits())
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the coordinator is back and the new member waits for the old one")
	}
}
