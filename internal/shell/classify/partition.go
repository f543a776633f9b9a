package classify

import (
	"context"
	"errors"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// partition is the work on one partition of the documents topic, while this worker has it.
type partition struct {
	*classifier
	assign stream.Assignment
	out    output
	epoch  modellog.Epoch // in which the state is up to date
	next   int64          // the offset of the next document to answer
	end    int64          // of the partition at the last fetch
	*reading

	committed int64     // the offset that the group has
	commitAt  time.Time // when p.next must be committed, if the group has another offset

	*scratch   // while a chunk is answered
	shorten    *wire.Emitter
	shortenFor *spec.Spec // that shorten was made for

	kept    recentHalf   // decisions that are not visible yet
	written []written    // what is not in the metrics yet
	waiting *budget.Room // that both take
	crowded bool         // there is no room for more of them
}

// run labels the partition until ctx ends.
func (p *partition) run(ctx context.Context) error {
	if err := p.checkLabels(ctx, p.assign.Partition); err != nil {
		return err
	}
	committed, err := p.open(ctx)
	if err != nil {
		return err
	}
	next, err := p.begin(ctx, committed)
	if err != nil {
		return err
	}
	p.committed = committed
	p.next = next
	err = p.commit(ctx) // --from end must not move if this fails before the first answer
	for err == nil && ctx.Err() == nil {
		err = p.step(ctx)
		if err == nil {
			p.host.ReportPartition(p.assign.Partition, nil)
		}
	}
	last := p.commit(ctx) // what was answered until then; a transaction in which a write has failed refuses it
	if err == nil {
		err = last
	}
	return err
}

// advance notes that everything before an offset is answered, and commits that if it is time, or
// too much waits for it.
func (p *partition) advance(ctx context.Context, next int64) error {
	if p.next == p.committed {
		p.commitAt = time.Now().Add(p.config.CommitEach)
	}
	p.next = next
	p.metrics.Lag(p.assign.Partition, p.end-next)
	if p.next == p.committed || !p.crowded && time.Now().Before(p.commitAt) {
		return nil
	}
	return p.commit(ctx)
}

// commit tells the group how far the answers are written. Those of a transaction are visible from
// then on. It does not stop when ctx ends, as write does not. A commit without a transaction that
// fails is only repeated: the next one says the same and more.
func (p *partition) commit(ctx context.Context) error {
	if p.next == p.committed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	p.commitAt = time.Now().Add(p.config.CommitEach)
	err := p.out.Commit(ctx, p.next)
	switch {
	case err == nil:
		p.committed = p.next
		p.publish()
	case !p.repeats():
		return err
	case !errors.Is(err, stream.ErrGenerationEnded):
		p.log.Warn("the group's offset was not committed: a crash now would answer documents twice", "error", err)
	}
	return nil
}

// begin returns the offset to start from: the group's, or where --from says.
func (p *partition) begin(ctx context.Context, committed int64) (int64, error) {
	if p.anchor == fold.NoAnchor { // what is fetched first may be of a topic that is deleted by then
		id, err := p.broker.TopicID(ctx, p.assign.Topic, p.assign.Partition)
		if err != nil {
			return 0, err
		}
		p.anchor = worker.Unread(-1, id)
	}
	first, end, err := p.broker.Offsets(ctx, p.assign.Topic, p.assign.Partition)
	if err != nil {
		return 0, err
	}
	switch {
	case committed >= 0:
		return committed, nil
	case p.known():
		return p.upTo, nil // the group has forgotten it, as brokers do with a topic that is deleted
	case p.config.From == "end":
		return end, nil
	}
	return first, nil
}

// fetch reads documents from p.next on, and waits for some until it is time to commit. It passes
// over documents that were deleted before they were labelled, as the retention of their topic asks
// for, and over a batch that cannot be read, with a dead letter.
func (p *partition) fetch(ctx context.Context) (worker.Fetched, error) {
	request := stream.FetchRequest{Topic: p.assign.Topic, Partition: p.assign.Partition, Offset: p.next}
	if p.next != p.committed {
		request.MaxWait = max(time.Until(p.commitAt), time.Millisecond)
	}
	request.Bounded = true
	request.Identify = p.watch.HasID()
	got, err := worker.Fetch(ctx, p.broker, request)
	if err == nil { // also if what was fetched is never answered
		p.end = got.LastStable
		p.metrics.Lag(p.assign.Partition, p.end-p.next)
	}
	again, err := p.verify(ctx, &got, err)
	switch {
	case err != nil:
		return got, err
	case again:
		return worker.Nothing(p.next), nil
	case got.Lost > 0:
		p.log.Error("documents were deleted before they were labelled", "topic", p.assign.Topic, "partition",
			p.assign.Partition, "from", got.From, "to", got.Next-1)
	case got.Unreadable != nil:
		rec, reject := got.Reject()
		err = p.deadLetter(ctx, rec, reject)
	}
	p.metrics.Fetched(len(got.Records), got.ValueBytes())
	return got, err
}
