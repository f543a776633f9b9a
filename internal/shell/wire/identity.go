package wire

import (
	"bytes"
	"strconv"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
)

// trainingID sets the ID of a training record to a copy, which the ledger keeps.
func (d *Decoder) trainingID(rec *record.Record, field jsonread.Value, dst *Training) error {
	id, err := d.explicitID(rec, field, &dst.scratch)
	if id != nil {
		dst.ID = string(id)
		dst.Explicit = true
	}
	return err
}

// documentID sets the ID of a document without a copy.
func (d *Decoder) documentID(rec *record.Record, field jsonread.Value, dst *Document) error {
	id, err := d.explicitID(rec, field, &dst.scratch)
	if id != nil {
		dst.ID = view(id)
		dst.Explicit = true
	}
	return err
}

// explicitID returns the id that a record names: in the header, else in the key
// if the schema takes ids from keys, else of the CloudEvent if it takes them from
// there, else of the field, else nil. The key wins over the field because a null value
// that forgets has only the key.
func (d *Decoder) explicitID(rec *record.Record, field jsonread.Value, sc *scratch) ([]byte, error) {
	if value, ok := lastHeader(rec.Headers, d.schema.IDHeader); ok {
		return checkID(value, place{"header", d.schema.IDHeader})
	}
	if d.schema.IDFromKey && rec.Key != nil {
		return checkID(rec.Key, place{"the record's key", ""})
	}
	if d.schema.IDFromEvent {
		if id, err := eventID(rec, sc); id != nil || err != nil {
			return id, err
		}
	}
	switch {
	case field.IsAbsent():
		return nil, nil
	case field.IsString():
		return checkID(sc.text(field), place{"field", d.schema.IDField})
	case field.IsNumber() && !bytes.ContainsAny(field, ".eE"):
		return checkID(field, place{"field", d.schema.IDField})
	default:
		return nil, Rejectf(BadID, "field %q is %s, %s; want a string or an integer", d.schema.IDField, shown(field),
			field.Kind())
	}
}

// place is where in a record a value is, for a sentence.
type place struct{ kind, name string }

// String returns the place in words.
func (p place) String() string {
	if p.name == "" {
		return p.kind
	}
	return p.kind + " " + strconv.Quote(p.name)
}

func checkID(id []byte, where place) ([]byte, error) {
	if bad := CheckID(id); bad != nil {
		return nil, bad.At(where)
	}
	return id, nil
}

// label sets the label of a training record: from the header, else from the field of the object. A
// null in the field forgets the document, if the record names one.
func (d *Decoder) label(rec *record.Record, object []byte, field jsonread.Value, dst *Training) error {
	if value, ok := lastHeader(rec.Headers, d.schema.LabelHeader); ok {
		return d.checkLabel(value, place{"header", d.schema.LabelHeader}, dst)
	}
	switch {
	case field.IsMissing():
		return d.noLabel(object)
	case field.IsNull() && d.schema.NullIsMissing:
		return Rejectf(NoLabel, "field %q is null", d.schema.LabelField)
	case field.IsNull() && !dst.Explicit:
		return Rejectf(BadID, "a null label forgets a document, but the record has no id of its own")
	case field.IsNull():
		dst.Kind = Forget
		return nil
	case field.IsString():
		return d.checkLabel(dst.scratch.text(field), place{"field", d.schema.LabelField}, dst)
	case isScalar(field) && d.schema.LabelType == LabelAny:
		return d.checkLabel(field, place{"field", d.schema.LabelField}, dst)
	case isScalar(field):
		return Rejectf(BadLabel, "field %q is %s, %s; want a string, such as %q, or numbers and booleans too with "+
			"the label type any", d.schema.LabelField, shown(field), field.Kind(), shown(field))
	}
	return Rejectf(BadLabel, "field %q is %s, %s; want a string, such as \"spam\"", d.schema.LabelField, shown(field),
		field.Kind())
}

func isScalar(field jsonread.Value) bool { return field.IsNumber() || field.IsBool() }

// noLabel returns the error that names where the label was searched, and what the object has
// instead.
func (d *Decoder) noLabel(object []byte) error {
	switch {
	case d.schema.Format == FormatJSON && d.schema.LabelHeader == "":
		return Rejectf(NoLabel, "field %q is missing; the record has %s%s", d.schema.LabelField, namesIn(object),
			dotted(object, d.schema.LabelField))
	case d.schema.Format == FormatJSON:
		return Rejectf(NoLabel, "header %q and field %q are missing; the record has %s%s", d.schema.LabelHeader,
			d.schema.LabelField, namesIn(object), dotted(object, d.schema.LabelField))
	case d.schema.LabelHeader == "":
		return Rejectf(NoLabel, "a %s record carries its label in a header, and the spec names none in "+
			"records.label.header", d.schema.Format)
	default:
		return Rejectf(NoLabel, "header %q is missing", d.schema.LabelHeader)
	}
}

// checkLabel sets the label, to the class that it is a spelling of.
func (d *Decoder) checkLabel(label []byte, where place, dst *Training) error {
	if class, ok := d.schema.Labels[string(bytes.TrimSpace(label))]; ok {
		label = []byte(class)
	}
	label, bad := CheckLabel(label, d.isClass)
	if bad != nil {
		return bad.At(where)
	}
	dst.Label = dst.scratch.intern(label)
	return nil
}

// lastHeader returns the value of the last header with this name, as Kafka's own
// lastHeader does. An empty name finds nothing.
func lastHeader(headers []record.Header, name string) ([]byte, bool) {
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

// appendRecordID appends topic/partition/offset: the id of a record that names none, and the value
// of the header bayestream-source.
func appendRecordID(dst []byte, topic string, partition int, offset int64) []byte {
	dst = append(dst, topic...)
	dst = append(dst, '/')
	dst = strconv.AppendInt(dst, int64(partition), 10)
	dst = append(dst, '/')
	return strconv.AppendInt(dst, offset, 10)
}
