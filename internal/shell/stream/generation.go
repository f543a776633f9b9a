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
		log.LogAttrs(ctx, slog.LevelWarn, "the handler of a partition failed and starts again", slog.Any("error", err),
			slog.Duration("pause", pause))
		sleep(ctx, pause)
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

// generationError adds ErrGenerationEnded to the errors that say so.
func generationError(err error) error {
	if errors.Is(err, kafka.IllegalGeneration) || errors.Is(err, kafka.UnknownMemberId) {
		return fmt.Errorf("%w (%w)", ErrGenerationEnded, err)
	}
	return err
}
