package classify

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// partition is the work on one partition of the documents topic, while this worker has it.
type partition struct {
	*classifier
	assign    stream.Assignment
	lanes     []*lane
	answers   []answer
	records   []stream.Record // scratch of write: the answers that are no dead letters
	asked     []int           // and the index of the document of each
	told      int64           // the offset that the group knows
	committed time.Time
	rebuilds  int // of the state that the last batch was labelled by
}

// run labels the partition until ctx ends.
func (p *partition) run(ctx context.Context) error {
	next, err := p.begin(ctx)
	if err != nil {
		return err
	}
	done := next
	p.commit(done) // where "end" is must not move when this fails before the first answer
	defer func() { p.commit(done) }()
	for ctx.Err() == nil {
		got, err := p.fetch(ctx, next)
		if err != nil {
			return err
		}
		p.worker.Metrics.Fetched(len(got.Records), sizeOf(got.Records))
		for records := got.Records; len(records) > 0; {
			batch := records[:min(len(records), p.config.MaxRecords)]
			if err := p.label(ctx, batch); err != nil {
				return err
			}
			if err := p.write(ctx, batch); err != nil {
				return err
			}
			done = batch[len(batch)-1].Offset + 1
			records = records[len(batch):]
		}
		next, done = got.Next, got.Next
		p.worker.Metrics.Lag(p.assign.Partition, got.LastStable-next)
		p.worker.ReportPartition(p.assign.Partition, nil)
		if done != p.told && time.Since(p.committed) > commitEvery {
			p.commit(done)
		}
	}
	return nil
}

// commitEvery is the time between two commits of the group's offset: what a crash repeats at most. In a
// second of catching up that could be 100,000 documents.
const commitEvery = 200 * time.Millisecond

// commit tells the group how far the answers are written. When that fails, nothing is done again for it: the
// next commit says the same and more.
func (p *partition) commit(offset int64) {
	p.committed = time.Now()
	err := p.assign.Commit(offset)
	switch {
	case err == nil:
		p.told = offset
	case !errors.Is(err, stream.ErrGenerationEnded):
		p.log.Warn("the group's offset was not committed: a crash now would answer documents twice", "error", err)
	}
}

func sizeOf(records []stream.Record) (n int) {
	for i := range records {
		n += len(records[i].Value)
	}
	return n
}

// begin returns the offset to start from: the group's, or where --from says.
func (p *partition) begin(ctx context.Context) (int64, error) {
	first, end, err := p.worker.Client.Offsets(ctx, p.assign.Topic, p.assign.Partition)
	if err != nil {
		return 0, err
	}
	switch {
	case p.assign.Offset > end:
		return 0, fmt.Errorf("group %q stands at offset %d of %s/%d, which ends at %d: the topic was made anew; reset the group's offsets",
			p.config.Group, p.assign.Offset, p.assign.Topic, p.assign.Partition, end)
	case p.assign.Offset >= 0:
		return p.assign.Offset, nil
	case p.config.From == "end":
		return end, nil
	}
	return first, nil
}

// fetch reads from next on. Documents that were deleted before they were labelled are passed over, as
// their topic's retention asked for; it is logged.
func (p *partition) fetch(ctx context.Context, next int64) (stream.Fetched, error) {
	got, err := p.worker.Client.Fetch(ctx, stream.FetchRequest{Topic: p.assign.Topic, Partition: p.assign.Partition, Offset: next, Committed: true})
	var out *stream.OffsetError
	var bad *stream.BatchError
	switch {
	case errors.As(err, &out) && out.LogStart > next:
		p.log.Error("documents were deleted before they were labelled", "topic", p.assign.Topic, "partition", p.assign.Partition, "from", next, "to", out.LogStart-1)
		return stream.Fetched{Next: out.LogStart, LastStable: out.End}, nil
	case errors.As(err, &bad):
		rec := stream.Record{Topic: p.assign.Topic, Partition: p.assign.Partition, Offset: next, Time: time.Now()}
		reject := wire.Rejectf(wire.BadBatch, "%v", bad)
		dead := []stream.Record{wire.DeadLetter(&rec, "classify", reject, maxDeadLetter)}
		if err := p.worker.DeadLetters(ctx, int32(p.assign.Partition), dead); err != nil {
			return got, err
		}
		return stream.Fetched{Next: bad.Next, LastStable: bad.Next}, nil
	}
	return got, err
}

// label sets p.answers to the answers to the records, on all cores and in their order. While there is no
// model, or the state began anew and is not up to date again, it waits.
func (p *partition) label(ctx context.Context, records []stream.Record) error {
	if len(p.answers) < len(records) {
		p.answers = append(p.answers, make([]answer, len(records)-len(p.answers))...)
	}
	for {
		now := p.worker.Replica.Rebuilds()
		if done, err := p.tryLabel(records, now); done || err != nil {
			return err
		}
		if err := p.upToDate(ctx); err != nil {
			return err
		}
		p.rebuilds = now
	}
}

