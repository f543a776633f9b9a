package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// index tells where documents are that were labelled. A *worker.Index does.
type index interface {
	Reach(ctx context.Context) error
	Place(id string) (*worker.Labelled, error)
}

// onlyLabelled is where a document is that was labelled, and not learned.
type onlyLabelled struct {
	id string
	at place     // zero: the topics of labels do not have the id
	by time.Time // the time of the decision
}

// reject says why a record about it cannot be used.
func (l *onlyLabelled) reject(format string, args ...any) *wire.Reject {
	return wire.Rejectf(wire.UnknownID, "no partition knows document %q, which was labelled at %s, %s", l.id, l.at,
		fmt.Sprintf(format, args...))
}

// isUnknown reports whether a record relabels a document that no ledger has.
func (b *batch) isUnknown(o *opened) bool {
	isRelabel := o.refused == nil && !o.outdated && o.training.Kind == wire.Relabel
	return isRelabel && !o.known && len(b.view.elsewhere(o.id)) == 0
}

// openLabelled notes where the document is that a record relabels and no ledger has. It needs that
// document.
func (b *batch) openLabelled(o *opened) {
	if b.index == nil || !b.isUnknown(o) {
		return
	}
	at, err := b.index.Place(o.training.ID)
	switch {
	case err != nil:
		o.refused = wire.Rejectf(wire.UnknownID, "no partition knows document %q, and %v", o.training.ID, err)
	case at != nil:
		o.labelled = onlyLabelled{o.training.ID, placeOf(at.Ref), at.Time}
		o.needs = append(o.needs, o.labelled.at)
	}
}

// again has a record, whose document was labelled and not learned, written again behind it, with
// what leads to the document: who counts the topic needs to know no labels.
func (b *batch) again(o *opened, read texts) error {
	l := &o.labelled
	t := &o.training
	if l.at == (place{}) {
		return wire.Rejectf(wire.UnknownID, "no document %q is known", t.ID)
	}
	if !slices.Contains(b.refs, l.at.topic) {
		return l.reject("and its topic is not among those that --ref-topics allows")
	}
	text := read[l.at]
	isSame := text != nil && text.Value != nil && b.readDocument(l.at, &o.referred, read) == nil && o.referred.ID == t.ID
	if !isSame || text.Time.After(l.by) { // its topic was created again, or is of another cluster
		return l.reject("which does not hold it any more")
	}
	says, err := b.decoder.CorrectionRecord(t.ID, &wire.Correction{Label: t.Label, Weight: t.Weight, By: t.By}, text)
	if err != nil {
		return l.reject("and cannot be written with its place: %v", err)
	}
	says.Time = o.record.Time
	if t.Time > 0 {
		says.Time = time.UnixMilli(t.Time)
	}
	b.repeats += says.Size()
	b.forwards = append(b.forwards, forward{record: o.record, kind: t.Kind, repeat: &says,
		about: refTo(text)})
	b.skip(o.record.Offset, wire.SkipForwarded)
	return nil
}

// errUnsettled says that the next record is about a document that no ledger has, and that one may
// have it soon.
var errUnsettled = errors.New("nobody knows yet whether the document of a record was learned or labelled")

// settled says of which records all is known that was learned and labelled before them.
type settled struct {
	next    int64               // those before this offset
	end     int64               // of those before this one, what was labelled is known, and what was learned
	counted map[int32]time.Time // by other partitions up to these times,
	until   time.Time           // by all up to this one
}

func (s *settled) has(rec *stream.Record) bool {
	return rec.Offset < s.next || rec.Offset < s.end && rec.Time.Before(s.until)
}

// isUnsettled reports whether a record must wait: nobody knows its document, and not all were asked.
func (p *partition) isUnsettled(o *opened) bool {
	return p.index != nil && !p.reader.settled.has(o.record) && p.batch.isUnknown(o)
}

