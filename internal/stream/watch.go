package stream

import (
	"context"
	"log/slog"
	"time"
)

// lastLook bounds the question for the number of partitions before the group is joined again.
const lastLook = time.Second

// watch ends the generation, by returning, when the topic has got other partitions than those that the
// leader of the group can have divided: those that this member knew before it joined.
//
// (kafka-go can watch by itself, but counts first when the generation begins: partitions that are added
// between the division and that moment stay unseen, and nobody reads them.)
func (g *generation) watch(ctx, ended context.Context) {
	ticker := time.NewTicker(g.member.config.WatchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done(): // the member is about to leave: to return would make it join again
			<-ended.Done()
			return
		case <-ended.Done():
			g.member.look(lastLook)
			return
		case <-ticker.C:
		}
		if before := g.member.partitions; g.member.look(g.member.config.WatchInterval) != before {
			g.member.log.Info("the topic has other partitions: the group divides them again", slog.Int("before", before), slog.Int("now", g.member.partitions))
			return
		}
	}
}

// look counts the partitions of the topic. When that fails the number stays what it was: whether the
// cluster answers is for others to notice.
func (m *member) look(limit time.Duration) (partitions int) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if n, err := m.count(ctx); err == nil {
		m.partitions = n
	}
	return m.partitions
}
