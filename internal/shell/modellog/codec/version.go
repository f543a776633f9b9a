package codec

import (
	"errors"
	"fmt"

	"bayestream/internal/shell/modellog/logpb"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Format is the version of the log and of the model file that this program reads and writes.
const Format = 3

// NewerError says that a record of the log was written by a later version of the program, or
// damaged so that it looks like one. Passing over it could make this replica differ from the
// others, so it stops.
type NewerError struct {
	Offset int64
	What   string // what this version does not know
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("the record at offset %d of the model log has %s that this version does not know: upgrade it, "+
		"or, if the record is wrong, "+
		"take it out with bayestream log --void %d", e.Offset, e.What, e.Offset)
}

// FormatError says that a log or a model file was written in an earlier format.
type FormatError struct {
	What   string // "the model topic" or "the model file"
	Format uint32
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s was written in format %d, this program writes format %d: count again into a new model topic, "+
		"or export with the old program and import", e.What, e.Format, Format)
}

// RevisionError says that the counts of a log, a model file or an export were made with another
// tokenizer.
type RevisionError struct{ Counts, Program uint32 }

func (e *RevisionError) Error() string {
	return fmt.Sprintf("it was counted with tokenizer revision %d, this program has revision "+
		"%d: run the version that counted it, "+
		"or count again into a new model topic or file (docs/tokenizer.md says how)", e.Counts, e.Program)
}

// marshal returns the bytes of a record, the same for equal records.
func marshal(r *logpb.Record) ([]byte, error) {
	r.Format = Format
	return proto.MarshalOptions{Deterministic: true}.Marshal(r)
}

// checkFormat reads the format of a record. The error is a *NewerError for a later one, and a
// *FormatError for an earlier one. Format 1 had no number but a spec or a delta as field 1 or 2.
func checkFormat(value []byte, offset int64) error {
	number, kind, n := protowire.ConsumeTag(value)
	switch {
	case n < 0:
		return errors.New("the record is no protobuf message")
	case number <= 2 && kind == protowire.BytesType:
		return &FormatError{What: "the model topic", Format: 1}
	case number != 1 || kind != protowire.VarintType:
		return errNoFormat
	}
	format, n := protowire.ConsumeVarint(value[n:])
	switch {
	case n < 0 || format == 0:
		return errNoFormat
	case format < Format:
		return &FormatError{What: "the model topic", Format: uint32(format)}
	case format > Format:
		return &NewerError{Offset: offset, What: fmt.Sprintf("a format (%d)", format)}
	}
	return nil
}

var errNoFormat = errors.New("the record has no format")

// unknown says what a record has that this version does not know, at any depth; "" if it knows all:
// a count in such a field would be left out.
func unknown(r *logpb.Record) string {
	if r.Kind == nil && len(r.ProtoReflect().GetUnknown()) > 0 {
		return "a kind"
	}
	if name := unknownField(r.ProtoReflect()); name != "" {
		return "a field in its " + name
	}
	if n := len(r.GetDelta().GetRanges()); n > 1 {
		return fmt.Sprintf("a delta of %d ranges", n)
	}
	changes, err := ledgerChanges(r.GetDelta().GetLedger())
	if err == nil && unknownField(changes.ProtoReflect()) != "" {
		return "a field in its LedgerChanges"
	}
	return ""
}

// unknownField returns the name of the first message with a field that this version does not know,
// "" if there is none.
func unknownField(m protoreflect.Message) string {
	if len(m.GetUnknown()) > 0 {
		return string(m.Descriptor().Name())
	}
	for _, f := range nested[m.Descriptor()] {
		if !m.Has(f) {
			continue
		}
		if name := unknownIn(f, m.Get(f)); name != "" {
			return name
		}
	}
	return ""
}

// nested are the fields that hold messages, by the message that has them, of all that a record may
// have.
var nested = nestedIn((*logpb.LedgerChanges)(nil).ProtoReflect().Descriptor(),
	nestedIn((*logpb.Record)(nil).ProtoReflect().Descriptor(),
		map[protoreflect.MessageDescriptor][]protoreflect.FieldDescriptor{}))

func nestedIn(d protoreflect.MessageDescriptor,
	found map[protoreflect.MessageDescriptor][]protoreflect.FieldDescriptor,
) map[protoreflect.MessageDescriptor][]protoreflect.FieldDescriptor {
	if _, known := found[d]; known {
		return found
	}
	found[d] = nil
	for i := range d.Fields().Len() {
		if f := d.Fields().Get(i); f.Message() != nil {
			found[d] = append(found[d], f)
			nestedIn(f.Message(), found)
		}
	}
	return found
}

// unknownIn is unknownField for what a field holds: a message or a list of messages.
func unknownIn(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	if !f.IsList() {
		return unknownField(v.Message())
	}
	for i := range v.List().Len() {
		if name := unknownField(v.List().Get(i).Message()); name != "" {
			return name
		}
	}
	return ""
}
