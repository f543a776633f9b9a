package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// place is where a record stands.
type place struct {
	topic     string
	partition int32
	offset    int64
}

func (p place) String() string { return fmt.Sprintf("%s/%d/%d", p.topic, p.partition, p.offset) }

// isIn reports whether the place is in a source.
func (p place) isIn(src fold.Source) bool {
	return p.topic == src.Topic && p.partition == src.Partition
}

// compare orders places as they are read.
func (p place) compare(q place) int {
	return cmp.Or(
		cmp.Compare(p.topic, q.topic),
		cmp.Compare(p.partition, q.partition),
		cmp.Compare(p.offset, q.offset),
	)
}

// textOf returns where the text of a document stands.
func textOf(l *fold.Learned) place { return place{l.Topic, l.Partition, l.Offset} }

// texts are records that were read again, by their places; nil where none exists any more.
type texts map[place]*stream.Record

// sample is a document that was learned.
type sample struct {
	label    string
	features *model.Features // until the next record
	known    bool            // its id was learned before
}

// current is the record that is being added to a batch.
type current struct {
	record   *stream.Record
	training wire.Training
	id       string // its own id, as the ledger knows it
	refused  error  // why it cannot be decoded
	outdated bool   // it was sent again, or was forwarded, and its id was learned or forgotten meanwhile
	known    bool   // its id was learned before,
	before   fold.Learned
	beforeAt place // and is to be read there
	refAt    place // what its ref points at

	forwarded bool         // from another partition
	forward   wire.Forward // what it says then
	entryAt   place        // then, of the record that put the entry of its id into the ledger

	relabelling wire.Training // what stands at entryAt

	referred wire.Document  // at refAt
	recalled wire.Document  // at beforeAt
	features model.Features // of the document, once it is read
	old      model.Features // of the recalled document
}

// at returns where the current record stands.
func (b *batch) at() place { return place{b.source.Topic, b.source.Partition, b.record.Offset} }

// open decodes the next record, and returns the places of the records that add needs for it: the document that its
// ref points at, and the document that it replaces or forgets. A document that is in the record itself is extracted.
func (b *batch) open(rec *stream.Record) []place {
	places := b.look(rec)
	t := &b.training
	if b.refused != nil || b.outdated || t.Kind != wire.Learn || t.Ref != nil {
		return places
	}
	b.extract.Extract(&b.features, &t.Input)
	if b.known && repeats(&b.before, b.entry(rec)) {
		return nil
	}
	return places
}

// soon returns the places that open will probably return for records behind the one that was opened: what the records before them
// change in the ledger is not considered, nor what their documents are. An id counts once, since its next text is in memory.
func (b *batch) soon(records []stream.Record) (places []place) {
	opened := b.current
	b.current = current{}
	seen := map[string]bool{opened.id: true}
	for i := range records {
		more := b.look(&records[i])
		if b.id != "" && seen[b.id] {
			continue
		}
		seen[b.id] = true
		places = append(places, more...)
	}
	b.current = opened
	return places
}

// look decodes a record, and returns the places that open returns, also if its document turns out to be the one that was learned.
func (b *batch) look(rec *stream.Record) []place {
	t := &b.training
	b.record = rec
	b.id = ""
	b.known = false
	b.outdated = false
	b.forwarded = false
	b.refused = b.decoder.Training(rec, t)
	if b.refused != nil {
		return nil
	}
	var places []place
	if t.Ref != nil {
		if !slices.Contains(b.refs, t.Ref.Topic) {
			b.refused = wire.Rejectf(wire.RefDenied, "topic %q is not among those that --ref-topics allows", t.Ref.Topic)
			return nil
		}
		b.refAt = place{t.Ref.Topic, int32(t.Ref.Partition), t.Ref.Offset}
		places = append(places, b.refAt)
	}
	if t.Explicit {
		places = append(places, b.openID(rec)...)
		if b.outdated {
			return nil
		}
	}
	if b.known && t.Kind == wire.Relabel {
		b.keepWeight()
		if b.before.Label == t.Label && b.before.Weight == t.Weight {
			return places
		}
	}
	if b.known {
		b.beforeAt = textOf(&b.before)
		places = append(places, b.beforeAt)
	}
	return places
}

