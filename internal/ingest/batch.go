package ingest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"bayestream/internal/fold"
	"bayestream/internal/model"
	"bayestream/internal/modellog/codec"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// texts reads the records that were learned or are referred to. A nil record is gone.
type texts interface {
	Read(ctx context.Context, topic string, partition int32, offset int64) (*stream.Record, error)
}

// batch collects consecutive records of one partition into one delta. It is a function of the records,
// the ledger and the spec: whoever builds from the same watermark builds the same counts.
type batch struct {
	decoder  *wire.Decoder
	extract  *model.Extractor
	builder  *model.Builder
	source   fold.Source
	refs     []string // topics that a ref may point into
	texts    texts
	ledger   func(id string) (fold.Learned, bool)       // as folded
	classes  func(label string) (known bool, count int) // as folded
	admitted *model.Admission
	onScored func(label string, f *model.Features) // before a document is learned

	training wire.Training
	referred wire.Document // what a ref points at
	recalled wire.Document // what is taken out again
	features model.Features
	old      model.Features

	start, end int64
	skipped    []fold.Skipped
	changes    []fold.LedgerChange
	pending    map[string]*fold.Learned // ledger changes of this batch; nil: forgotten
	dead       []stream.Record
	learned    int
	lost       int64 // records behind the skip of that reason
	size       int   // of everything but the counts
}

// begin empties the batch for records from offset start on.
func (b *batch) begin(start int64) {
	b.builder.Reset()
	b.admitted.Reset()
	b.start, b.end = start, start
	b.skipped, b.changes, b.dead = nil, nil, nil
	b.pending = map[string]*fold.Learned{}
	b.learned, b.lost, b.size = 0, 0, 0
}

// errFull says that a record was not counted, because it does not fit into the delta any more.
var errFull = errors.New("the delta is full")

// empty reports whether the batch holds nothing yet.
func (b *batch) empty() bool { return len(b.skipped)+b.learned+len(b.changes) == 0 }

// fits reports whether changes of at most that cost fit into the delta beside what it holds.
func (b *batch) fits(cost model.Size) bool {
	const change = 2048 // of the ledger, at its longest
	return codec.Bound(b.builder.Size().Add(cost))+b.size+change <= codec.MaxDelta
}

// room refuses a change that does not fit: for now, or for good where it would not fit alone.
func (b *batch) room(cost model.Size) error {
	switch {
	case b.fits(cost):
		return nil
	case !b.empty():
		return errFull
	}
	return wire.Rejectf(wire.TooLarge, "its counts take up to %d bytes, more than one record of the model log may have (%d): lower limits.terms_per_document or the number of fields", codec.Bound(cost), codec.MaxDelta)
}

// delta returns what the batch says.
func (b *batch) delta(counting spec.Fingerprint, fromStart bool) *fold.Delta {
	return &fold.Delta{
		Counting: counting, Source: b.source, Start: b.start, End: b.end, FromStart: fromStart,
		Skipped: b.skipped, Counts: b.builder.Delta(), Ledger: b.changes,
	}
}

// add counts one record. What cannot be used becomes a dead letter; the error is errFull, after which
// the record is not counted, or trouble that passes.
func (b *batch) add(ctx context.Context, rec *stream.Record) error {
	if !b.empty() && !b.fits(model.Size{}) {
		return errFull
	}
	err := b.decoder.Training(rec, &b.training)
	if err == nil {
		if b.training.Kind == wire.Forget {
			err = b.forget(ctx, rec)
		} else {
			err = b.learn(ctx, rec)
		}
	}
	var reject *wire.Reject
	if errors.As(err, &reject) {
		b.reject(rec, reject)
		err = nil
	}
	if err == nil {
		b.end = rec.Offset + 1
	}
	return err
}

func (b *batch) reject(rec *stream.Record, r *wire.Reject) {
	b.skip(rec.Offset, string(r.Reason))
	b.dead = append(b.dead, wire.DeadLetter(rec, "ingest", r, maxDeadLetter))
}

func (b *batch) skip(offset int64, reason string) {
	b.skipped = append(b.skipped, fold.Skipped{Offset: offset, Reason: reason})
	b.size += 12
}

