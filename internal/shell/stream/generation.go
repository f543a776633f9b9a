package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Handler processes one partition until its context ends.
type Handler func(ctx context.Context, a Assignment) error

// Assignment is a partition that a consumer group gave to this member.
type Assignment struct {
	Topic      string
	Partition  int
	Offset     int64 // the offset the group committed last, -1 if none
	Generation int32

	group  string
	member string // id of this member
	commit func(offset int64) error
}

// Commit records in the group that everything before offset is done. It works until
// the handlers of the generation have returned, also after the end of their context,
// so that the next owner continues where this member stopped. Later, or if the
// coordinator has assigned the partition to another member, it returns
// ErrGenerationEnded. On an Assignment that is not from Consume it does nothing.
func (a Assignment) Commit(offset int64) error {
	if a.commit == nil {
		return nil
	}
	return a.commit(offset)
}

// generation is this member's part in one generation of the group.
type generation struct {
	member  *member
	kafka   *kafka.Generation
	started time.Time
	drained chan struct{} // closed when the last handler has returned

	departed bool // its member has left, or is about to
}

func newGeneration(m *member, g *kafka.Generation) *generation {
	return &generation{member: m, kafka: g, started: time.Now(), drained: make(chan struct{})}
}

// run runs the handlers and returns when the generation has ended. If it returned
// earlier, kafka-go would end the generation and join the group again, even if the
// member is about to leave it.
func (g *generation) run(ctx, ended context.Context) {
	defer func() { <-ended.Done() }()
	defer close(g.drained)
	if ended.Err() != nil {
		return
	}
	partitions := g.partitions()
	g.member.log.Info("partitions assigned", "generation", g.kafka.ID, "partitions", partitions)
	g.member.client.readers.Store(int64(len(partitions)))
	g.member.config.OnGeneration(partitions)
	defer g.member.config.OnGeneration(nil)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ended, func() { cancel(ErrGenerationEnded) })
	defer stop()
	var handlers sync.WaitGroup
	for _, a := range g.kafka.Assignments[g.member.config.Topic] {
		handlers.Go(func() { g.serve(ctx, a) })
	}
	if len(partitions) == 0 {
		<-ctx.Done()
	}
	handlers.Wait()
}

func (g *generation) partitions() []int {
	partitions := make([]int, 0, len(g.kafka.Assignments[g.member.config.Topic]))
	for _, a := range g.kafka.Assignments[g.member.config.Topic] {
		partitions = append(partitions, a.ID)
	}
	slices.Sort(partitions)
	return partitions
}

// settled is how long a handler must have run for its next failure to count as the
// first.
const settled = time.Minute

// trouble is what is logged of the failures of one handler: each once, then as a number a minute.
// One that waits for somebody fails once a second.
type trouble struct {
	since time.Time       // of the minute
	said  map[string]bool // in it, without digits, which may differ each time
	more  int             // failures that were not logged
}

// troubleEach is the time after which a failure is logged again.
const troubleEach = time.Minute

func (t *trouble) warn(log *slog.Logger, err error, pause time.Duration) {
	if time.Since(t.since) >= troubleEach {
		t.since = time.Now()
		t.said = map[string]bool{}
	}
	what := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, err.Error())
	if t.said[what] {
		t.more++
		return
	}
	t.said[what] = true
	attrs := []any{"error", err, "pause", pause}
	if t.more > 0 {
		attrs = append(attrs, "more", t.more)
	}
	t.more = 0
	log.Warn("the handler of a partition failed and starts again", attrs...)
}

// serve runs the handler of one partition, and again after it fails.
func (g *generation) serve(ctx context.Context, assigned kafka.PartitionAssignment) {
	log := g.member.log.With("partition", assigned.ID)
	var committed atomic.Int64
	committed.Store(max(assigned.Offset, -1)) // kafka-go's "none" is -2
	a := Assignment{Topic: g.member.config.Topic, Partition: assigned.ID, Generation: g.kafka.ID,
		group: g.member.config.Group, member: g.kafka.MemberID}
	a.commit = func(offset int64) error {
		err := g.commit(assigned.ID, offset)
		if err == nil {
			committed.Store(offset)
		}
		return err
	}
	var trouble trouble
	for failures := 0; ctx.Err() == nil; failures++ {
		a.Offset = committed.Load()
		start := time.Now()
		err := g.member.handle(ctx, a)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			log.Debug("the handler of a partition was interrupted", "error", err)
			return
		}
		if time.Since(start) > settled {
			failures = 0
		}
		pause := pauseAfter(failures)
		if errors.Is(err, ErrFenced) {
			// until then a member that is out of the group knows, and does not fence its successor
			pause = 2 * g.member.config.Heartbeat
		}
		trouble.warn(log, err, pause)
		Sleep(ctx, pause)
	}
}

