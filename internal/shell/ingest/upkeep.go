package ingest

import (
	"context"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/worker"
)

// upkeep is what is known of documents that are owed.
type upkeep struct {
	refused  map[int64]error // that the fold refused to take out, by the offset of their record
	oneByOne bool            // they are taken out one by one, because the fold refused some together
	unkept   int             // how many could not be taken out
}

// takeOutOwed takes out documents that are owed: they have left the window, or a forget of them
// lies behind what a rollback went back to. It appends one delta that reads no record on, and
// reports whether it did. A document whose text is gone stays counted, and the delta says so: it is
// never taken out by guess.
func (p *partition) takeOutOwed(ctx context.Context) (appended bool, err error) {
	owed := p.owed()
	if len(owed) == 0 {
		return false, nil
	}
	if err := p.findWatermark(ctx); err != nil || p.first != none { // of the generation after, which has no ledger yet
		return false, err
	}
	if err := p.borrow(ctx, len(owed)*usualOwed, usualText); err != nil {
		return false, err
	}
	defer p.giveBack()
	if err := p.beginBatch(&worker.Fetched{}); err != nil {
		return false, err
	}
	if err := p.takeOutAll(ctx, owed); err != nil {
		return false, err
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	offset, err := p.append(drain)
	if err != nil {
		return false, err
	}
	return true, p.waitUpkeep(drain, offset)
}

// usualOwed is about what a document takes in a delta that takes it out.
const usualOwed = 1 << 10

// owed returns the documents to take out now, the oldest first: those that are not known to be
// gone.
func (p *partition) owed() (owed []fold.LedgerChange) {
	most := p.config.MaxRecords
	if p.upkeep.oneByOne {
		most = 1
	}
	p.epoch.Read(func(s *fold.State) {
		l := s.Ledger(p.source)
		if l == nil {
			return
		}
		for c := range l.Owed() {
			if len(owed) == most {
				return
			}
			put := *c.Put
			owed = append(owed, fold.LedgerChange{Offset: c.Offset, ID: c.ID, Put: &put})
		}
	})
	return owed
}

// takeOutAll adds documents that are owed to the batch, until it is full or has been open for long.
func (p *partition) takeOutAll(ctx context.Context, owed []fold.LedgerChange) error {
	defer p.reader.recent.end()
	opened := time.Now()
	for i := range owed {
		if i > 0 && p.reader.recent.mayPause() && time.Since(opened) > deltaTime {
			return nil
		}
		taken, err := p.takeOut(ctx, owed[i:])
		if err != nil || !taken {
			return err
		}
	}
	return nil
}

// takeOut adds the first of some documents that are owed to the batch. It reports false if it does
// not fit any more.
func (p *partition) takeOut(ctx context.Context, owed []fold.LedgerChange) (taken bool, err error) {
	c := &owed[0]
	next := func(n int) (places []place) {
		for i := range owed[1:min(1+n, len(owed))] {
			places = append(places, textOf(owed[1+i].Put))
		}
		return places
	}
	read, err := p.reader.recent.read(ctx, []place{textOf(c.Put)}, next)
	if err == nil {
		err = checkSchemas(read, func(place) bool { return false })
	}
	if err != nil {
		return false, err
	}
	taken, gone := p.batch.takeOut(c, read, p.upkeep.refused[c.Offset])
	if gone != nil {
		p.logKept(c, gone)
	}
	return taken, nil
}

// takeOut takes out a document that is owed, or says in the delta that it cannot be, for which
// refused may be the reason. It reports whether it did, which it does not if there is no room.
func (b *batch) takeOut(c *fold.LedgerChange, read texts, refused error) (taken bool, gone error) {
	if b.isFull() { // also of documents whose texts are gone, which bring no counts
		return false, nil
	}
	o := &b.opened
	o.training.ID = c.ID
	o.before = *c.Put
	o.beforeAt = textOf(c.Put)
	gone = refused
	if gone == nil {
		gone = b.recall(o, read)
	}
	if gone != nil {
		b.change(fold.LedgerChange{Offset: c.Offset, ID: c.ID, Gone: true})
		return true, gone
	}
	if !b.fits(b.costOf(o)) {
		return false, nil
	}
	b.unlearn(o)
	b.change(fold.LedgerChange{Offset: c.Offset, ID: c.ID})
	return true, nil
}

func (p *partition) logKept(c *fold.LedgerChange, reason error) {
	p.upkeep.unkept++
	if p.upkeep.unkept > mostUnkept {
		return
	}
	why := "was forgotten behind a rollback"
	if p.batch.keepsAll() {
		why = "has left the window"
	}
	p.log.Error("a document that "+why+" cannot be taken out and stays counted: the counts are not exact any more",
		"topic", p.source.Topic,
		"partition", p.source.Partition, "offset", c.Offset, "reason", reason)
}

// mostUnkept is how many documents that cannot be taken out are logged. A metric counts all.
const mostUnkept = 10

// waitUpkeep waits until the upkeep delta at an offset of the model log is folded. If the fold
// refused it, the documents are tried one by one, to find which does not fit the counts.
func (p *partition) waitUpkeep(ctx context.Context, offset int64) error {
	stands, err := p.writer.wait(ctx, p.epoch, offset)
	switch {
	case err != nil:
		return err
	case stands != p.built: // it was counted, or it was built on another state
		p.upkeep.oneByOne = p.upkeep.oneByOne && !p.batch.changes[0].Gone
		return nil
	}
	rec, err := worker.ReadAt(ctx, p.broker, p.config.ModelTopic, 0, offset)
	switch {
	case err != nil:
		return err
	case rec == nil || codec.Sum(rec.Value) != p.writer.sum:
		return nil // a new leader has lost it, and another record stands there: it was not refused
	case p.upkeep.oneByOne:
		p.upkeep.refused[p.batch.changes[0].Offset] = errRefused
	}
	p.upkeep.oneByOne = true
	return nil
}