// settle waits until the topics of labels are read up to where they end, and the other partitions
// are counted up to the time of the next record: its document may be among theirs. Of two
// partitions that wait for each other, the one whose record is older goes on.
func (p *partition) settle(ctx context.Context) error {
	rec := p.reader.rest.Records[0]
	s := &p.reader.settled
	if rec.Offset >= s.end {
		end := p.reader.fetched.Next
		if err := p.index.Reach(ctx); err != nil {
			return err
		}
		*s = settled{end: end, counted: map[int32]time.Time{}}
	}
	info, err := p.broker.Topic(ctx, p.source.Topic)
	if err != nil {
		return err
	}
	until := forever
	for other := range int32(info.Partitions) {
		if other == p.source.Partition {
			continue
		}
		if !s.counted[other].After(rec.Time) {
			counted, err := p.awaitOther(ctx, fold.Source{Topic: p.source.Topic, Partition: other}, rec.Time)
			if err != nil {
				return err
			}
			s.counted[other] = counted
		}
		if s.counted[other].Before(until) {
			until = s.counted[other]
		}
	}
	s.until = until
	s.next = rec.Offset + 1
	return nil
}

// forever is the time up to which a partition is counted that has nothing more.
var forever = time.Unix(1<<40, 0)

// settleTime is how long a partition waits for another one before it says so, and looks again.
const settleTime = 10 * time.Second

// awaitOther waits until another partition is counted up to a time, up to now if that is earlier,
// or up to what the topic has behind what is counted of the partition itself, if that is: others
// wait for that, and it need not be the next record, which may have been deleted since it was
// fetched. It returns up to which time the other partition is counted.
func (p *partition) awaitOther(ctx context.Context, other fold.Source, at time.Time) (time.Time, error) {
	waiting := time.AfterFunc(settleTime, func() {
		p.host.ReportPartition(p.assign.Partition, fmt.Errorf("the next record of %s/%d is about a document that no "+
			"partition knows: it waits until partition %d is counted as far",
			p.source.Topic, p.source.Partition, other.Partition))
	})
	defer waiting.Stop()
	if now := time.Now(); at.After(now) {
		at = now
	}
	for !p.isOvertaken() {
		var before standing
		p.epoch.Read(func(s *fold.State) { before = standingIn(s, other) })
		counted, err := p.countedUpTo(ctx, other, before)
		if err != nil || counted.After(at) || counted.Equal(at) && other.Partition > p.source.Partition {
			return counted, err
		}
		own, err := p.countedUpTo(ctx, p.source, p.built)
		if err != nil {
			return at, err
		}
		if own.Before(at) {
			at = own
			continue
		}
		p.reader.drop() // the other partition may need the memory
		if err := p.awaitChange(ctx, other, before); err != nil {
			return at, err
		}
	}
	return at, errOvertaken
}

// awaitChange waits until another partition, or this one, is counted further, or some time has
// passed: what the topic holds may have been deleted.
func (p *partition) awaitChange(ctx context.Context, other fold.Source, before standing) error {
	again, stop := context.WithTimeout(ctx, settleTime)
	defer stop()
	holds, err := p.epoch.Wait(again, func(s *fold.State) bool {
		return standingIn(s, other) != before || standingIn(s, p.source) != p.built
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && again.Err() == nil:
		return err
	case !holds:
		return errOtherLog
	}
	return nil
}

// countedUpTo returns the time of what a partition has behind what is counted of it.
func (p *partition) countedUpTo(ctx context.Context, of fold.Source, counted standing) (time.Time, error) {
	next := counted.watermark
	if !counted.counted {
		first, _, err := p.broker.Offsets(ctx, of.Topic, int(of.Partition))
		if err != nil {
			return forever, err
		}
		next = p.beginningOf(int(of.Partition), first).Begin
	}
	for {
		got, err := worker.FetchUnread(ctx, p.broker, stream.FetchRequest{Topic: of.Topic, Partition: int(of.Partition),
			Offset: next, MaxBytes: 1, MaxWait: time.Millisecond})
		switch {
		case errors.Is(err, stream.ErrOffsetOutOfRange), errors.Is(err, stream.ErrUnknownPartition):
			return forever, nil
		case err != nil:
			return forever, err
		case len(got.Records) > 0:
			return got.Records[0].Time, nil
		case got.Next == next:
			return forever, nil
		}
		next = got.Next // those were deleted, or cannot be read
	}
}