// commit commits an offset of an assigned partition in this generation. The broker
// refuses an older generation, but accepts a partition of another member, so that a
// late commit would set that member back: hence the check of drained.
func (g *generation) commit(partition int, offset int64) error {
	topic := g.member.config.Topic
	err := ErrGenerationEnded
	select {
	case <-g.drained:
	default:
		err = g.kafka.CommitOffsets(map[string]map[int]int64{topic: {partition: offset}})
	}
	if err != nil {
		return fmt.Errorf("commit offset %d of %s/%d: %w", offset, topic, partition, classify(generationError(err)))
	}
	return nil
}

func generationError(err error) error {
	if errors.Is(err, kafka.IllegalGeneration) || errors.Is(err, kafka.UnknownMemberId) {
		return fmt.Errorf("%w (%w)", ErrGenerationEnded, err)
	}
	return err
}

// depart removes the member of the last generation from the group after an attempt to join failed
// with err.
//
// kafka-go then joins as a new member. It reports the leave of the old one once, which is lost if
// the coordinator is down. The coordinator then still waits for the old member, and the new one
// waits until the session or the rebalance times out: no partition of the group is read for ten
// seconds.
func (m *member) depart(ctx context.Context, err error) {
	last := m.current
	if last == nil || last.departed || errors.Is(err, kafka.RebalanceInProgress) {
		return // in a rebalance kafka-go keeps the member
	}
	last.departed = true
	m.departing.Go(func() {
		what := fmt.Sprintf("leave group %q as the previous member", m.config.Group)
		err := m.client.retry(ctx, what, 0, func(ctx context.Context) error {
			return m.client.leaveGroup(ctx, m.config.Group, last.kafka.MemberID)
		})
		if err != nil && ctx.Err() == nil {
			m.log.Warn("the coordinator waits for a member that is gone, until its session times out", "member",
				last.kafka.MemberID, "error", err)
		}
	})
}

// leaveGroup removes a member from a group. It is no error if the member is not in it.
func (c *Client) leaveGroup(ctx context.Context, group, member string) error {
	request := kmsg.NewPtrLeaveGroupRequest()
	request.Group = group
	request.MemberID = member // in version 0, for one member
	return c.onCoordinator(ctx, &coordinator{kind: groupKey, key: group}, func(broker route) error {
		response, err := c.askStated(ctx, broker, request)
		if err != nil {
			return err
		}
		code := response.(*kmsg.LeaveGroupResponse).ErrorCode
		if kafka.Error(code) == kafka.UnknownMemberId {
			return nil
		}
		return brokerError(code, "")
	})
}

// divider is a kafka-go balancer that keeps the number of partitions it divided. Only the leader of
// a generation divides.
type divider struct {
	kafka.GroupBalancer
	member *member
}

// AssignGroups implements kafka.GroupBalancer.
func (d divider) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	own := int64(0) // without those of another topic, which a misconfigured member may bring
	for _, p := range partitions {
		if p.Topic == d.member.config.Topic {
			own++
		}
	}
	d.member.divided.Store(own)
	return d.GroupBalancer.AssignGroups(members, partitions)
}

// followed says that other members have divided the partitions.
const followed = -1

// watch ends the generation, by returning, when the topic no longer has the number of partitions
// that this member divided when it last led the group. A member that never led need not watch: if
// the leader is lost, the group elects another.
//
// (kafka-go can watch too, but counts first when the generation begins: partitions that are added
// between the division and that moment are never read. And if a broker that is starting says that
// the topic does not exist, kafka-go divides nothing and never checks again.)
func (g *generation) watch(ctx, ended context.Context, divided int64) {
	ticker := time.NewTicker(g.member.config.WatchInterval)
	defer ticker.Stop()
	for {
		now, known := g.member.look(ended)
		if known && now != divided && ctx.Err() == nil {
			g.member.log.Info("the topic has other partitions: the group divides them again", slog.Int64("before", divided),
				slog.Int64("now", now))
			g.member.divided.CompareAndSwap(divided, followed) // unless another member leads now
			return
		}
		select {
		case <-ctx.Done(): // the member is about to leave: returning would make it join again
			<-ended.Done()
			return
		case <-ended.Done():
			return
		case <-ticker.C:
		}
	}
}

// look counts the partitions of the topic. known is false if the request fails.
func (m *member) look(ended context.Context) (partitions int64, known bool) {
	ctx, cancel := context.WithTimeout(ended, m.config.WatchInterval)
	defer cancel()
	n, err := m.client.countPartitions(ctx, m.config.Topic)
	return int64(n), err == nil
}

func (c *Client) countPartitions(ctx context.Context, topic string) (int, error) {
	asked, err := c.askTopic(ctx, topic)
	return len(asked.Partitions), err
}
