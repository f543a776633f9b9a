package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// partition is the work on one partition of the training topic, while this worker has it.
type partition struct {
	*ingester
	source fold.Source
	assign stream.Assignment
	batch  *batch
	recent *recent
	scores *scores
	reads  *spec.Spec // the spec by whose paths the batch reads

	epoch  modellog.Epoch // of the log that the batch is built on
	built  standing       // of the state that the batch is built on
	known  standing       // to which this worker's last delta has led, or that it has found
	sum    uint32         // checksum of the record that was appended last
	folded int64          // offset of the model log up to which it was folded before that record was appended
	at     fold.Progress  // of the source, as the batch continues it
	first  firstDelta     // where counting begins, as long as no delta has begun it
	seen   worker.Watch   // of the training topic
	cursor int64          // what lies between it and this offset holds nothing to count
	rest   worker.Fetched // what was fetched and did not fit into the last delta

	fetched worker.Fetched // by the last fetch, all of it
	room    *budget.Room   // of the delta in the making, and of its scratch

	refused  map[int64]error // owed documents that the fold refused to take out, by the offset of their record
	oneByOne bool            // they are taken out one by one, because the fold refused some together
	unkept   int             // how many could not be taken out
}

func (in *ingester) newPartition(a stream.Assignment) *partition {
	var hasher *spec.Hasher
	if in.key != nil {
		hasher = in.key.Hasher()
	}
	source := fold.Source{Topic: a.Topic, Partition: int32(a.Partition)}
	return &partition{
		ingester: in, source: source, assign: a,
		recent: in.newRecent(source), reads: in.spec,
		scores: &scores{},
		batch: &batch{
			source: source, refs: in.config.RefTopics, decoder: in.decoder, hasher: hasher,
			admission: model.NewAdmission(in.spec), limits: &in.spec.Limits,
			most: codec.DeltaLimit(in.host.LogMessageBytes()),
		},
	}
}

// run learns the partition until ctx ends.
func (p *partition) run(ctx context.Context) error {
	if err := p.checkLimits(p.spec); err != nil { // the model topic may take less than at the start
		return err
	}
	defer func() {
		p.fetched.Release()
		p.recent.room.Release()
	}()
	for ctx.Err() == nil {
		if !p.epoch.Holds() {
			if err := p.begin(ctx); err != nil {
				return err
			}
		}
		err := p.step(ctx)
		var changed *SourceChangedError
		switch {
		case errors.Is(err, errOvertaken), errors.Is(err, errOtherLog):
			continue // nothing was counted: build the delta again
		case errors.As(err, &changed):
			if err := p.decide(ctx, changed); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		}
		p.host.ReportPartition(p.assign.Partition, nil)
	}
	return nil
}

// begin starts to work on the log as it is now.
func (p *partition) begin(ctx context.Context) error {
	epoch, err := p.renew(ctx)
	p.epoch = epoch
	p.first = none
	p.refused = map[int64]error{}
	p.oneByOne = false
	p.doubt()
	return err
}

// errOtherLog says that the model log was replaced by another one: the watermark that the batch begins at is void.
var errOtherLog = errors.New("the model log was replaced while the delta was built")

// errOvertaken says that the watermark has left the start of the batch.
var errOvertaken = errors.New("another worker counted these records while the delta was built")

// errRefused says why a document cannot be taken out whose text is there.
var errRefused = fmt.Errorf("the fold refused it: %w", model.ErrInconsistent)

// step makes the records after the watermark count. It does not stop half way when ctx ends: what was read is
// finished, within the time that a stop may take.
func (p *partition) step(ctx context.Context) error {
	if appended, err := p.upkeep(ctx); appended || err != nil {
		return err
	}
	start, err := p.watermark(ctx)
	if err != nil {
		return err
	}
	got, err := p.fetch(ctx, start)
	if err != nil {
		return err
	}
	if err := p.borrowFor(ctx, &got); err != nil {
		return err
	}
	defer p.giveBack()
	if !p.epoch.Holds() {
		return errOtherLog
	}
	if err := p.readByPathsInForce(); err != nil {
		return err
	}
	p.batch.topic = p.seen.ID()
	p.batch.begin(start, foldedView{p.epoch, p.source, p.at.Generation, p.batch.topic}, &got)
	p.batch.size += p.scores.begin(p.epoch)
	if err := p.fill(ctx, &got); err != nil {
		return err
	}
	if p.batch.isEmpty() {
		p.cursor = got.Next
		return nil
	}
	p.cursor = 0
	p.countBuilt()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	if err := p.sendForwards(drain); err != nil {
		return err
	}
	if err := p.bury(drain); err != nil {
		return err
	}
	offset, err := p.append(drain)
	if err != nil {
		return err
	}
	return p.wait(drain, offset)
}

// deltaTime is how long records are added to one delta. If old texts have to be read again for most of them, a fetch
// of thousands takes minutes: too long without anything counted, and too much to do again if the group gives the
// partition to another worker meanwhile.
const deltaTime = time.Second

// most returns how many documents the next delta may have.
func (p *partition) most() int {
	documents := int64(0)
	p.epoch.Read(func(s *fold.State) {
		if m := s.Model(); m != nil {
			documents = m.Classes().Total()
		}
	})
	return min(p.config.MaxRecords, int(race.MostAhead(documents)))
}

