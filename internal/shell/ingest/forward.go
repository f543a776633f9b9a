package ingest

import (
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/record"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
)

// forward is a record that forgets or relabels a document which its own partition does not know: one
// of another partition's ledger, or one that was labelled and not learned.
type forward struct {
	record   *stream.Record
	kind     wire.Kind
	to       worker.Holder  // the entry that the record is about
	labelled *stream.Record // the document that the record is about; nil: there is an entry
	says     record.Record  // then, what is written for the record, behind it in its own partition
}

// sent names a record that was forwarded: its offset, and the record that it names.
type sent struct {
	offset int64
	to     int // partition
	named  int64
}

func (f *forward) sent() sent { return sent{f.record.Offset, f.to.Partition, f.named()} }

// named returns the offset of the record by which the document is named: for a forget the one that
// has its text, which stays the same when the document is relabelled meanwhile, if that is in the
// partition; else the one that put the entry into the ledger. It is -1 if there is no entry.
func (f *forward) named() int64 {
	if f.labelled != nil {
		return -1
	}
	if text := textOf(&f.to.Put); f.kind == wire.Forget && text.topic == f.record.Topic &&
		int(text.partition) == f.to.Partition {
		return text.offset
	}
	return f.to.Offset
}

// written returns what is written for a record of a source.
func (f *forward) written(source fold.Source, topic stream.TopicID) record.Record {
	said := wire.Forward{
		To:   wire.Ref{Topic: source.Topic, Partition: f.to.Partition, Offset: f.named()},
		From: wire.Ref{Topic: source.Topic, Partition: int(source.Partition), Offset: f.record.Offset},
	}
	if topic != (stream.TopicID{}) {
		said.TopicID = topic.String()
	}
	if f.labelled == nil {
		return said.Record(f.record)
	}
	said.To = wire.Ref{Topic: f.labelled.Topic, Partition: f.labelled.Partition, Offset: f.labelled.Offset}
	return said.Record(&f.says)
}

const (
	mostForwarded = 1000     // records that are forwarded before a delta
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
	b.skip(o.record.Offset, wire.SkipForwarded)
	return true
}

// isUnknown reports whether a record is about a document that no ledger has.
func (b *batch) isUnknown(o *opened) bool {
	return o.refused == nil && o.training.Kind != wire.Learn && !o.known && !o.outdated &&
		len(b.view.elsewhere(o.id)) == 0
}

// openLabelled notes where the document is that a record is about, if it was labelled and not
// learned.
func (b *batch) openLabelled(o *opened) {
	if b.labelled == nil || !b.isUnknown(o) {
		return
	}
	if at := b.labelled(o.training.ID); at != nil && slices.Contains(b.refs, at.Topic) {
		o.labelledAt = placeOf(*at)
		o.needs = append(o.needs, o.labelledAt)
	}
}

// again has a record, whose document was labelled and not learned, written again behind it, with
// what leads to the document: who counts the topic needs to know no labels. A forget is written
// again, too, since a label before it may be. It reports whether there is such a document.
func (b *batch) again(o *opened, read texts) bool {
	text := read[o.labelledAt]
	t := &o.training
	if text == nil || text.Value == nil || b.readDocument(o.labelledAt, &o.referred, read) != nil ||
		o.referred.ID != t.ID {
		return false
	}
	said := &wire.Correction{Label: t.Label, Weight: t.Weight, Forget: t.Kind == wire.Forget}
	says, err := b.decoder.CorrectionRecord(t.ID, said, text)
	if err != nil {
		return false
	}
	b.forwards = append(b.forwards, forward{record: o.record, kind: t.Kind, to: worker.Holder{
		Partition: int(b.source.Partition)}, labelled: text, says: says})
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
	if f.labelled != nil {
		b.letter(f.record, wire.Rejectf(wire.UnknownID, "the document was only labelled, and the record cannot be written "+
			"again with its place: %v", refusal))
		return
	}
	b.letter(f.record, wire.Rejectf(wire.UnknownID, "the document is known in partition %d, and the record cannot be "+
		"forwarded: %v", f.to.Partition, refusal))
}

// openForwarded notes what a record says if it was forwarded. It needs the record that put the
// entry of its id into the ledger, which isMeant looks at.
func (b *batch) openForwarded(o *opened) {
	o.forward, o.forwarded = wire.ReadForward(o.record)
	switch {
	case !o.forwarded:
	case b.isOfAnotherTopic(o), !o.known && o.training.Kind != wire.Learn:
		o.outdated = true
	case o.known:
		o.entryAt = b.place(o.putBy)
		o.needs = append(o.needs, o.entryAt)
	}
}

// isOfAnotherTopic reports whether a record was forwarded in another topic of this name: its writer
// had not noticed that the topic was replaced, or a request came late. What it names is not here,
// whatever is at that offset.
func (b *batch) isOfAnotherTopic(o *opened) bool {
	return o.forward.TopicID != "" && b.topic != stream.TopicID{} && o.forward.TopicID != b.topic.String()
}

// isMeant reports whether a record, which was forwarded, is about the entry that the ledger has
// under its id. If that entry was put in by a record that was forwarded from the same partition,
// the order there decides: a document may be relabelled and forgotten before the first is counted,
// and each record may come again. If the record was written again in its own partition, the entry
// must be older than the record. Otherwise it must be the entry that the record names, or for a
// forget one whose text the record names, or one that was relabelled since by a record which names
// the same. entry is the record at entryAt now, nil if there is none.
func (b *batch) isMeant(o *opened, entry *stream.Record) bool {
	named := placeOf(o.forward.To)
	isForget := o.training.Kind == wire.Forget
	isNamed := o.entryAt == named || isForget && textOf(&o.before) == named
	from := o.forward.From
	last, forwarded := b.relabelled(o, entry)
	switch {
	case forwarded && last.From.Topic == from.Topic && last.From.Partition == from.Partition:
		return last.From.Offset < from.Offset
	case placeOf(from).isIn(b.source):
		return o.putBy < from.Offset
	case !forwarded:
		return isNamed
	}
	return isNamed || isForget && last.To == o.forward.To
}

// relabelled returns what the record says that put in the entry of a record's id, if it was
// forwarded, or written again. The record at entryAt now may be another one: of a topic that was
// created since, behind the fetch that is counted. Where it has its label does not matter, which may
// be elsewhere by a later spec.
func (b *batch) relabelled(o *opened, entry *stream.Record) (f wire.Forward, forwarded bool) {
	if entry == nil {
		return f, false
	}
	t := &o.relabelling
	err := b.decoder.Training(entry, t)
	hasText := err == nil && t.Kind == wire.Learn && t.Ref == nil
	isAnother := err == nil && t.Kind == wire.Forget || hasText != (textOf(&o.before) == o.entryAt)
	if isAnother || t.ID != o.training.ID {
		return f, false
	}
	return wire.ReadForward(entry)
}

// placeOf returns a ref as a place.
func placeOf(r wire.Ref) place { return place{r.Topic, int32(r.Partition), r.Offset} }
