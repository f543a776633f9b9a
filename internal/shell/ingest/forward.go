package ingest

import (
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// forward is a record that forgets or relabels a document which its own partition does not know,
// and the entry of another partition's ledger that it is about.
type forward struct {
	record *stream.Record
	kind   wire.Kind
	to     worker.Holder
	repeat *record.Record // what is written again in the partition of the record; nil: it is for another one
	about  wire.Ref       // then, the document
}

// sent names a record that was forwarded: its offset, where it was written, and the record that it
// names.
type sent struct {
	offset int64
	to     int // partition
	named  wire.Ref
}

func (f *forward) sent() sent { return sent{f.record.Offset, f.partition(), f.names()} }

// isMark reports whether the record is repeated only so that the partition holds that it was
// forwarded.
func (f *forward) isMark() bool { return f.repeat == f.record }

// names returns the place by which the document is named.
func (f *forward) names() wire.Ref {
	if f.repeat != nil {
		return f.about
	}
	return wire.Ref{Topic: f.record.Topic, Partition: f.to.Partition, Offset: f.named()}
}

// partition returns where the record is written.
func (f *forward) partition() int {
	if f.repeat != nil {
		return f.record.Partition
	}
	return f.to.Partition
}

// order returns in which order records are written: those for their own partition first.
func (f *forward) order() int {
	if f.repeat != nil {
		return -1
	}
	return f.to.Partition
}

// size returns how many bytes are written of it, about.
func (f *forward) size() int {
	if f.repeat != nil {
		return f.repeat.Size()
	}
	return f.record.Size()
}

// written returns what is written of it into a topic with an id.
func (f *forward) written(topic stream.TopicID) record.Record {
	said := wire.Forward{To: f.names(), From: refTo(f.record)}
	if topic != (stream.TopicID{}) {
		said.TopicID = topic.String()
	}
	if f.repeat == nil {
		return said.Record(f.record)
	}
	again := said.Record(f.repeat)
	again.Time = f.repeat.Time // windows, and the order of partitions, are by it
	return again
}

// named returns the offset of the record by which the document is named: for a forget the one that
// has its text, which stays the same when the document is relabelled meanwhile, if that is in the
// partition; else the one that put the entry into the ledger.
func (f *forward) named() int64 {
	if text := textOf(&f.to.Put); f.kind == wire.Forget && text.topic == f.record.Topic &&
		int(text.partition) == f.to.Partition {
		return text.offset
	}
	return f.to.Offset
}

const (
	mostForwarded = 1000     // records that are forwarded before a delta
	repeatBytes   = 1 << 20  // that are written again before a delta
	forwardBytes  = 16 << 10 // of records that are forwarded at once
)

// elsewhere forwards a record, whose id is not known, to the partitions whose ledgers have it. It
// reports whether there are any.
func (b *batch) elsewhere(o *opened) bool {
	holders := b.view.elsewhere(o.id)
	if len(holders) == 0 {
		return false
	}
	for _, to := range holders {
		b.forwards = append(b.forwards, forward{record: o.record, kind: o.training.Kind, to: to})
	}
	if o.training.Kind == wire.Relabel { // whoever counts the topic again does not learn the document here
		first := b.forwards[len(b.forwards)-1]
		b.forwards = append(b.forwards, forward{record: o.record, kind: wire.Relabel, repeat: o.record, about: first.names()})
	}
	b.skip(o.record.Offset, wire.SkipForwarded)
	return true
}

// withhold skips a record that the brokers refuse to forward as if no partition knew its document.
func (b *batch) withhold(f *forward, refusal error) {
	i := slices.IndexFunc(b.skipped, func(s fold.Skipped) bool { return s.Offset == f.record.Offset })
	if b.skipped[i].Reason != wire.SkipForwarded {
		return
	}
	b.skipped[i].Reason = wire.SkipUnknownID
	if f.kind == wire.Forget {
		b.unmet = append(b.unmet, f.record.Offset)
		return
	}
	b.letter(f.record, wire.Rejectf(wire.UnknownID, "the document is at %s, and the record cannot be forwarded: %v",
		placeOf(f.names()), refusal))
}

// openForwarded notes what a record says if it was forwarded. It needs the record that put the
// entry of its id into the ledger, which isMeant looks at. What was written again in its own
// partition, with its document, acts whatever the ledger has, or not at all.
func (b *batch) openForwarded(o *opened) {
	o.forward, o.forwarded = wire.ReadForward(o.record)
	isLearn := o.training.Kind == wire.Learn
	switch {
	case !o.forwarded:
	case isLearn && b.isRepeat(&o.forward, o.record.Offset):
		o.forwarded = false
		o.repeats = true
		o.outdated = b.hasLeft(o)
	case isLearn, !o.known, b.isOfAnotherTopic(&o.forward):
		o.outdated = true
	default:
		o.entryAt = b.place(o.putBy)
		o.needs = append(o.needs, o.entryAt)
	}
}

// isOfAnotherTopic reports whether a record was forwarded in another topic of this name: its writer
// had not noticed that the topic was replaced, or a request came late. What it names is not here,
// whatever is at that offset.
func (b *batch) isOfAnotherTopic(f *wire.Forward) bool {
	return f.TopicID != "" && b.topic != stream.TopicID{} && f.TopicID != b.topic.String()
}

// isMeant reports whether a record, which was forwarded, is about the entry that the ledger has
// under its id. If that entry was put in by a record that was forwarded from the same partition,
// the order there decides: a document may be relabelled and forgotten before the first is counted,
// and each record may come again. Otherwise it must be the entry that the record names, or for a
// forget one whose text the record names, or one that was relabelled since by a record which names
// the same. entry is the record at entryAt now, nil if there is none.
func (b *batch) isMeant(o *opened, entry *stream.Record) bool {
	named := placeOf(o.forward.To)
	isForget := o.training.Kind == wire.Forget
	isNamed := o.entryAt == named || isForget && textOf(&o.before) == named
	from := o.forward.From
	last, forwarded := b.relabelled(o, entry)
	switch {
	case !forwarded:
		return isNamed
	case last.From.Topic == from.Topic && last.From.Partition == from.Partition:
		return last.From.Offset < from.Offset
	}
	return isNamed || isForget && last.To == o.forward.To
}

// relabelled returns what the record says that put in the entry of a record's id, if it was
// forwarded; then it relabels that id, and the text is elsewhere. The record at
// entryAt now may be another one: of a topic that was created since, behind the fetch that is
// counted. Where it has its label does not matter, which may be elsewhere by a later spec.
func (b *batch) relabelled(o *opened, entry *stream.Record) (f wire.Forward, forwarded bool) {
	if entry == nil || textOf(&o.before) == o.entryAt {
		return f, false
	}
	t := &o.relabelling
	err := b.decoder.Training(entry, t)
	isAnother := err == nil && t.Kind == wire.Learn || t.Kind == wire.Forget
	if isAnother || t.ID != o.training.ID {
		return f, false
	}
	return wire.ReadForward(entry)
}

func refTo(r *stream.Record) wire.Ref {
	return wire.Ref{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}
}

func placeOf(r wire.Ref) place { return place{r.Topic, int32(r.Partition), r.Offset} }
