package ingest

import (
	"context"
	"errors"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// step makes the records after the watermark count: it reads them, counts them in a batch, and
// appends what the batch says to the model log as one delta. It does not stop half way when ctx
// ends: what was read is finished, within the time that a stop may take.
func (p *partition) step(ctx context.Context) error {
	if appended, err := p.takeOutOwed(ctx); appended || err != nil {
		return err
	}
	if err := p.findWatermark(ctx); err != nil {
		return err
	}
	got, err := p.reader.fetch(ctx, &p.at)
	if err != nil {
		return err
	}
	if err := p.borrowFor(ctx, &got); err != nil {
		return err
	}
	defer p.giveBack()
	if err := p.beginBatch(&got); err != nil {
		return err
	}
	if err := p.fill(ctx, &got); err != nil { // open, read what it needs, add: for each record
		return err
	}
	if p.batch.isEmpty() {
		p.reader.cursor = got.Next
		return nil
	}
	p.reader.cursor = 0
	p.resizeBorrowed()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	written := p.written()
	if err := p.writer.sendForwards(drain, p.batch, written.forwarded); err != nil {
		return err
	}
	if err := p.writer.bury(drain, p.batch, written.dead); err != nil {
		return err
	}
	offset, err := p.append(drain)
	if err != nil {
		return err
	}
	return p.awaitFold(drain, offset)
}

func (p *partition) beginBatch(got *worker.Fetched) error {
	if !p.epoch.Holds() {
		return errOtherLog
	}
	if err := p.readBySpecInForce(); err != nil {
		return err
	}
	p.batch.topic = p.reader.seen.ID()
	p.batch.begin(p.at.Watermark, stateView{p.epoch.Read, p.source, p.at.Generation, p.batch.topic}, got)
	return nil
}

// readBySpecInForce makes the batch read records by the spec in force, whose paths may have grown
// since the last one, and keep its window, which may be shorter. The error is errOvertaken if it is
// not that of the state that the batch is to be built on.
func (p *partition) readBySpecInForce() error {
	var now *spec.Spec
	isBuiltOn := false
	p.epoch.Read(func(s *fold.State) {
		now = s.Spec()
		isBuiltOn = s.Basis(p.source).Spec == p.built.Spec
	})
	if now == nil || !isBuiltOn {
		return errOvertaken
	}
	if now == p.batch.reads {
		return nil
	}
	if now.FromRevision() != p.batch.reads.FromRevision() {
		p.log.Info("fields are looked for by the paths of a later spec", "partition", p.assign.Partition, "paths",
			now.FromRevision())
	}
	if now.Reading() != p.batch.reads.Reading() {
		p.log.Info("a later spec says where records have their label and weight", "partition", p.assign.Partition)
	}
	if now.Limits.Window != p.batch.reads.Limits.Window {
		p.log.Info("a later spec has made the window shorter", "partition", p.assign.Partition, "window",
			now.Limits.Window.String())
	}
	decoder := wire.NewDecoder(wire.SchemaOf(now))
	decoder.Guessed = p.batch.decoder.Guessed
	p.batch.decoder = decoder
	p.batch.limits = &now.Limits
	p.batch.reads = now
	p.remember(now)
	return nil
}

// deltaTime is how long records are added to one delta. If old texts have to be read again for most
// of them, a fetch of thousands takes minutes: too long without anything counted, and too much to
// do again if the group gives the partition to another worker meanwhile.
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

// fill adds the records of a fetch to the batch until it is full or has been open for long, and
// keeps the rest of them for the next one.
func (p *partition) fill(ctx context.Context, got *worker.Fetched) error {
	b := p.batch
	p.beginTrial()
	most := p.most()
	defer p.reader.recent.end()
	opened := time.Now()
	for i := range got.Records {
		if b.isFull() || b.learned >= most || i > 0 && p.reader.recent.mayPause() && time.Since(opened) > deltaTime {
			p.reader.keep(got, i, b.end)
			return nil
		}
		o := b.open(&got.Records[i])
		if p.isUnsettled(o) {
			p.reader.keep(got, i, b.end)
			if b.isEmpty() {
				return errUnsettled
			}
			return nil
		}
		b.openLabelled(o)
		if err := p.judge(ctx, o, got.Records[i:]); err != nil {
			return err
		}
		next := func(n int) []place { return b.soon(o, got.Records[i+1:min(i+1+n, len(got.Records))]) }
		var learned *sample
		read, err := p.readNeeds(ctx, o, next)
		if err == nil {
			learned, err = b.add(o, read)
		}
		if errors.Is(err, errFull) {
			p.reader.keep(got, i, b.end)
			return nil
		}
		if err != nil {
			return err
		}
		p.score(b.place(o.record.Offset), learned)
	}
	b.extend(got.Next)
	return nil
}
