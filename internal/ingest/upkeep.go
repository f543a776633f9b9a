package ingest

import (
	"context"
	"fmt"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/worker"
)

// upkeep takes out documents that are owed: a forget of them lies behind what a rollback went back to. It appends one
// delta that reads no record on, and reports whether it did. A document whose text is gone stays counted, and its mark
// stays in the ledger: it is never taken out by guess.
func (p *partition) upkeep(ctx context.Context) (appended bool, err error) {
	owed := p.owed()
	if len(owed) == 0 {
		return false, nil
	}
	start, err := p.watermark(ctx)
	if err != nil || p.first != none { // of the generation after, which has no ledger yet
		return false, err
	}
	if err := p.readByPathsInForce(); err != nil {
		return false, err
	}
	b := p.batch
	b.begin(start, foldedView{p.epoch, p.source, p.at.Generation, p.seen.ID()}, &worker.Fetched{})
	for i := range owed {
		taken, err := p.takeOut(ctx, &owed[i])
		if err != nil {
			return false, err
		}
		if !taken {
			break
		}
	}
	if len(b.changes) == 0 {
		return false, nil
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	offset, err := p.append(drain)
	if err != nil {
		return false, err
	}
	return true, p.waitUpkeep(drain, offset)
}

// owed returns the documents to take out now, the oldest first: those that were not found gone before.
func (p *partition) owed() (owed []fold.LedgerChange) {
	most := p.config.MaxRecords
	if p.oneByOne {
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
			if !p.gone[c.Offset] {
				put := *c.Put
				owed = append(owed, fold.LedgerChange{Offset: c.Offset, ID: c.ID, Put: &put})
			}
		}
	})
	return owed
}

// takeOut adds one document that is owed to the batch. It reports false if it does not fit any more.
func (p *partition) takeOut(ctx context.Context, c *fold.LedgerChange) (taken bool, err error) {
	b := p.batch
	b.training.ID = c.ID
	b.before = *c.Put
	b.beforeAt = textOf(c.Put)
	read, err := p.recent.read(ctx, []place{b.beforeAt})
	if err != nil {
		return false, err
	}
	if err := b.recall(read); err != nil {
		p.keepOwed(c.Offset, err)
		return true, nil
	}
	cost := b.builder.Cost(b.before.Label, &b.old)
	if !b.fits(cost) {
		return false, nil
	}
	b.builder.Observe(b.before.Label, -b.before.Weight, &b.old)
	b.put(c.Offset, c.ID, nil)
	return true, nil
}

// keepOwed notes that the document which the record at an offset put in cannot be taken out.
func (p *partition) keepOwed(offset int64, reason error) {
	p.gone[offset] = true
	p.log.Error("a document that was forgotten behind a rollback cannot be taken out and stays counted", "topic", p.source.Topic,
		"partition", p.source.Partition, "offset", offset, "reason", reason)
}

// waitUpkeep waits until the upkeep delta at an offset of the model log is folded. If the fold refused it, the documents
// are tried one by one, to find the one that does not fit the counts.
func (p *partition) waitUpkeep(ctx context.Context, offset int64) error {
	var stands standing
	holds, err := p.epoch.Wait(ctx, func(s *fold.State) bool {
		stands = standingIn(s, p.source)
		return s.Next() > offset
	})
	switch {
	case err != nil:
		return fmt.Errorf("wait for the delta at offset %d of the model log: %w", offset, err)
	case !holds:
		return errOtherLog
	case stands != p.built:
		return nil // it was counted, or it was built on another state
	case p.oneByOne:
		p.keepOwed(p.batch.changes[0].Offset, fmt.Errorf("the fold refused it: %w", model.ErrInconsistent))
	}
	p.oneByOne = true
	return nil
}
