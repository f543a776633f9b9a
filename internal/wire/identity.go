package wire

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"bayestream/internal/stream"
)

// trainingID sets the ID of a training record, as a copy: the ledger keeps it.
func (d *Decoder) trainingID(rec *stream.Record, field raw, dst *Training) error {
	id, err := d.explicitID(rec, field, &dst.scratch)
	if id != nil {
		dst.ID, dst.Explicit = string(id), true
	}
	return err
}

// documentID sets the ID of a document, as a view.
func (d *Decoder) documentID(rec *stream.Record, field raw, dst *Document) error {
	id, err := d.explicitID(rec, field, &dst.scratch)
	if id != nil {
		dst.ID, dst.Explicit = view(id), true
	}
	return err
}

// explicitID finds the id that a record names: the header's, else the key's where
// the schema takes ids from keys, else the field's; nil when none does. The key
// wins over the field because only the key is left when a null value forgets.
func (d *Decoder) explicitID(rec *stream.Record, field raw, sc *scratch) ([]byte, error) {
	if value, ok := lastHeader(rec.Headers, d.schema.IDHeader); ok {
		return checkID(value, place{"header", d.schema.IDHeader})
	}
	if d.schema.IDFromKey && rec.Key != nil {
		return checkID(rec.Key, place{"the record's key", ""})
	}
	switch {
	case field.absent():
		return nil, nil
	case field.isString():
		return checkID(sc.unquote(field), place{"field", d.schema.IDField})
	case field.isNumber() && !bytes.ContainsAny(field, ".eE"):
		return checkID(field, place{"field", d.schema.IDField})
	default:
		return nil, Rejectf(BadID, "field %q is %s, %s; want a string or an integer", d.schema.IDField, field.shown(), field.kind())
	}
}

// place is where in a record a value stands, for a sentence.
type place struct{ kind, name string }

// String is the place in words.
func (p place) String() string {
	if p.name == "" {
		return p.kind
	}
	return p.kind + " " + strconv.Quote(p.name)
}

// checkID holds an id to its bounds.
func checkID(id []byte, where place) ([]byte, error) {
	switch {
	case len(id) == 0:
		return nil, Rejectf(BadID, "%s is empty", where)
	case len(id) > MaxIDBytes:
		return nil, Rejectf(BadID, "%s has %d bytes, the limit is %d", where, len(id), MaxIDBytes)
	case !utf8.Valid(id):
		return nil, Rejectf(InvalidUTF8, "%s %s is not UTF-8", where, show(id))
	}
	return id, nil
}

// label finds the label of a training record: the header's, else the field's. A
// null in the field forgets the document, if the record names one.
func (d *Decoder) label(rec *stream.Record, field raw, dst *Training) error {
	if value, ok := lastHeader(rec.Headers, d.schema.LabelHeader); ok {
		return d.checkLabel(value, place{"header", d.schema.LabelHeader}, dst)
	}
	switch {
	case field.missing():
		return d.noLabel()
	case field.null() && !dst.Explicit:
		return Rejectf(BadID, "a null label forgets a document, but the record has no id of its own")
	case field.null():
		dst.Kind = Forget
		return nil
	case !field.isString():
		return Rejectf(BadLabel, "field %q is %s, %s; want a string, such as %s", d.schema.LabelField, field.shown(), field.kind(), quoted(field))
	}
	return d.checkLabel(dst.scratch.unquote(field), place{"field", d.schema.LabelField}, dst)
}

// quoted shows a label as the string it should have been.
func quoted(field raw) string {
	if field.isNumber() || field.kind() == "a boolean" {
		return `"` + field.shown() + `"`
	}
	return `"spam"`
}

// noLabel says where the label was looked for.
func (d *Decoder) noLabel() error {
	switch {
	case d.schema.Format == FormatJSON && d.schema.LabelHeader == "":
		return Rejectf(NoLabel, "field %q is missing", d.schema.LabelField)
	case d.schema.Format == FormatJSON:
		return Rejectf(NoLabel, "header %q and field %q are missing", d.schema.LabelHeader, d.schema.LabelField)
	case d.schema.LabelHeader == "":
		return Rejectf(NoLabel, "a %s record carries its label in a header, and no label header is configured", d.schema.Format)
	default:
		return Rejectf(NoLabel, "header %q is missing", d.schema.LabelHeader)
	}
}

// checkLabel holds a label to its bounds and to the fixed classes, if there are any.
func (d *Decoder) checkLabel(label []byte, where place, dst *Training) error {
	switch {
	case len(label) == 0:
		return Rejectf(BadLabel, "%s is empty", where)
	case len(label) > MaxLabelBytes:
		return Rejectf(BadLabel, "%s has %d bytes, the limit is %d", where, len(label), MaxLabelBytes)
	case !utf8.Valid(label):
		return Rejectf(InvalidUTF8, "%s is %s, which is not UTF-8", where, show(label))
	case d.classes != nil && !d.classes[string(label)]:
		return Rejectf(UnknownClass, "%s is %s, which is not among the spec's classes", where, show(label))
	}
	dst.Label = dst.scratch.intern(label)
	return nil
}

// lastHeader returns the value of the last header with this name, as Kafka's own
// lastHeader does. An empty name finds nothing.
func lastHeader(headers []stream.Header, name string) ([]byte, bool) {
	if name == "" {
		return nil, false
	}
	for i := len(headers) - 1; i >= 0; i-- {
		if headers[i].Key == name {
			return headers[i].Value, true
		}
	}
	return nil, false
}
