package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"
)

// divider is a kafka-go balancer that notes how many partitions it divided. Only the member that the
// coordinator made the leader of a generation is asked to divide.
type divider struct {
	kafka.GroupBalancer
	member *member
}

// AssignGroups implements kafka.GroupBalancer.
func (d divider) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	own := int64(0) // a member with another topic would be a mistake, not a reason to begin again for ever
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

// watch ends the generation, by returning, when the topic has other partitions than those that this member
// divided when it last led the group. Who never did need not look: when the leader is lost, the group elects
// another.
//
// (kafka-go can watch by itself, but counts first when the generation begins: partitions that are added
// between the division and that moment stay unseen, and nobody reads them. And a broker that is just
// starting may say that there is no such topic. kafka-go divides nothing then, and all is well, for ever.)
func (g *generation) watch(ctx, ended context.Context, divided int64) {
	ticker := time.NewTicker(g.member.config.WatchInterval)
	defer ticker.Stop()
	for {
		if now, known := g.member.look(ended); known && now != divided && ctx.Err() == nil {
			g.member.log.Info("the topic has other partitions: the group divides them again", slog.Int64("before", divided), slog.Int64("now", now))
			g.member.divided.CompareAndSwap(divided, followed) // once is enough, if another leads by now
			return
		}
		select {
		case <-ctx.Done(): // the member is about to leave: to return would make it join again
			<-ended.Done()
			return
		case <-ended.Done():
			return
		case <-ticker.C:
		}
	}
}

// look counts the partitions of the topic. When that fails they are not known: whether the cluster answers
// is for others to notice.
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