// openID looks up the id of the current record. It returns the places of the records that say whether it is outdated.
func (b *batch) openID(rec *stream.Record) []place {
	b.id = b.training.ID
	if b.hasher != nil {
		b.id = b.hasher.ID(b.training.ID)
	}
	b.before, b.known = b.pending.find(b.id)
	b.outdated = b.known && b.isSuperseded(rec)
	return b.openForwarded()
}

// isDenied reports whether the brokers do not let ingest read the topic of the current record's ref. Then the record is
// refused: it must not stop the records after it.
func (b *batch) isDenied(err error) bool {
	var right *stream.RightError
	if !errors.As(err, &right) || b.training.Ref == nil || b.training.Ref.Topic != right.Name {
		return false
	}
	b.refused = wire.Rejectf(wire.RefDenied, "%v", right)
	return true
}

// isSuperseded reports whether a record that was sent again, and whose id is known, is older than what the id was learned
// as: the record that failed must not undo the one that corrected it.
func (b *batch) isSuperseded(rec *stream.Record) bool {
	first, again := wire.FirstOffset(rec)
	return again && b.pending.learnedAt(b.id) > first
}

// add counts the record that was opened. It returns the document that was learned, nil if none was. What cannot be
// used becomes a dead letter; the error is errFull, after which the record is not in the batch.
func (b *batch) add(read texts) (*sample, error) {
	ahead := b.ahead
	learned, err := b.count(read)
	var reject *wire.Reject
	switch {
	case errors.As(err, &reject):
		b.reject(b.record, reject)
	case err != nil:
		b.ahead = ahead
		return nil, err
	}
	b.end = b.record.Offset + 1
	b.last = b.record
	return learned, nil
}

func (b *batch) count(read texts) (*sample, error) {
	switch {
	case b.refused != nil:
		return nil, b.refused
	case b.outdated, b.forwarded && !b.isMeant(read[b.entryAt]):
		b.skip(b.record.Offset, wire.SkipSuperseded)
		return nil, nil
	case b.training.Kind == wire.Forget:
		return nil, b.forget(read)
	}
	if err := b.checkTime(); err != nil {
		return nil, err
	}
	if b.training.Kind == wire.Relabel {
		return nil, b.relabel(read)
	}
	return b.learn(read)
}

// learn counts a document under its label, instead of what its id was counted as before.
func (b *batch) learn(read texts) (*sample, error) {
	t := &b.training
	text, err := b.document(read)
	if err != nil {
		return nil, err
	}
	isClass, classes := b.view.classes(t.Label)
	if err := b.admission.Admit(t.Label, isClass, classes); err != nil {
		return nil, wire.AsReject(err)
	}
	var now *fold.Learned
	if t.Explicit || b.keepsAll() {
		now = b.entry(text)
	}
	if b.known && repeats(&b.before, now) {
		b.put(b.record.Offset, b.id, now) // only the place of the text is new
		return nil, nil
	}
	cost := b.builder.Cost(t.Label, &b.features)
	if b.known {
		if err := b.recall(read); err != nil {
			return nil, err
		}
		cost = cost.Add(b.builder.Cost(b.before.Label, &b.old))
	}
	if err := b.room(cost); err != nil {
		return nil, err
	}
	if b.known {
		b.builder.Observe(b.before.Label, -b.before.Weight, &b.old)
	}
	b.builder.Observe(t.Label, t.Weight, &b.features)
	if !isClass {
		b.admission.Add(t.Label)
	}
	b.learned++
	if now != nil {
		b.put(b.record.Offset, b.id, now)
	}
	return &sample{label: t.Label, features: &b.features, known: b.known}, nil
}

// keepWeight gives a record that relabels, and names no weight, that of the document.
func (b *batch) keepWeight() {
	if b.training.Weight == 0 {
		b.training.Weight = b.before.Weight
	}
}