// fill adds the records of a fetch to the batch until it is full or has been open for long, and keeps the rest of
// them for the next one.
func (p *partition) fill(ctx context.Context, got *worker.Fetched) error {
	b := p.batch
	most := p.most()
	defer p.recent.end()
	opened := time.Now()
	for i := range got.Records {
		if b.isFull() || b.learned >= most || i > 0 && p.recent.mayPause() && time.Since(opened) > deltaTime {
			p.keep(got, i)
			return nil
		}
		next := func(n int) []place { return b.soon(got.Records[i+1 : min(i+1+n, len(got.Records))]) }
		read, err := p.recent.read(ctx, b.open(&got.Records[i]), next)
		if b.isDenied(err) {
			err = nil
		}
		if err != nil {
			return err
		}
		learned, err := b.add(read)
		if errors.Is(err, errFull) {
			p.keep(got, i)
			return nil
		}
		if err != nil {
			return err
		}
		b.size += p.scores.add(p.epoch, b.at(), learned)
	}
	b.extend(got.Next)
	return nil
}

// keep remembers the records of a fetch from the i-th on.
func (p *partition) keep(got *worker.Fetched, i int) {
	p.rest = *got
	p.rest.From = p.batch.end
	p.rest.Records = got.Records[i:]
}

// standing is how far a source is counted in a state: what a delta is built on, and what it leads to.
type standing struct {
	log        fold.LogID
	counted    bool // false: the source was never counted
	era        uint64
	generation uint32
	watermark  int64
	trail      uint64
	previous   uint32
	revision   int64 // of the paths in force
	window     int64 // in force
}

func standingIn(s *fold.State, src fold.Source) standing {
	p, counted := s.Progress(src)
	now := standing{
		log: s.Log(), counted: counted, era: s.Era(), generation: p.Generation, watermark: p.Watermark, trail: p.Trail, previous: p.Previous,
	}
	if s.Spec() != nil {
		now.revision = s.Spec().FromRevision()
		now.window = s.Spec().Limits.Window.Size()
	}
	return now
}

// isOvertaken reports whether the source was counted further while the batch was built. Then the batch is built on two
// states, and no void may ever make it count.
func (p *partition) isOvertaken() (yes bool) {
	p.epoch.Read(func(s *fold.State) { yes = standingIn(s, p.source) != p.built })
	return yes
}

// append appends the batch to the model log, as one delta, and returns the offset it has there.
func (p *partition) append(ctx context.Context) (int64, error) {
	if !p.epoch.Holds() {
		return 0, errOtherLog
	}
	if p.isOvertaken() {
		return 0, errOvertaken
	}
	value, err := codec.EncodeDelta(p.delta())
	if err != nil {
		return 0, fmt.Errorf("encode delta: %w", err)
	}
	p.giveScratch()
	p.room.Resize(len(value) + eachOfDelta*p.batch.size)
	p.sum = codec.Checksum(value)
	p.epoch.Read(func(s *fold.State) { p.folded = s.Next() })
	return p.replica.Append(ctx, value)
}

// delta returns what the batch says, and what it was built on.
func (p *partition) delta() *fold.Delta {
	d := p.batch.delta(p.counting, p.at.FromStart && p.at.Begin == p.batch.start)
	d.Log = p.built.log
	d.Era = p.built.era
	d.Generation = p.at.Generation
	d.Previous = p.built.previous
	d.Revision = p.built.revision
	d.Trail = p.at.Trail
	p.epoch.Read(func(s *fold.State) { d.Digest = s.Digest(p.source) })
	if d.IsUpkeep() {
		return d
	}
	d.Scores = p.scores.delta()
	if a := p.anchor(); a.Offset >= 0 {
		d.Anchor = &a
	}
	return d
}

// wait waits until the delta at an offset of the model log is folded, and counts what it says.
func (p *partition) wait(ctx context.Context, offset int64) error {
	b := p.batch
	now, err := p.waitFolded(ctx, offset)
	want := standing{log: p.built.log, counted: true, era: p.built.era, generation: p.at.Generation, watermark: b.end, trail: p.at.Trail, previous: p.sum, revision: p.built.revision, window: p.built.window}
	switch {
	case err != nil:
		return err
	case now == want:
		p.known = now
		p.accepted()
		return nil
	case now != p.built:
		return errOvertaken
	}
	return fmt.Errorf("the fold refused the delta of %s/%d, offsets %d to %d: it does not fit the counts; it is built again",
		b.source.Topic, b.source.Partition, b.start, b.end-1)
}

// waitFolded waits until the delta at an offset of the model log is folded, and returns how far the source is counted then.
// If that offset was folded before the delta was appended, the state says nothing of the delta: a new leader has lost records of
// the log, and the replica, which finds out, starts over.
func (p *partition) waitFolded(ctx context.Context, offset int64) (standing, error) {
	var now standing
	holds, err := p.epoch.Wait(ctx, func(s *fold.State) bool {
		now = standingIn(s, p.source)
		return offset >= p.folded && s.Next() > offset
	})
	switch {
	case err != nil:
		return now, fmt.Errorf("wait for the delta at offset %d of the model log: %w", offset, err)
	case !holds:
		return now, errOtherLog
	}
	return now, nil
}

// accepted counts the records of the batch in the metrics, and commits the group's offset.
func (p *partition) accepted() {
	b := p.batch
	p.metrics.Learned(b.learned)
	for _, name := range b.admission.Added() {
		p.metrics.NewClass()
		p.log.Info("a class is new", "class", name, "topic", p.source.Topic, "partition", p.source.Partition, "from", b.start, "to", b.end-1)
	}
	for _, s := range b.skipped {
		if s.Reason != wire.SkipLost {
			p.metrics.Skipped(s.Reason, 1)
		}
	}
	p.metrics.Skipped(wire.SkipLost, int(b.lost))
	b.logUnmet(p.log)
	p.logForwards()
	if err := p.assign.Commit(b.end); err != nil && !errors.Is(err, stream.ErrGenerationEnded) {
		p.log.Warn("the group's offset was not committed; it is for lag tools only", "error", err)
	}
}
