package wire

import (
	"slices"
	"strings"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/record"
)

// Kind is what a training record asks for.
type Kind int

const (
	// Learn counts the document under its label. If it has an explicit id that was
	// learned before, it replaces the earlier document.
	Learn Kind = iota
	// Forget takes the document with this id out of the counts.
	Forget
	// Relabel counts the document that was learned under this id under another label. The record has
	// no document.
	Relabel
)

// Training is one decoded training record. Label and ID are copies. Input may
// point into the record and is valid until this Training is decoded into again.
type Training struct {
	Kind     Kind
	Label    string
	Weight   int64  // 1 to MaxWeight; multiplies documents, terms and sums; 0 with Relabel: as it was
	By       string // who says the label; "": nobody is named
	Time     int64  // in milliseconds, where the schema has a place for it; 0: that of the record
	ID       string // from the record, else topic/partition/offset
	Explicit bool   // the ID is from the record: only then can it replace or forget
	Ref      *Ref   // not nil: the document is in another record, and Input is empty
	Input    model.Input

	scratch scratch
}

// Document is one decoded document. All of it, ID included, may point into the
// record and into the Document's own memory, and is valid until this Document is
// decoded into again: clone an ID to keep it (strings.Clone).
type Document struct {
	ID       string // from the record, else topic/partition/offset, or "" for a body
	Explicit bool
	Null     bool // the record's value is null: it passes through as one
	Input    model.Input

	scratch scratch
}

// Training decodes a training record into dst. The error is a *Reject.
func (d *Decoder) Training(rec *record.Record, dst *Training) error {
	dst.reset()
	if err := d.readTraining(rec, dst); err != nil {
		return err
	}
	if !dst.Explicit {
		dst.ID = string(dst.scratch.recordID(rec.Topic, rec.Partition, rec.Offset))
	}
	return nil
}

// open returns the value of a record and its members, which are all missing in a format without
// fields.
func (d *Decoder) open(rec *record.Record, l *layout, sc *scratch) (value []byte, found fields, err error) {
	if len(rec.Value) > d.schema.MaxRecordBytes {
		return nil, nil, Rejectf(TooLarge, "the value has %d bytes, the limit is %d", len(rec.Value), d.schema.MaxRecordBytes)
	}
	value, err = d.documentOf(rec, sc)
	if err != nil {
		return nil, nil, err
	}
	if d.IsWhole() {
		sc.fields = zeroed(sc.fields, l.places)
		return value, sc.fields, nil
	}
	found, ok := d.pick(value, l, sc)
	if !ok {
		return nil, nil, notObject(value)
	}
	return value, found, nil
}

// readTraining is Training without the default id.
func (d *Decoder) readTraining(rec *record.Record, dst *Training) error {
	if rec.Value == nil {
		return d.tombstone(rec, dst)
	}
	value, found, err := d.open(rec, &d.training, &dst.scratch)
	if err != nil {
		return err
	}
	if err := d.trainingID(rec, found[slotID], dst); err != nil {
		return err
	}
	if err := d.label(rec, value, found[slotLabel], dst); err != nil || dst.Kind == Forget {
		return err
	}
	hasWeight, err := d.weight(rec, found[slotWeight], dst)
	if err != nil {
		return err
	}
	if err := d.time(rec, found[slotTime], dst); err != nil {
		return err
	}
	d.by(rec, found[slotBy], dst)
	if d.IsWhole() {
		return d.wholeValue(value, &dst.Input)
	}
	if !found[slotRef].IsAbsent() {
		return d.ref(value, found, dst)
	}
	err = d.content(&d.training, value, found, &dst.scratch, &dst.Input)
	if err != nil && d.schema.Relabels && dst.Explicit && d.training.content(value, found, &dst.scratch) == "" &&
		d.isLabelAlone(value, &dst.scratch) {
		dst.relabel(hasWeight)
		return nil
	}
	return err
}

// isLabelAlone reports whether an object has no members but those of which none is a feature: id,
// label, weight, time and name. One with others is a document whose fields were not found, which is not
// to be taken for a correction.
func (d *Decoder) isLabelAlone(value []byte, sc *scratch) bool {
	object := &sc.reader
	for object.Reset(value); object.Next(); {
		name := string(object.Name())
		isIn := func(s slot) bool { return s.name != "" && root(s.name) == name }
		if !object.Value().IsNull() && !slices.ContainsFunc(d.schema.slots(), isIn) {
			return false
		}
	}
	return true
}

func root(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// relabel makes it the record of a label alone, of which nothing but id, label, weight and name is used.
func (t *Training) relabel(hasWeight bool) {
	t.Kind = Relabel
	empty(&t.Input)
	if !hasWeight {
		t.Weight = 0
	}
}

// tombstone reads a null value, which forgets the document that the header or
// the key names.
func (d *Decoder) tombstone(rec *record.Record, dst *Training) error {
	if err := d.trainingID(rec, nil, dst); err != nil {
		return err
	}
	if !dst.Explicit {
		return Rejectf(BadID, "a null value forgets a document, but nothing names it: set the "+
			"id header, or read the id from the key")
	}
	dst.Kind = Forget
	return nil
}

// Document decodes a document into dst. The error is a *Reject.
func (d *Decoder) Document(rec *record.Record, dst *Document) error {
	return d.read(rec, &d.document, dst)
}

// Learned decodes the document of a training record into dst: where fields stand elsewhere in
// training records, it looks for them there. The error is a *Reject.
func (d *Decoder) Learned(rec *record.Record, dst *Document) error {
	return d.read(rec, &d.training, dst)
}

func (d *Decoder) read(rec *record.Record, l *layout, dst *Document) error {
	dst.reset()
	if err := d.readValue(rec, l, dst); err != nil {
		return err
	}
	if !dst.Explicit {
		dst.ID = view(dst.scratch.recordID(rec.Topic, rec.Partition, rec.Offset))
	}
	return nil
}

// Body decodes the body of an HTTP request: a document record's value. Without an
// id field the ID is empty. The error is a *Reject.
func (d *Decoder) Body(body []byte, dst *Document) error {
	dst.reset()
	if body == nil {
		body = []byte{} // an empty body is not a null value
	}
	return d.readValue(&record.Record{Value: body}, &d.document, dst)
}

// readValue is read without the default id.
func (d *Decoder) readValue(rec *record.Record, l *layout, dst *Document) error {
	if rec.Value == nil {
		dst.Null = true
		return d.documentID(rec, nil, dst)
	}
	value, found, err := d.open(rec, l, &dst.scratch)
	if err != nil {
		return err
	}
	if err := d.documentID(rec, found[slotID], dst); err != nil {
		return err
	}
	if d.IsWhole() {
		return d.wholeValue(value, &dst.Input)
	}
	return d.content(l, value, found, &dst.scratch, &dst.Input)
}

// reset empties the Training but keeps its memory.
func (t *Training) reset() {
	t.Kind = Learn
	t.Label = ""
	t.Weight = 1
	t.By = ""
	t.Time = 0
	t.ID = ""
	t.Explicit = false
	t.Ref = nil
	empty(&t.Input)
	t.scratch.reset()
}

// reset empties the Document but keeps its memory.
func (doc *Document) reset() {
	doc.ID = ""
	doc.Explicit = false
	doc.Null = false
	empty(&doc.Input)
	doc.scratch.reset()
}

// empty empties the Input but keeps its memory.
func empty(in *model.Input) {
	in.Segments = in.Segments[:0]
	in.Whole = nil
	in.Numbers = in.Numbers[:0]
	in.Categories = in.Categories[:0]
}
