package classify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bayestream/internal/modellog"
	"bayestream/internal/stream"
	"bayestream/internal/worker"
)

// partition is the work on one partition of the documents topic, while this worker has it.
type partition struct {
	*classifier
	assign stream.Assignment
	epoch  modellog.Epoch // in which the state is up to date
	next   int64          // the offset of the next document to answer

	committed   int64 // the offset that the group has
	committedAt time.Time

	lanes   []*lane
	answers []answer
	records []stream.Record // answers that are no dead letters; scratch of write
	origins []int           // index of the document of each of them
}

// run labels the partition until ctx ends.
func (p *partition) run(ctx context.Context) error {
	next, err := p.begin(ctx)
	if err != nil {
		return err
	}
	p.next = next
	p.commit() // --from end must not move if this fails before the first answer
	defer p.commit()
	for ctx.Err() == nil {
		if err := p.step(ctx); err != nil {
			return err
		}
		p.host.ReportPartition(p.assign.Partition, nil)
	}
	return nil
}

// step answers the documents of one fetch.
func (p *partition) step(ctx context.Context) error {
	got, err := p.fetch(ctx)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(got.Records, p.config.MaxRecords) {
		if err := p.label(ctx, batch); err != nil {
			return err
		}
		if err := p.write(ctx, batch); err != nil {
			return err
		}
		p.next = batch[len(batch)-1].Offset + 1
	}
	p.next = got.Next
	p.metrics.Lag(p.assign.Partition, got.LastStable-p.next)
	if p.next != p.committed && time.Since(p.committedAt) > commitEvery {
		p.commit()
	}
	return nil
}

// commitEvery is the time between two commits of the group's offset: what a crash repeats at most. In a
// second of catching up that could be 100,000 documents.
const commitEvery = 200 * time.Millisecond

// commit tells the group how far the answers are written. A commit that fails is not repeated: the next one says the
// same and more.
func (p *partition) commit() {
	p.committedAt = time.Now()
	err := p.assign.Commit(p.next)
	switch {
	case err == nil:
		p.committed = p.next
	case !errors.Is(err, stream.ErrGenerationEnded):
		p.log.Warn("the group's offset was not committed: a crash now would answer documents twice", "error", err)
	}
}

// begin returns the offset to start from: the group's, or where --from says.
func (p *partition) begin(ctx context.Context) (int64, error) {
	first, end, err := p.broker.Offsets(ctx, p.assign.Topic, p.assign.Partition)
	if err != nil {
		return 0, err
	}
	switch {
	case p.assign.Offset > end:
		return 0, fmt.Errorf("group %q stands at offset %d of %s/%d, which ends at %d: the topic was created again; reset the group's offsets",
			p.config.Group, p.assign.Offset, p.assign.Topic, p.assign.Partition, end)
	case p.assign.Offset >= 0:
		return p.assign.Offset, nil
	case p.config.From == "end":
		return end, nil
	}
	return first, nil
}

// fetch reads documents from p.next on. It passes over documents that were deleted before they were labelled, as the
// retention of their topic asks for, and over a batch that cannot be read, with a dead letter.
func (p *partition) fetch(ctx context.Context) (worker.Fetched, error) {
	got, err := worker.Fetch(ctx, p.broker, p.assign.Topic, p.assign.Partition, p.next)
	switch {
	case err != nil:
		return got, err
	case got.Lost > 0:
		p.log.Error("documents were deleted before they were labelled", "topic", p.assign.Topic, "partition", p.assign.Partition, "from", got.From, "to", got.Next-1)
	case got.Unreadable != nil:
		rec, reject := got.Reject()
		err = p.deadLetter(ctx, rec, reject)
	}
	p.metrics.Fetched(len(got.Records), got.ValueBytes())
	return got, err
}
