package ingest

import (
	"cmp"
	"errors"
	"fmt"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// place is where a record is.
type place struct {
	topic     string
	partition int32
	offset    int64
}

func (p place) String() string { return fmt.Sprintf("%s/%d/%d", p.topic, p.partition, p.offset) }

func (p place) isIn(src fold.Source) bool {
	return p.topic == src.Topic && p.partition == src.Partition
}

func (p place) compare(q place) int {
	return cmp.Or(
		cmp.Compare(p.topic, q.topic),
		cmp.Compare(p.partition, q.partition),
		cmp.Compare(p.offset, q.offset),
	)
}

func textOf(l *fold.Learned) place { return place{l.Topic, l.Partition, l.Offset} }

// texts are records that were read again, by their places; nil where none exists any more.
type texts map[place]*stream.Record

// sample is a document that was learned.
type sample struct {
	label    string
	features *model.Features // until the next record
	known    bool            // its id was learned before
}

// add counts the record that was opened. It returns the document that was learned, nil if none was.
// What cannot be used becomes a dead letter; the error is errFull, after which the record is not in
// the batch.
func (b *batch) add(o *opened, read texts) (*sample, error) {
	ahead := b.ahead
	learned, err := b.count(o, read)
	var reject *wire.Reject
	switch {
	case errors.As(err, &reject):
		b.reject(o.record, reject)
	case err != nil:
		b.ahead = ahead
		return nil, err
	}
	b.end = o.record.Offset + 1
	b.last = o.record
	return learned, nil
}

func (b *batch) count(o *opened, read texts) (*sample, error) {
	switch {
	case o.refused != nil:
		return nil, o.refused
	case o.outdated, o.forwarded && !b.isMeant(o, read[o.entryAt]):
		b.skip(o.record.Offset, wire.SkipSuperseded)
		return nil, nil
	case o.training.Kind == wire.Forget:
		return nil, b.forget(o, read)
	}
	if err := b.checkTime(o); err != nil {
		return nil, err
	}
	if o.training.Kind == wire.Relabel {
		return nil, b.relabel(o, read)
	}
	return b.learn(o, read)
}

// learn counts a document under its label, instead of what its id was counted as before.
func (b *batch) learn(o *opened, read texts) (*sample, error) {
	t := &o.training
	text, err := b.document(o, read)
	if err != nil {
		return nil, err
	}
	var now *fold.Learned
	if t.Explicit || b.keepsAll() || t.By != "" {
		now = b.entry(o, text)
	}
	if o.known && repeats(&o.before, now) {
		now.Ahead = o.before.Ahead
		b.put(o, now) // only the place of the text is new
		return nil, nil
	}
	ahead, err := b.replace(o, read, t.Weight, &o.features)
	if err != nil {
		return nil, err
	}
	if now != nil {
		now.Ahead = ahead
		b.put(o, now)
	}
	return &sample{label: t.Label, features: &o.features, known: o.known}, nil
}

// replace counts features under the label of a record, instead of what its id was counted as
// before. It returns the class against which they correct, "" if they do not.
func (b *batch) replace(o *opened, read texts, weight int64, f *model.Features) (ahead string, err error) {
	label := o.training.Label
	isClass, classes := b.view.classes(label)
	if err := b.admission.Admit(label, isClass, classes); err != nil {
		return "", wire.AsReject(err)
	}
	var cost model.Size
	if o.known {
		if err := b.recall(o, read); err != nil {
			return "", err
		}
		cost = b.costOf(o)
	}
	if err := b.room(cost.Add(b.builder.Cost(label, f))); err != nil {
		return "", err
	}
	if o.known {
		b.unlearn(o)
	}
	b.builder.Observe(label, weight, f)
	if !isClass {
		b.admission.Add(label)
	}
	b.learned++
	return b.correct(o, weight, f), nil
}

// correct has a document correct, if the model was wrong about it or nearly so, and returns against
// which class; "": it does not. One for which there is no room corrects nothing. One whose id was
// known is judged always: perhaps a person has corrected it.
func (b *batch) correct(o *opened, weight int64, f *model.Features) (ahead string) {
	if !b.builder.Corrects() {
		return ""
	}
	label := o.training.Label
	var key digest.Sum
	if !o.known {
		key = b.place(o.record.Offset).digest()
	}
	ahead = b.view.ahead(b.judge, b.builder, f, label, key)
	if ahead == "" || !b.fits(b.builder.CorrectionCost(f)) {
		return ""
	}
	b.builder.Correct(label, ahead, weight, f)
	return ahead
}

// costOf bounds by how much taking out what an id was counted as makes the delta larger.
func (b *batch) costOf(o *opened) model.Size {
	cost := b.builder.Cost(o.before.Label, &o.old)
	if o.before.Ahead != "" {
		cost = cost.Add(b.builder.CorrectionCost(&o.old))
	}
	return cost
}

// unlearn takes out what an id was counted as, and what it corrected.
func (b *batch) unlearn(o *opened) {
	b.builder.Observe(o.before.Label, -o.before.Weight, &o.old)
	if o.before.Ahead != "" {
		b.builder.Correct(o.before.Label, o.before.Ahead, -o.before.Weight, &o.old)
	}
}

// relabel counts the document of an id under another label, with the text that it was learned from.
func (b *batch) relabel(o *opened, read texts) error {
	t := &o.training
	switch {
	case o.known && o.before.Owed: // it was forgotten
		return wire.Rejectf(wire.UnknownID, "no document %q is known", t.ID)
	case o.known:
	case b.elsewhere(o):
		return nil
	default:
		return b.again(o, read)
	}
	now := o.before
	now.Label = t.Label
	now.Weight = t.Weight
	now.By = t.By
	now.Time = b.time(o)
	if o.repeatsLabel() {
		b.put(o, &now) // it is new again
		return nil
	}
	ahead, err := b.replace(o, read, t.Weight, &o.old)
	if err != nil {
		return err
	}
	now.Ahead = ahead
	b.put(o, &now)
	return nil
}

func (b *batch) forget(o *opened, read texts) error {
	switch {
	case o.known:
	case b.elsewhere(o):
		return nil
	default:
		b.skip(o.record.Offset, wire.SkipUnknownID)
		b.unmet = append(b.unmet, o.record.Offset)
		return nil
	}
	if err := b.recall(o, read); err != nil {
		return err
	}
	if err := b.room(b.costOf(o)); err != nil {
		return err
	}
	b.unlearn(o)
	b.put(o, nil)
	return nil
}

// entry returns what the ledger says of the current record once it is learned. text holds its
// document, whose features are o.features.
func (b *batch) entry(o *opened, text *stream.Record) *fold.Learned {
	return &fold.Learned{
		Label: o.training.Label, By: o.training.By, Weight: o.training.Weight,
		Topic: text.Topic, Partition: int32(text.Partition), Offset: text.Offset, Sum: o.features.Checksum(),
		Time: b.time(o),
	}
}

// repeats reports whether learning now after before would change no count.
func repeats(before, now *fold.Learned) bool {
	return before.Label == now.Label && before.Weight == now.Weight && before.Sum == now.Sum
}

// document returns the record that holds the document to learn: the training record itself, or what
// its ref points at. o.features belong to the document.
func (b *batch) document(o *opened, read texts) (*stream.Record, error) {
	if o.training.Ref == nil {
		return o.record, nil
	}
	text := read[o.refAt]
	if text == nil || text.Value == nil {
		return nil, wire.Rejectf(wire.RefGone, "%s", o.refAt)
	}
	if err := b.readDocument(o.refAt, &o.referred, read); err != nil {
		return nil, err
	}
	b.extract.Extract(&o.features, &o.referred.Input)
	return text, nil
}

// recall sets o.old to the features that the document was counted with before. However its record
// is written now, they must be the same: no others are in the counts.
func (b *batch) recall(o *opened, read texts) error {
	text := read[o.beforeAt]
	where := fmt.Sprintf("document %q was learned from %s", o.training.ID, o.beforeAt)
	if text == nil {
		return wire.Rejectf(wire.CannotUnlearn, "%s, which is no longer retained", where)
	}
	if err := b.readDocument(o.beforeAt, &o.recalled, read); err != nil {
		return wire.Rejectf(wire.CannotUnlearn, "%s, which cannot be read any more: %v", where, err)
	}
	b.extract.Extract(&o.old, &o.recalled.Input)
	if o.old.Checksum() != o.before.Sum {
		return wire.Rejectf(wire.CannotUnlearn, "%s, where another document stands now", where)
	}
	return nil
}

// readDocument decodes the document of a record at a place: in the training topic as
// training records are read, elsewhere as documents are.
func (b *batch) readDocument(at place, dst *wire.Document, read texts) error {
	if at.topic == b.source.Topic {
		return b.decoder.Learned(read[at], dst)
	}
	return b.decoder.Document(read[at], dst)
}