// tryLabel is label for a state that has begun anew as often as when it was last up to date.
func (p *partition) tryLabel(records []stream.Record, rebuilds int) (done bool, err error) {
	if rebuilds != p.rebuilds {
		return false, nil
	}
	p.worker.Replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			return // the log was made anew, this moment
		}
		done = true
		if err = p.prepare(s.Model().Spec()); err == nil {
			p.labelAll(records, s)
		}
	})
	return done, err
}

// labelAll divides the records among the lanes.
func (p *partition) labelAll(records []stream.Record, s *fold.State) {
	share := (len(records) + len(p.lanes) - 1) / len(p.lanes)
	if len(records) < smallBatch {
		share = len(records)
	}
	var wg sync.WaitGroup
	for i, l := range p.lanes {
		from, to := min(i*share, len(records)), min((i+1)*share, len(records))
		if from == to {
			break
		}
		l.buf = l.buf[:0]
		wg.Go(func() {
			for j := from; j < to; j++ {
				l.label(&p.answers[j], &records[j], s)
			}
		})
	}
	wg.Wait()
}

// smallBatch is a number of records that one goroutine labels faster than several can be started.
const smallBatch = 32

// prepare makes the lanes for a spec, when it is not the one they were made for.
func (p *partition) prepare(s *spec.Spec) error {
	if p.lanes != nil && p.lanes[0].spec == s {
		return nil
	}
	evidence := p.config.Evidence
	if p.config.Emit == wire.EmitHeaders {
		evidence = -1 // nothing of it would be written
	}
	p.lanes = nil
	for range p.workers {
		l, err := newLane(&p.config, s, evidence, p.worker.Metrics.Abstained)
		if err != nil {
			return err
		}
		p.lanes = append(p.lanes, l)
	}
	return nil
}

// write appends the answers, dead letters first, and returns when all replicas have them. It goes on
// when the generation ends: what was scored is written, within the time that a stop may take.
func (p *partition) write(_ context.Context, batch []stream.Record) error {
	ctx, cancel := context.WithTimeout(context.Background(), p.config.Drain)
	defer cancel()
	p.records, p.asked = p.records[:0], p.asked[:0]
	var dead []stream.Record
	for i := range batch {
		if a := &p.answers[i]; a.dead {
			dead = append(dead, a.record)
		} else {
			p.records, p.asked = append(p.records, a.record), append(p.asked, i)
		}
	}
	if err := p.worker.DeadLetters(ctx, int32(p.assign.Partition), dead); err != nil {
		return err
	}
	if err := p.produce(ctx, batch); err != nil {
		return err
	}
	now := time.Now()
	for i := range batch {
		if a := &p.answers[i]; !a.dead && a.status != "" {
			p.worker.Metrics.Decided(a.status, now.Sub(batch[i].Time))
		}
	}
	return nil
}

// maxBatch is how many bytes of answers go into one batch: less than the default limit of a topic.
const maxBatch = 768 << 10

// produce writes p.records in order, in batches that a topic takes.
func (p *partition) produce(ctx context.Context, documents []stream.Record) error {
	for from := 0; from < len(p.records); {
		to, size := from, 0
		for to < len(p.records) && (to == from || size+sizeOfRecord(&p.records[to]) <= maxBatch) {
			size += sizeOfRecord(&p.records[to])
			to++
		}
		if err := p.produceBatch(ctx, documents, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// produceBatch writes one batch. The document of a single answer that is too large for the topic becomes a
// dead letter: waiting would not make it smaller.
func (p *partition) produceBatch(ctx context.Context, documents []stream.Record, from, to int) error {
	_, err := p.worker.Client.ProduceRetry(ctx, p.config.LabelsTopic, p.assign.Partition, p.records[from:to])
	if !errors.Is(err, stream.ErrRecordTooLarge) {
		return err
	}
	if half := (from + to) / 2; half > from {
		if err := p.produceBatch(ctx, documents, from, half); err != nil {
			return err // the others would come before these
		}
		return p.produceBatch(ctx, documents, half, to)
	}
	i := p.asked[from]
	p.answers[i].dead = true
	reject := wire.Rejectf(wire.TooLarge, "the answer does not fit into topic %q: %v", p.config.LabelsTopic, err)
	return p.worker.DeadLetters(ctx, int32(p.assign.Partition), []stream.Record{wire.DeadLetter(&documents[i], "classify", reject, maxDeadLetter)})
}

func sizeOfRecord(r *stream.Record) int {
	n := len(r.Key) + len(r.Value) + 32
	for i := range r.Headers {
		n += len(r.Headers[i].Key) + len(r.Headers[i].Value) + 4
	}
	return n
}
