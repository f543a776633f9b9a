package ingest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// maxDeadLetter bounds a dead letter: the default limit of a topic, less what a batch adds.
const maxDeadLetter = 1<<20 - 4096

// partition is the work on one partition of the training topic, while this worker has it.
type partition struct {
	*ingester
	source fold.Source
	assign stream.Assignment
	batch  *batch
	recent *recent
	scorer *model.Scorer
	scored model.Decision
	begin  fold.Progress // where counting begins if it never did

	rebuilds int // of the state that the batch is built on
}

// run learns the partition until ctx ends. Each round starts from what the fold says: the watermark.
func (p *partition) run(ctx context.Context) error {
	p.rebuilds = p.worker.Replica.Rebuilds()
	if err := p.renew(ctx); err != nil {
		return err
	}
	p.begin = fold.Progress{Begin: -1}
	cursor := int64(-1) // beyond the watermark where the topic holds nothing to count
	for ctx.Err() == nil {
		start, err := p.watermark(ctx)
		if err != nil {
			return err
		}
		cursor = max(cursor, start)
		got, err := p.fetch(ctx, start, cursor)
		if err != nil {
			return err
		}
		if err := p.sameLog(); err != nil {
			return err // before records are counted from a watermark that is void
		}
		p.worker.Metrics.Fetched(len(got.Records), sizeOf(got.Records))
		p.worker.Metrics.Lag(p.assign.Partition, got.LastStable-got.Next)
		p.recent.keep(&got)
		cursor = got.Next
		if len(got.Records) > 0 || !p.batch.skippedNothing() {
			if err := p.learn(ctx, got); err != nil {
				return err
			}
			cursor = -1
		}
		p.worker.ReportPartition(p.assign.Partition, nil)
	}
	return nil
}

// errAnew says that the model log is another one than when the batch was begun.
var errAnew = errors.New("the model log was made anew while the delta was built")

// sameLog returns errAnew when the state is not the one any more whose watermark the batch starts at.
func (p *partition) sameLog() error {
	if p.worker.Replica.Rebuilds() != p.rebuilds {
		return errAnew
	}
	return nil
}

func sizeOf(records []stream.Record) (n int) {
	for i := range records {
		n += len(records[i].Value)
	}
	return n
}

// watermark returns the offset to count next.
func (p *partition) watermark(ctx context.Context) (int64, error) {
	var progress fold.Progress
	var known bool
	p.worker.Replica.Read(func(s *fold.State) { progress, known = s.Progress(p.source) })
	if known {
		return progress.Watermark, nil
	}
	if p.begin.Begin >= 0 {
		return p.begin.Begin, nil
	}
	first, last, err := p.worker.Client.Offsets(ctx, p.source.Topic, p.assign.Partition)
	if err != nil {
		return 0, err
	}
	end := first // of a partition that was added later
	if p.assign.Partition < len(p.ends) {
		end = p.ends[p.assign.Partition]
	}
	begin := beginning(p.config.From, first, end)
	if begin.Begin > last {
		return 0, fmt.Errorf("--from %s lies beyond the end of %s/%d, which is at offset %d: counting begins when the partition has got that far, "+
			"or start again with an offset that it has, or --from end", p.config.From, p.source.Topic, p.source.Partition, last)
	}
	p.begin = begin
	return begin.Begin, nil
}

// beginning says where counting starts in a partition that was never counted.
func beginning(from string, first, end int64) fold.Progress {
	switch from {
	case "start":
		return fold.Progress{Begin: first, FromStart: true}
	case "end":
		return fold.Progress{Begin: max(end, first)}
	}
	n, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		n = first // the configuration was validated
	}
	return fold.Progress{Begin: max(n, first)}
}

// fetch reads from cursor on, and starts a batch at start.
func (p *partition) fetch(ctx context.Context, start, cursor int64) (stream.Fetched, error) {
	p.batch.begin(start)
	got, err := p.worker.Client.Fetch(ctx, stream.FetchRequest{Topic: p.source.Topic, Partition: p.assign.Partition, Offset: cursor, Committed: true})
	var out *stream.OffsetError
	var bad *stream.BatchError
	switch {
	case errors.As(err, &out) && out.LogStart > cursor:
		return p.lost(cursor, out.LogStart)
	case errors.As(err, &out):
		return got, fmt.Errorf("%w: the training topic is not the one that was counted; use another model topic for it", err)
	case errors.As(err, &bad):
		return p.unreadable(ctx, cursor, bad)
	}
	return got, err
}

// lost passes over records that were deleted before they were counted, if that is allowed.
func (p *partition) lost(cursor, first int64) (stream.Fetched, error) {
	if !p.config.AcceptLoss {
		return stream.Fetched{}, fmt.Errorf("%s/%d: the records from offset %d to %d were deleted before they were counted: lengthen retention.ms of the topic, "+
			"and start ingest with --accept-loss to go on without them", p.source.Topic, p.source.Partition, cursor, first-1)
	}
	p.log.Error("records were deleted before they were counted", "topic", p.source.Topic, "partition", p.source.Partition, "from", cursor, "to", first-1)
	p.batch.skip(cursor, wire.SkipLost)
	p.batch.lost += first - cursor
	p.batch.end = first
	return stream.Fetched{Next: first}, nil
}

