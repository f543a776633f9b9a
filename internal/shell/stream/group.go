package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
)

// Defaults of a GroupConfig. The partitions of a member that was killed have no
// reader for the session timeout.
const (
	DefaultSessionTimeout   = 10 * time.Second
	DefaultRebalanceTimeout = 10 * time.Second
	DefaultHeartbeat        = time.Second
	DefaultJoinBackoff      = 300 * time.Millisecond
	DefaultWatchInterval    = 2 * time.Second
)

// leaveTimeout is how long a member that stops waits for the coordinator: the
// response to a pending join comes when all other members have joined.
const leaveTimeout = 5 * time.Second

// GroupConfig configures a member of a consumer group. Group and Topic must be set.
type GroupConfig struct {
	Group string
	Topic string
	// SessionTimeout is how long the coordinator waits for a heartbeat before
	// it assigns the member's partitions to others.
	SessionTimeout time.Duration
	// RebalanceTimeout is how long it waits for members to join again: handlers
	// must return within it.
	RebalanceTimeout time.Duration
	// Heartbeat is the time between two heartbeats; the response to one tells a
	// member of a rebalance.
	Heartbeat time.Duration
	// JoinBackoff is the pause before joining again after an error.
	JoinBackoff time.Duration
	// WatchInterval is the time between two requests of the leader for the
	// number of partitions.
	WatchInterval time.Duration
	// OnGeneration, if set, is called with the partitions at the start of each
	// generation, also if none, and with nil at its end. It must not block.
	OnGeneration func(assigned []int)
	// OnRefused, if set, is called with the reason each time that the brokers refuse
	// the group to a member that was in it, and with nil when they take it again. It
	// must not block.
	OnRefused func(reason error)
}

func (g GroupConfig) withDefaults() GroupConfig {
	g.SessionTimeout = cmp.Or(g.SessionTimeout, DefaultSessionTimeout)
	g.RebalanceTimeout = cmp.Or(g.RebalanceTimeout, DefaultRebalanceTimeout)
	g.Heartbeat = cmp.Or(g.Heartbeat, DefaultHeartbeat)
	g.JoinBackoff = cmp.Or(g.JoinBackoff, DefaultJoinBackoff)
	g.WatchInterval = cmp.Or(g.WatchInterval, DefaultWatchInterval)
	if g.OnGeneration == nil {
		g.OnGeneration = func([]int) {}
	}
	if g.OnRefused == nil {
		g.OnRefused = func(error) {}
	}
	return g
}

