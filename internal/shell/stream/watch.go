package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/segmentio/kafka-go"
)

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
