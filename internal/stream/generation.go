package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"
)

// Handler works on one partition until its context ends.
type Handler func(ctx context.Context, a Assignment) error

// Assignment is a partition that a consumer group gave to this member.
type Assignment struct {
	Topic      string
	Partition  int
	Offset     int64 // the offset the group committed last, -1 when there is none
	Generation int32

	commit func(offset int64) error
}

// Commit records in the group that everything before offset is done. It works
// until the handlers of the generation have returned, after the end of their
// context too, so that a member hands its partitions over where it stopped.
// Later, or when the coordinator has given the partition away already, it
// returns ErrGenerationEnded. On an Assignment that Consume did not make it does
// nothing.
func (a Assignment) Commit(offset int64) error {
	if a.commit == nil {
		return nil
	}
	return a.commit(offset)
}

// generation is one generation of the group as this member lives it.
type generation struct {
	member  *member
	kafka   *kafka.Generation
	started time.Time
	drained chan struct{} // closed when the last handler has returned

	departed bool // the coordinator is told that its member is gone
}

func newGeneration(m *member, g *kafka.Generation) *generation {
	return &generation{member: m, kafka: g, started: time.Now(), drained: make(chan struct{})}
}

// run runs the handlers and returns when the generation has ended: kafka-go ends
// it when this returns earlier, and would join the group again while the member
// is about to leave it.
func (g *generation) run(ctx, ended context.Context) {
	defer func() { <-ended.Done() }()
	defer close(g.drained)
	if ended.Err() != nil {
		return
	}
	partitions := g.partitions()
	g.member.log.Info("partitions assigned", "generation", g.kafka.ID, "partitions", partitions)
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

// settled is for how long a handler must have run for its next failure to count
// as the first again.
const settled = time.Minute

// serve runs the handler of one partition, again when it fails.
func (g *generation) serve(ctx context.Context, assigned kafka.PartitionAssignment) {
	log := g.member.log.With("partition", assigned.ID)
	var committed atomic.Int64
	committed.Store(max(assigned.Offset, -1)) // kafka-go has -2 for "none"
	a := Assignment{Topic: g.member.config.Topic, Partition: assigned.ID, Generation: g.kafka.ID}
	a.commit = func(offset int64) error {
		err := g.commit(assigned.ID, offset)
		if err == nil {
			committed.Store(offset)
		}
		return err
	}
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
		log.LogAttrs(ctx, slog.LevelWarn, "the handler of a partition failed and starts again", slog.Any("error", err), slog.Duration("pause", pause))
		sleep(ctx, pause)
	}
}

// commit commits an offset of an own partition in the own generation. The broker
// refuses an older generation, but takes a partition that is not the member's,
// which is how a late commit sets another member back: hence the check.
func (g *generation) commit(partition int, offset int64) error {
	topic := g.member.config.Topic
	err := ErrGenerationEnded
	select {
	case <-g.drained:
	default:
		err = g.kafka.CommitOffsets(map[string]map[int]int64{topic: {partition: offset}})
	}
	if errors.Is(err, kafka.IllegalGeneration) || errors.Is(err, kafka.UnknownMemberId) {
		err = fmt.Errorf("%w (%w)", ErrGenerationEnded, err)
	}
	if err != nil {
		return fmt.Errorf("commit offset %d of %s/%d: %w", offset, topic, partition, classify(err))
	}
	return nil
}