// unreadable passes over a batch that no client can read, with a dead letter that says where it was.
func (p *partition) unreadable(ctx context.Context, cursor int64, bad *stream.BatchError) (stream.Fetched, error) {
	rec := stream.Record{Topic: p.source.Topic, Partition: p.assign.Partition, Offset: cursor, Time: time.Now()}
	p.batch.end = bad.Next
	p.batch.reject(&rec, wire.Rejectf(wire.BadBatch, "%v", bad))
	return stream.Fetched{Next: bad.Next}, ctx.Err()
}

// learn counts what was fetched, in as many deltas as it takes.
func (p *partition) learn(ctx context.Context, got stream.Fetched) error {
	records := got.Records
	for {
		n, err := p.collect(ctx, records)
		if err != nil {
			return err
		}
		if records = records[n:]; len(records) == 0 {
			p.batch.end = max(p.batch.end, got.Next)
		}
		if err := p.commit(); err != nil || len(records) == 0 {
			return err
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the partition was taken away: what is counted is counted, the rest is for the next owner
		}
		p.batch.begin(p.batch.end)
	}
}

// deltaTime is for how long records are added to one delta. Where old texts have to be read again for most
// of them, a fetch of thousands takes minutes: too long to see nothing counted, or to begin again when the
// group gives the partition to another worker meanwhile.
const deltaTime = time.Second

// collect adds records to the batch until it is full, or was long enough in the making; it returns how many.
func (p *partition) collect(ctx context.Context, records []stream.Record) (int, error) {
	begun := time.Now()
	for i := range records {
		if p.batch.learned >= p.config.MaxRecords || i > 0 && time.Since(begun) > deltaTime {
			return i, nil
		}
		err := p.batch.add(ctx, &records[i])
		if errors.Is(err, errFull) {
			return i, nil
		}
		if err != nil {
			return i, err
		}
	}
	return len(records), nil
}

// commit makes the batch count: dead letters first, so that none is lost, then the delta, then the
// group's offset. It does not end with the generation: what was read is finished, within the time
// that a stop may take.
func (p *partition) commit() error {
	ctx, cancel := context.WithTimeout(context.Background(), p.config.Drain)
	defer cancel()
	b := p.batch
	if err := p.worker.DeadLetters(ctx, b.source.Partition, b.dead); err != nil {
		return err
	}
	if err := p.sameLog(); err != nil {
		return err
	}
	if err := p.append(ctx, b); err != nil {
		return err
	}
	p.worker.Metrics.Learned(b.learned)
	for _, s := range b.skipped {
		if s.Reason != wire.SkipLost {
			p.worker.Metrics.Skipped(s.Reason, 1)
		}
	}
	p.worker.Metrics.Skipped(wire.SkipLost, int(b.lost))
	if err := p.assign.Commit(b.end); err != nil && !errors.Is(err, stream.ErrGenerationEnded) {
		p.log.Warn("the group's offset was not committed; it is for lag tools only", "error", err)
	}
	return nil
}

// errMoved says that the watermark is not where the batch began any more.
var errMoved = errors.New("another worker counted these records while the delta was built")

// append writes the delta and waits until the fold has passed it.
func (p *partition) append(ctx context.Context, b *batch) error {
	value, err := codec.EncodeDelta(b.delta(p.counting, p.begin.FromStart && b.start == p.begin.Begin))
	if err != nil {
		return fmt.Errorf("encode delta: %w", err)
	}
	offset, err := p.worker.Replica.Append(ctx, value)
	if err != nil {
		return err
	}
	var now fold.Progress
	var known bool
	err = p.worker.Replica.Wait(ctx, func(s *fold.State) bool {
		now, known = s.Progress(p.source)
		return s.Next() > offset
	})
	switch {
	case err != nil:
		return fmt.Errorf("wait for the delta at offset %d of the model log: %w", offset, err)
	case known && now.Watermark == b.end:
		return nil
	case known && now.Watermark != b.start:
		return errMoved
	case p.sameLog() != nil:
		return errAnew
	}
	return fmt.Errorf("the fold refused the delta of %s/%d, offsets %d to %d: it does not fit the counts; it is built again", b.source.Topic, b.source.Partition, b.start, b.end-1)
}

// score tests a document before it is learned: the running accuracy of a model on records it has not
// seen (prequential evaluation, Dawid 1984). The model is that before the delta in the making.
func (p *partition) score(label string, f *model.Features) {
	var labelled, correct bool
	loss := -math.Log(minProbability)
	p.worker.Replica.Read(func(s *fold.State) {
		if s.Model() == nil {
			return // the log was made anew
		}
		d := &p.scored
		p.scorer.Decide(d, s.Model(), f, "", model.Options{Evidence: -1})
		labelled, correct = d.Labelled, d.Label == label
		for _, c := range d.Classes {
			if c.Name == label {
				loss = min(loss, -c.LogPosterior)
			}
		}
	})
	if labelled {
		p.worker.Metrics.Prequential(correct, loss)
	}
}

// minProbability clips the log loss of a class that was never seen.
const minProbability = 1e-15