// Consume is a member of a consumer group until ctx ends, and then leaves it. In each
// generation it runs handle once for every partition assigned to this member, all at
// the same time; a member without a partition waits.
//
//   - The context of a handler ends when the generation does or ctx does. The
//     handler must then return soon (well within the session and the rebalance
//     timeout), because the whole group waits for it. Until then it may commit.
//   - A handler that returns an error earlier is started again after a pause, from
//     the offset committed last. One that returns nil is done with the partition
//     until the next generation.
//   - The next generation starts when all handlers of the last have returned, so
//     that no two handlers of this member have the same partition.
//
// Consume returns nil after ctx has ended, and an error if the topic does not exist
// or the broker refuses the group (rights, settings) before the first generation. A
// refusal after that is waited for: somebody can give a right back.
func (c *Client) Consume(ctx context.Context, config GroupConfig, handle Handler) error {
	what := fmt.Sprintf("consume topic %q in group %q", config.Topic, config.Group)
	config = config.withDefaults()
	// kafka-go requests metadata in a way that makes some brokers create a
	// missing topic, so check first.
	err := c.retry(ctx, what, 0, func(ctx context.Context) error {
		_, err := c.countPartitions(ctx, config.Topic)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil //nolint:nilerr // it was ended
	case err != nil:
		return err
	}
	m := member{client: c, config: config, handle: handle, log: c.log.With("group", config.Group, "topic", config.Topic)}
	m.connections.tls = c.config.TLS
	m.divided.Store(followed)
	group, err := kafka.NewConsumerGroup(m.groupConfig())
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := m.run(ctx, group); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// member is one membership in a consumer group.
type member struct {
	client      *Client
	config      GroupConfig
	handle      Handler
	log         *slog.Logger
	connections connections
	divided     atomic.Int64 // number of partitions that this member divided when it last led the group, or followed
	current     *generation
	departing   sync.WaitGroup
	failing     time.Time // since when joining fails, zero if it does not
	warned      time.Time // time of the last warning
}

func (m *member) groupConfig() kafka.ConsumerGroupConfig {
	c := m.client
	return kafka.ConsumerGroupConfig{
		ID: m.config.Group, Topics: []string{m.config.Topic}, Brokers: c.config.Brokers,
		Dialer: &kafka.Dialer{
			ClientID: c.config.ClientID, Timeout: c.config.RequestTimeout,
			DialFunc: m.connections.dial, SASLMechanism: c.sasl,
		},
		HeartbeatInterval: m.config.Heartbeat, SessionTimeout: m.config.SessionTimeout,
		RebalanceTimeout: m.config.RebalanceTimeout, JoinGroupBackoff: m.config.JoinBackoff,
		GroupBalancers: []kafka.GroupBalancer{divider{kafka.RangeGroupBalancer{}, m},
			divider{kafka.RoundRobinGroupBalancer{}, m}},
		StartOffset: kafka.FirstOffset, // new partitions are watched for in watch.go
		Logger: kafka.LoggerFunc(func(format string, args ...any) {
			m.log.Debug("kafka-go: " + fmt.Sprintf(format, args...))
		}),
	}
}

// run runs one generation after the other. It asks for the next one immediately,
// because kafka-go acts only while it is asked.
func (m *member) run(ctx context.Context, group *kafka.ConsumerGroup) error {
	defer m.leave(group)
	ctx, cancel := context.WithCancel(ctx)
	defer m.departing.Wait()
	defer cancel()
	for {
		g, err := group.Next(ctx)
		switch {
		case ctx.Err() != nil:
			m.drain()
			return nil
		case err == nil:
			m.start(ctx, g)
		case refused(err):
			err = deniedTopic(deniedKey(err, groupKey, m.config.Group), "Read", m.config.Topic)
			if m.current == nil || errors.Is(err, kafka.ErrGroupClosed) {
				return err
			}
			m.config.OnRefused(err)
			fallthrough // a right can be given back
		default:
			m.warn(err)
			m.depart(ctx, err)
		}
	}
}

// warnEvery is the least time between two warnings: kafka-go tries to join several
// times a second.
const warnEvery = 10 * time.Second

// warn logs that joining fails, as a warning if it has failed for longer than a
// coordinator needs to start.
func (m *member) warn(err error) {
	now := time.Now()
	if m.failing.IsZero() {
		m.failing = now
	}
	level := slog.LevelDebug
	if now.Sub(m.failing) >= quiet && now.Sub(m.warned) >= warnEvery {
		level = slog.LevelWarn
		m.warned = now
	}
	m.log.Log(context.Background(), level, "joining the consumer group fails and is retried", "error", err)
}

// shortLife is the age below which the next generation waits: kafka-go would join
// again immediately, endlessly.
const shortLife = 250 * time.Millisecond

func (m *member) start(ctx context.Context, g *kafka.Generation) {
	if m.current != nil && time.Since(m.current.started) < shortLife {
		Sleep(ctx, m.config.JoinBackoff)
	}
	next := newGeneration(m, g)
	m.current = next
	m.failing = time.Time{}
	m.config.OnRefused(nil)
	g.Start(func(ended context.Context) { next.run(ctx, ended) })
	divided := m.divided.Load()
	if divided != followed {
		g.Start(func(ended context.Context) { next.watch(ctx, ended, divided) })
	}
}

// drain waits for the handlers, whose context has ended. Heartbeats continue
// meanwhile, so that handlers can still commit.
func (m *member) drain() {
	if m.current != nil {
		<-m.current.drained
	}
}

// leave leaves the group. If the coordinator does not respond in time, the connections
// are closed, so that kafka-go gives up; the coordinator then notices by the session
// timeout.
func (m *member) leave(group *kafka.ConsumerGroup) {
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = group.Close() // it is always nil
	}()
	timer := time.NewTimer(leaveTimeout)
	defer timer.Stop()
	select {
	case <-left:
	case <-timer.C:
		m.log.Warn("the group coordinator does not answer: leaving without it", "waited", leaveTimeout)
		m.connections.close()
		<-left
	}
	m.connections.close()
}

// refused reports whether the coordinator or a broker refuses the group until somebody changes
// something. A refused certificate, user or token is not permanent here: Consume has asked before,
// so that brokers have taken them.
func refused(err error) bool {
	return isAny(err, kafka.GroupAuthorizationFailed, kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed,
		kafka.InvalidGroupId, kafka.InvalidSessionTimeout, kafka.InconsistentGroupProtocol, kafka.UnsupportedVersion,
		kafka.ErrGroupClosed)
}
