// Package session starts the session of each member of a consumer group of kfake, as Kafka's
// coordinator does when a join completes. kfake starts it with the answer to JoinGroup, and does
// not when the connection broke while the member waited for that answer: it would be a member
// without an end, and nothing would read the partitions that it was given.
package session

import (
	"context"
	"sync"
	"time"

	"bayestream/internal/shell/stream"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	patience = 10 * time.Second       // for the heartbeats of a generation
	pause    = 100 * time.Millisecond // before a heartbeat that got no answer is sent again
)

// starter starts the sessions of the members of a cluster.
type starter struct {
	cluster *kfake.Cluster
	cancel  context.CancelFunc

	mu      sync.Mutex
	stopped bool
	running sync.WaitGroup
	started map[string]map[string]int32 // by group and member: the generation whose session was started last
}

// Watch starts the session of each member of each generation, until stop is called. A member that
// never gets in touch after its join is then removed when its session timeout is over. stop does
// not need the cluster to run.
func Watch(cluster *kfake.Cluster) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &starter{cluster: cluster, cancel: cancel, started: make(map[string]map[string]int32)}
	cluster.ControlKey(int16(kmsg.SyncGroup), func(request kmsg.Request) (kmsg.Response, error, bool) {
		s.observe(ctx, request.(*kmsg.SyncGroupRequest).Group)
		return nil, nil, false // kfake handles it
	})
	return s.stop
}

func (s *starter) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cancel()
	s.running.Wait()
}

// observe is called when a member of a group syncs. The first one to do so shows that a join is
// complete. If nobody does, kfake removes them all by the rebalance timeout.
func (s *starter) observe(ctx context.Context, group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	info := s.cluster.GroupInfo(group)
	// In every other state a new member may still wait for its join.
	if info == nil || info.State != "CompletingRebalance" {
		return
	}
	if fresh := s.note(info); len(fresh) > 0 {
		addresses := s.cluster.ListenAddrs()
		// kfake answers when this function has returned
		s.running.Go(func() { start(ctx, addresses, group, info.Epoch, fresh) })
	}
}

// note remembers the members of a generation, and returns those that are new in it. The others have
// their session: a second heartbeat would make it longer.
func (s *starter) note(info *kfake.GroupInfo) (fresh []string) {
	now := make(map[string]int32, len(info.Members))
	for i := range info.Members {
		id := info.Members[i].MemberID
		if s.started[info.Group][id] != info.Epoch {
			fresh = append(fresh, id)
		}
		now[id] = info.Epoch
	}
	s.started[info.Group] = now
	return fresh
}

// start sends one heartbeat for each member, with which kfake starts its session. Heartbeats of
// living members are due anyway, and those for a generation that is over are refused.
func start(ctx context.Context, addresses []string, group string, generation int32, members []string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(addresses...))
	if err != nil {
		return // kfake listens on no address
	}
	defer client.Close()
	for _, id := range members {
		request := kmsg.NewPtrHeartbeatRequest()
		request.Group, request.Generation, request.MemberID = group, generation, id
		for ctx.Err() == nil {
			if _, err := request.RequestWith(ctx, client); err == nil {
				break
			}
			stream.Sleep(ctx, pause)
		}
	}
}
