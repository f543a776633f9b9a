package ingest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// A record that was written again acts only if nothing was said of its id since the record that it
// repeats. What was said since is in the topic: no ledger and no worker decides, so that whoever
// counts the topic again finds the same.

// judgement says whether a record that was written again acts.
type judgement int

const (
	acts   judgement = iota
	isLate           // something was said of its id since
	isCut            // records since were deleted, and those that are left say nothing of it
)

// judged are the records of a fetch that were written again, by their offsets.
type judged struct {
	decoder *wire.Decoder // by which they were read
	records map[int64]judgement
}

// judge refuses or passes over the record that was opened, if it was written again and does not act.
// The records behind it are judged with it: what was said since is read once for all.
func (p *partition) judge(ctx context.Context, o *opened, behind []stream.Record) error {
	if !o.repeats || o.outdated {
		return nil
	}
	j := &p.reader.judged
	found, isJudged := j.records[o.record.Offset]
	if !isJudged || j.decoder != p.batch.decoder {
		var err error
		if j.records, err = p.judgeAll(ctx, behind); err != nil {
			return err
		}
		j.decoder = p.batch.decoder
		found = j.records[o.record.Offset]
	}
	switch found {
	case isLate:
		o.outdated = true
		o.needs = nil
	case isCut:
		o.refused = wire.Rejectf(wire.UnknownID, "records behind offset %d, which it repeats, were deleted: nobody knows "+
			"what was said of document %q since", o.forward.From.Offset, o.training.ID)
		o.needs = nil
	}
	return nil
}

// hasLeft reports whether the document of a record that was written again may have left a window of
// documents by now, had it been learned where the record stands that is repeated: a count from the
// start does not bring it back.
func (b *batch) hasLeft(o *opened) bool {
	n := b.limits.Window.Records
	return n > 0 && o.record.Offset-o.forward.From.Offset > n
}

// repeat is a record that was written again.
type repeat struct {
	offset int64
	from   int64 // of the record that it repeats
	first  int64 // at which it failed before it was sent again; -1: it was not
}

// isRepeat reports whether what a record says that was forwarded is that its own partition has the
// record that it repeats.
func (b *batch) isRepeat(f *wire.Forward, offset int64) bool {
	from := placeOf(f.From)
	return from.isIn(b.source) && from.offset < offset && !b.isOfAnotherTopic(f)
}

// judgeAll judges those of some records that were written again: it reads what is between them and
// the records that they repeat.
func (p *partition) judgeAll(ctx context.Context, records []stream.Record) (map[int64]judgement, error) {
	found := map[int64]judgement{}
	open := p.batch.repeated(records)
	next, last := records[0].Offset, int64(0)
	for _, all := range open {
		for _, r := range all {
			found[r.offset] = acts
			next = min(next, r.from+1)
			last = max(last, r.offset)
		}
	}
	for next < last && len(open) > 0 {
		got, err := worker.Fetch(ctx, p.broker, stream.FetchRequest{Topic: p.source.Topic, Partition: p.assign.Partition,
			Offset: next, Identify: p.reader.seen.HasID()})
		isOther := len(got.Records) > 0 && got.TopicID != p.reader.seen.ID()
		isEnd := got.Next == next // behind it are records that were fetched
		switch {
		case errors.Is(err, stream.ErrOffsetOutOfRange), err == nil && (isOther || isEnd):
			p.reader.doubt() // the topic was created again, or has lost them
			return nil, errOvertaken
		case err != nil:
			return nil, err
		case got.Lost > 0:
			noteCut(open, found, next, got.Next)
		}
		for i := range got.Records {
			p.batch.judgeBy(&got.Records[i], open, found)
		}
		next = got.Next
	}
	return found, nil
}

// noteCut notes which of the records that are open repeat one before records in [from, to), which were
// deleted. What is left may still say something of their ids.
func noteCut(open map[string][]repeat, found map[int64]judgement, from, to int64) {
	for _, all := range open {
		for _, r := range all {
			if from < r.offset && r.from+1 < to {
				found[r.offset] = isCut
			}
		}
	}
}

// repeated returns those of some records that were written again, by their ids.
func (b *batch) repeated(records []stream.Record) map[string][]repeat {
	found := map[string][]repeat{}
	var t wire.Training
	for i := range records {
		rec := &records[i]
		f, forwarded := wire.ReadForward(rec)
		if !forwarded || !b.isRepeat(&f, rec.Offset) || b.decoder.Training(rec, &t) != nil || t.Kind != wire.Learn {
			continue
		}
		first, again := wire.FirstOffset(rec)
		if !again {
			first = -1
		}
		id := strings.Clone(t.ID)
		found[id] = append(found[id], repeat{rec.Offset, f.From.Offset, first})
	}
	return found
}

// judgeBy judges the records that are open by what another one says of their ids. What was itself
// written again says it where the record stands that it repeats, and a second copy does not act. A
// record that cannot be used says nothing.
func (b *batch) judgeBy(rec *stream.Record, open map[string][]repeat, found map[int64]judgement) {
	said := rec.Offset
	f, forwarded := wire.ReadForward(rec)
	isBetween := func(r repeat) bool {
		return r.from < rec.Offset && rec.Offset < r.offset && rec.Offset != r.first
	}
	switch {
	case forwarded && b.isOfAnotherTopic(&f):
		return // it acts on nothing here
	case forwarded && b.isRepeat(&f, rec.Offset):
		said = f.From.Offset
		for id := range open {
			decide(open, id, found, func(r repeat) bool { return isBetween(r) && r.from == said })
		}
	}
	t := &b.opened.relabelling
	if b.decoder.Training(rec, t) == nil && t.Explicit {
		decide(open, t.ID, found, func(r repeat) bool { return isBetween(r) && r.from < said })
	}
}

// decide passes over those of the records with an id that are open and for which is holds.
func decide(open map[string][]repeat, id string, found map[int64]judgement, is func(repeat) bool) {
	if len(open[id]) == 0 {
		return
	}
	open[id] = slices.DeleteFunc(open[id], func(r repeat) bool {
		if is(r) {
			found[r.offset] = isLate
		}
		return is(r)
	})
	if len(open[id]) == 0 {
		delete(open, id)
	}
}
