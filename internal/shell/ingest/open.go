package ingest

import (
	"errors"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// opened is a training record that is decoded, and what the ledger knows of its id. It says which
// other records must be read before the batch can add it.
type opened struct {
	record   *stream.Record
	training wire.Training
	needs    []place // of the records that add needs
	id       string  // its own id, as the ledger knows it
	refused  error   // why it cannot be decoded
	outdated bool    // it was sent again, or was forwarded, and its id was learned or forgotten meanwhile
	known    bool    // its id was learned before,
	before   fold.Learned
	putBy    int64 // by the record at this offset,
	beforeAt place // and is to be read there
	refAt    place // what its ref points at

	labelled onlyLabelled // where the document of its id was labelled, which nobody has learned

	repeats   bool         // it was written again, with its document
	forwarded bool         // from another partition
	forward   wire.Forward // what it says in both cases
	entryAt   place        // then, of the record that put the entry of its id into the ledger

	relabelling wire.Training // what is at entryAt

	referred wire.Document  // at refAt
	recalled wire.Document  // at beforeAt
	features model.Features // of the document, once it is read
	old      model.Features // of the recalled document
}

// open decodes the next record. It needs the document that its ref points at, and the document that
// it replaces or forgets. A document that is in the record itself is extracted. What open returns
// is the batch's own, until the next record.
func (b *batch) open(rec *stream.Record) *opened {
	o := &b.opened
	b.look(o, rec)
	t := &o.training
	if o.refused != nil || o.outdated || t.Kind != wire.Learn || t.Ref != nil {
		return o
	}
	b.extract.Extract(&o.features, &t.Input)
	if b.read != nil {
		b.read.Add(&t.Input)
	}
	if o.known && repeats(&o.before, b.entry(o, rec)) {
		o.needs = nil
	}
	return o
}

// soon returns the places of what records behind an opened one will probably need: what the records
// before them change in the ledger is not considered, nor what their documents are. An id counts
// once, since its next text is in memory.
func (b *batch) soon(first *opened, records []stream.Record) (places []place) {
	var o opened
	seen := map[string]bool{first.id: true}
	for i := range records {
		b.look(&o, &records[i])
		if o.id != "" && seen[o.id] {
			continue
		}
		seen[o.id] = true
		places = append(places, o.needs...)
	}
	return places
}

// look decodes a record. It needs what open says, also if its document turns out to be the one that
// was learned.
func (b *batch) look(o *opened, rec *stream.Record) {
	t := &o.training
	o.record = rec
	o.needs = nil
	o.id = ""
	o.known = false
	o.outdated = false
	o.forwarded = false
	o.repeats = false
	o.labelled = onlyLabelled{}
	o.refused = b.decoder.Training(rec, t)
	if o.refused != nil {
		return
	}
	if t.Ref != nil {
		if !slices.Contains(b.refs, t.Ref.Topic) {
			o.refused = wire.Rejectf(wire.RefDenied, "topic %q is not among those that --ref-topics allows", t.Ref.Topic)
			return
		}
		o.refAt = place{t.Ref.Topic, int32(t.Ref.Partition), t.Ref.Offset}
		o.needs = append(o.needs, o.refAt)
	}
	if t.Explicit {
		b.openID(o)
	}
	switch {
	case o.outdated:
		o.needs = nil
	case !o.known || t.Kind == wire.Relabel && o.repeatsLabel():
	default:
		o.beforeAt = textOf(&o.before)
		o.needs = append(o.needs, o.beforeAt)
	}
}

// openID looks up the id of a record. It needs the record that says whether it is outdated.
func (b *batch) openID(o *opened) {
	t := &o.training
	o.id = t.ID
	if b.hasher != nil {
		o.id = b.hasher.ID(t.ID)
	}
	entry, known := b.pending.Entry(o.id)
	o.known = known
	if known {
		o.before = *entry.Put
		o.putBy = entry.Offset
	}
	o.outdated = o.known && b.isSuperseded(o)
	b.openForwarded(o)
	if o.known && t.Kind == wire.Relabel && t.Weight == 0 { // it names no weight
		t.Weight = b.decoder.WeightOf(t.By, o.before.Weight)
	}
}

// repeatsLabel reports whether a record that relabels changes nothing.
func (o *opened) repeatsLabel() bool {
	return o.before.Label == o.training.Label && o.before.Weight == o.training.Weight
}

// isDenied reports whether the brokers do not let ingest read the topic of the record's document. Then
// the record is refused: it must not stop the records after it.
func (o *opened) isDenied(err error) bool {
	var right *stream.RightError
	switch {
	case !errors.As(err, &right):
		return false
	case o.training.Ref != nil && o.training.Ref.Topic == right.Name:
		o.refused = wire.Rejectf(wire.RefDenied, "%v", right)
		return true
	case o.labelled.at != place{} && o.labelled.at.topic == right.Name:
		o.refused = o.labelled.reject("which cannot be read: %v", right)
		return true
	}
	return false
}

// isSuperseded reports whether a record that was sent again, and whose id is known, is older than
// what the id was learned as: the record that failed must not undo its correction.
func (b *batch) isSuperseded(o *opened) bool {
	first, again := wire.FirstOffset(o.record)
	return again && o.putBy > first
}
