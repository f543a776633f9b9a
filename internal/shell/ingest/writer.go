package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// writer writes what the batches of a partition say: to the model log, and to other partitions and
// the dead letters before.
type writer struct {
	*ingester
	source fold.Source
	sum    uint64 // of the record that was appended last
	others int    // partitions that have a share in it
	folded int64  // offset of the model log up to which it was folded before that was appended
}

// append appends a record to the model log of an epoch.
func (w *writer) append(ctx context.Context, epoch modellog.Epoch, value []byte) (int64, error) {
	w.sum = codec.Sum(value)
	epoch.Read(func(s *fold.State) { w.folded = s.Next() })
	return w.replica.Append(ctx, value)
}

// delta returns what the batch says, and what it was built on.
func (p *partition) delta() *fold.Delta {
	d := p.batch.delta(p.counting, p.at.FromStart && p.at.Begin == p.batch.start)
	d.Log = p.built.log
	d.BuildOn(p.built.Basis)
	d.Ranges[0].Generation = p.at.Generation
	if d.IsUpkeep() {
		return d
	}
	if p.trial != nil {
		d.Scores = fold.ScoresOf(p.trial)
	}
	if a := p.reader.anchor(p.batch, &p.at); a.Offset >= 0 {
		d.Ranges[0].Anchor = &a
	}
	return d
}

// awaitFold waits until the delta at an offset of the model log is folded, and counts what it says.
func (p *partition) awaitFold(ctx context.Context, offset int64) error {
	b := p.batch
	now, err := p.writer.wait(ctx, p.epoch, offset)
	want := standing{log: p.built.log, counted: true, Basis: p.built.Basis, watermark: b.end}
	want.Generation = p.at.Generation
	want.Previous = p.writer.sum
	switch {
	case err != nil:
		return err
	case now == want:
		p.known = now
		p.accepted()
		return nil
	case now != p.built:
		return errOvertaken
	case p.writer.others > 0:
		return errApart
	}
	return fmt.Errorf("the fold refused the delta of %s/%d, offsets %d to %d: it does not "+
		"fit the counts; it is built again",
		b.source.Topic, b.source.Partition, b.start, b.end-1)
}

// wait waits until the record at an offset of the model log is folded, and returns how far the
// source is counted then. If that offset was folded before the record was appended, the state says
// nothing of it: a new leader has lost records of the log, and the replica, which finds out,
// starts over.
func (w *writer) wait(ctx context.Context, epoch modellog.Epoch, offset int64) (standing, error) {
	var now standing
	holds, err := epoch.Wait(ctx, func(s *fold.State) bool {
		now = standingIn(s, w.source)
		return offset >= w.folded && s.Next() > offset
	})
	switch {
	case err != nil:
		return now, fmt.Errorf("wait for the record at offset %d of the model log: %w", offset, err)
	case !holds:
		return now, errOtherLog
	}
	return now, nil
}

// accepted counts the records of the batch in the metrics, and commits the group's offset.
func (p *partition) accepted() {
	b := p.batch
	p.alone = false
	p.metrics.Learned(b.learned)
	p.metrics.Lag(p.assign.Partition, p.reader.end-b.end)
	p.noteLanguage()
	for _, name := range b.admission.Added() {
		p.noteClass(name)
	}
	for _, s := range b.skipped {
		if s.Reason != wire.SkipLost {
			p.metrics.Skipped(s.Reason, 1)
		}
	}
	p.metrics.Skipped(wire.SkipLost, int(b.lost))
	b.logUnmet(p.log)
	p.writer.logForwards(b)
	if err := p.assign.Commit(b.end); err != nil && !errors.Is(err, stream.ErrGenerationEnded) {
		p.log.Warn("the group's offset was not committed; it is for lag tools only", "error", err)
	}
}

// mostCompared is of how many classes a new one may look like another: with more, names are made by
// programs, and comparing each with all takes longer than counting.
const mostCompared = 1000

// noteClass counts and logs a class that is new, with those that it looks or is spelt like.
func (p *partition) noteClass(name string) {
	var names []string
	p.replica.Read(func(s *fold.State) {
		if s.Model() != nil {
			names = s.Model().ClassNames()
		}
	})
	var near []string
	if len(names) <= mostCompared {
		near = spelling.Neighbours(name, names)
	}
	p.metrics.NewClass(len(near) > 0)
	attrs := []any{"class", name, "topic", p.source.Topic, "partition", p.source.Partition, "from", p.batch.start, "to",
		p.batch.end - 1}
	if len(near) > 0 {
		p.log.Warn("a class is new, and like another one: is it misspelt? bayestream labels --rename makes them one",
			append(attrs, "like", near)...)
		return
	}
	p.log.Info("a class is new", attrs...)
}