// relabel counts the document of an id under another label, with the text that it was learned from.
func (b *batch) relabel(read texts) error {
	t := &b.training
	if !b.known && b.elsewhere() {
		return nil
	}
	if !b.known || b.before.Owed { // owed: it was forgotten
		return wire.Rejectf(wire.UnknownID, "no document %q is known", t.ID)
	}
	now := b.before
	now.Label = t.Label
	now.Weight = t.Weight
	now.Time = b.time()
	if b.before.Label == t.Label && b.before.Weight == t.Weight {
		b.put(b.record.Offset, b.id, &now) // it is new again
		return nil
	}
	isClass, classes := b.view.classes(t.Label)
	if err := b.admission.Admit(t.Label, isClass, classes); err != nil {
		return wire.AsReject(err)
	}
	if err := b.recall(read); err != nil {
		return err
	}
	cost := b.builder.Cost(b.before.Label, &b.old).Add(b.builder.Cost(t.Label, &b.old))
	if err := b.room(cost); err != nil {
		return err
	}
	b.builder.Observe(b.before.Label, -b.before.Weight, &b.old)
	b.builder.Observe(t.Label, t.Weight, &b.old)
	if !isClass {
		b.admission.Add(t.Label)
	}
	b.learned++
	b.put(b.record.Offset, b.id, &now)
	return nil
}

// forget takes a document out.
func (b *batch) forget(read texts) error {
	switch {
	case b.known:
	case b.elsewhere():
		return nil
	default:
		b.skip(b.record.Offset, wire.SkipUnknownID)
		b.unmet = append(b.unmet, b.record.Offset)
		return nil
	}
	if err := b.recall(read); err != nil {
		return err
	}
	if err := b.room(b.builder.Cost(b.before.Label, &b.old)); err != nil {
		return err
	}
	b.builder.Observe(b.before.Label, -b.before.Weight, &b.old)
	b.put(b.record.Offset, b.id, nil)
	return nil
}

// entry returns what the ledger says of the current record once it is learned. text holds its document, whose features
// are b.features.
func (b *batch) entry(text *stream.Record) *fold.Learned {
	return &fold.Learned{
		Label: b.training.Label, Weight: b.training.Weight,
		Topic: text.Topic, Partition: int32(text.Partition), Offset: text.Offset, Sum: b.features.Checksum(),
		Time: b.time(),
	}
}

// repeats reports whether learning now after before would change no count.
func repeats(before, now *fold.Learned) bool {
	return before.Label == now.Label && before.Weight == now.Weight && before.Sum == now.Sum
}

// document returns the record that holds the document to learn: the training record itself, or what its ref points at.
// b.features are those of the document.
func (b *batch) document(read texts) (*stream.Record, error) {
	if b.training.Ref == nil {
		return b.record, nil
	}
	text := read[b.refAt]
	if text == nil || text.Value == nil {
		return nil, wire.Rejectf(wire.RefGone, "%s", b.refAt)
	}
	if err := b.readDocument(b.refAt, &b.referred, read); err != nil {
		return nil, err
	}
	b.extract.Extract(&b.features, &b.referred.Input)
	return text, nil
}

// recall sets b.old to the features that the document was counted with before. However its record is written now, they
// must be the same: no others are in the counts.
func (b *batch) recall(read texts) error {
	text := read[b.beforeAt]
	where := fmt.Sprintf("document %q was learned from %s", b.training.ID, b.beforeAt)
	if text == nil {
		return wire.Rejectf(wire.CannotUnlearn, "%s, which is no longer retained", where)
	}
	if err := b.readDocument(b.beforeAt, &b.recalled, read); err != nil {
		return wire.Rejectf(wire.CannotUnlearn, "%s, which cannot be read any more: %v", where, err)
	}
	b.extract.Extract(&b.old, &b.recalled.Input)
	if b.old.Checksum() != b.before.Sum {
		return wire.Rejectf(wire.CannotUnlearn, "%s, where another document stands now", where)
	}
	return nil
}