// learn counts a document under its label, instead of what its id was counted as before.
func (b *batch) learn(ctx context.Context, rec *stream.Record) error {
	t := &b.training
	now := fold.Learned{Label: t.Label, Weight: t.Weight, Topic: rec.Topic, Partition: int32(rec.Partition), Offset: rec.Offset, Sum: sum(rec.Value)}
	input := &t.Input
	if t.Ref != nil {
		text, err := b.follow(ctx, t.Ref)
		if err != nil {
			return err
		}
		now.Topic, now.Partition, now.Offset, now.Sum = text.Topic, int32(text.Partition), text.Offset, sum(text.Value)
		input = &b.referred.Input
	}
	if err := b.extractInto(&b.features, input); err != nil {
		return err
	}
	known, classes := b.classes(t.Label)
	if err := b.admitted.Admit(t.Label, known, classes); err != nil {
		return wire.AsReject(err)
	}
	cost := b.builder.Cost(t.Label, &b.features)
	before, replaces := b.find(t)
	if replaces {
		if before.Sum == now.Sum && before.Label == now.Label && before.Weight == now.Weight {
			b.put(rec.Offset, t.ID, &now) // sent twice: only the place where it stands is new
			return nil
		}
		if err := b.recall(ctx, t.ID, before); err != nil {
			return err
		}
		cost = cost.Add(b.builder.Cost(before.Label, &b.old))
	}
	if err := b.room(cost); err != nil {
		return err
	}
	if replaces {
		b.builder.Observe(before.Label, -before.Weight, &b.old)
	}
	b.onScored(t.Label, &b.features)
	b.builder.Observe(t.Label, t.Weight, &b.features)
	if !known {
		b.admitted.Add(t.Label)
	}
	b.learned++
	if t.Explicit {
		b.put(rec.Offset, t.ID, &now)
	}
	return nil
}

// forget takes a document out.
func (b *batch) forget(ctx context.Context, rec *stream.Record) error {
	id := b.training.ID
	before, ok := b.find(&b.training)
	if !ok {
		b.skip(rec.Offset, wire.SkipUnknownID)
		return nil
	}
	if err := b.recall(ctx, id, before); err != nil {
		return err
	}
	if err := b.room(b.builder.Cost(before.Label, &b.old)); err != nil {
		return err
	}
	b.builder.Observe(before.Label, -before.Weight, &b.old)
	b.put(rec.Offset, id, nil)
	return nil
}

// find returns what the id of a record was learned as, changes of this batch included.
func (b *batch) find(t *wire.Training) (fold.Learned, bool) {
	if !t.Explicit {
		return fold.Learned{}, false
	}
	if l, ok := b.pending[t.ID]; ok {
		if l == nil {
			return fold.Learned{}, false
		}
		return *l, true
	}
	return b.ledger(t.ID)
}

func (b *batch) put(offset int64, id string, l *fold.Learned) {
	b.pending[id] = l
	b.changes = append(b.changes, fold.LedgerChange{Offset: offset, ID: id, Put: l})
	b.size += 64 + len(id)
	if l != nil {
		b.size += len(l.Label) + len(l.Topic)
	}
}

// follow reads the document that a ref points at into b.referred.
func (b *batch) follow(ctx context.Context, ref *wire.Ref) (*stream.Record, error) {
	if !slices.Contains(b.refs, ref.Topic) {
		return nil, wire.Rejectf(wire.RefDenied, "topic %q is not among those that --ref-topics allows", ref.Topic)
	}
	rec, err := b.texts.Read(ctx, ref.Topic, int32(ref.Partition), ref.Offset)
	if err != nil {
		return nil, err
	}
	if rec == nil || rec.Value == nil {
		return nil, wire.Rejectf(wire.RefGone, "%s/%d/%d", ref.Topic, ref.Partition, ref.Offset)
	}
	return rec, b.decoder.Document(rec, &b.referred)
}

// recall sets b.old to the features under which a document was learned.
func (b *batch) recall(ctx context.Context, id string, l fold.Learned) error {
	rec, err := b.texts.Read(ctx, l.Topic, l.Partition, l.Offset)
	if err != nil {
		return err
	}
	where := fmt.Sprintf("document %q was learned from %s/%d/%d", id, l.Topic, l.Partition, l.Offset)
	if rec == nil {
		return wire.Rejectf(wire.CannotUnlearn, "%s, which is no longer retained", where)
	}
	if sum(rec.Value) != l.Sum {
		return wire.Rejectf(wire.CannotUnlearn, "%s, where another record stands now", where)
	}
	if err := b.decoder.Document(rec, &b.recalled); err != nil {
		return wire.Rejectf(wire.CannotUnlearn, "%s, which cannot be read any more: %v", where, err)
	}
	return b.extractInto(&b.old, &b.recalled.Input)
}

func (b *batch) extractInto(f *model.Features, in *model.Input) error {
	err := b.extract.Extract(f, in)
	var many *model.TooManyTermsError
	if errors.As(err, &many) {
		return wire.Rejectf(wire.TooManyTerms, "%v", many)
	}
	return err
}

// sum identifies the bytes that were learned.
func sum(value []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(value)
	return h.Sum64()
}

// skippedNothing reports whether nothing was taken note of since begin.
func (b *batch) skippedNothing() bool { return len(b.skipped) == 0 }
