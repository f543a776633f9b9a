package codec

import (
	"cmp"
	"errors"
	"fmt"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/logpb"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Format is the version of the log and of the model file that this program reads and writes.
const Format = 6

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

// wireMessage is what a message may hold on the wire.
type wireMessage struct {
	name   string
	fields []wireField // by number
}

// wireField is a field of a message; one that does not exist has no form.
type wireField struct {
	forms   uint8        // bits, by wire type
	message *wireMessage // nil: it holds none
}

// A record of the log, a range within one, and the changes of a ledger, as this version knows them.
var (
	wireMessages = map[protoreflect.FullName]*wireMessage{}
	wireRecord   = wireMessageOf((*logpb.Record)(nil).ProtoReflect().Descriptor(), wireMessages)
	wireRange    = wireMessageOf((*logpb.Range)(nil).ProtoReflect().Descriptor(), wireMessages)
	wireLedger   = wireMessageOf((*logpb.LedgerChanges)(nil).ProtoReflect().Descriptor(), wireMessages)
)

func wireMessageOf(d protoreflect.MessageDescriptor, found map[protoreflect.FullName]*wireMessage) *wireMessage {
	if m := found[d.FullName()]; m != nil {
		return m
	}
	m := &wireMessage{name: string(d.Name())}
	found[d.FullName()] = m
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		for int(f.Number()) >= len(m.fields) {
			m.fields = append(m.fields, wireField{})
		}
		field := wireField{forms: 1 << wireType(f.Kind())}
		if f.IsList() {
			field.forms |= 1 << protowire.BytesType // packed
		}
		if f.Message() != nil {
			field.message = wireMessageOf(f.Message(), found)
		}
		m.fields[f.Number()] = field
	}
	return m
}

func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	}
	return protowire.VarintType
}

// wireLook is what a look at an encoded message has shown. It needs no reflection, which took a fifth
// of the time in which a record was read.
type wireLook struct {
	unknown string // the name of the first message, at any depth, with a field that this version does not know
	ranges  int    // of a delta
}

// look looks at an encoded message. What cannot be read is left to who reads it.
func (l *wireLook) look(m *wireMessage, value []byte) {
	for len(value) > 0 {
		number, form, n := protowire.ConsumeTag(value)
		if n < 0 {
			return
		}
		value = value[n:]
		n = protowire.ConsumeFieldValue(number, form, value)
		switch {
		case n < 0:
			return
		case int(number) >= len(m.fields) || m.fields[number].forms&(1<<form) == 0:
			l.unknown = cmp.Or(l.unknown, m.name)
		case m.fields[number].message == wireRange:
			l.ranges++
			fallthrough
		case m.fields[number].message != nil:
			held, _ := protowire.ConsumeBytes(value)
			l.look(m.fields[number].message, held)
		}
		value = value[n:]
	}
}

// leastRange is how many bytes a record has at least for each range of a delta: in memory a range
// takes hundreds.
const leastRange = 16

// parse reads a record that may be hostile. unknown says what it has that this version does not know, ""
// if that is nothing: a count in such a field would be left out.
func parse(value []byte, r *logpb.Record) (unknown string, err error) {
	var l wireLook
	l.look(wireRecord, value)
	if leastRange*l.ranges > len(value) {
		return "", errors.New("a delta has more ranges than bytes for them")
	}
	if err := proto.Unmarshal(value, r); err != nil {
		return "", err
	}
	for _, of := range r.GetDelta().GetRanges() {
		l.look(wireLedger, of.GetLedger().GetChanges())
	}
	switch {
	case l.unknown == "":
		return "", nil
	case r.Kind == nil:
		return "a kind", nil
	}
	return "a field in its " + l.unknown, nil
}

// Bound returns an upper bound of the bytes that a delta of that size takes in the log, besides its
// skipped offsets and changes of the ledger.
func Bound(s model.Size) int {
	const (
		corrections = 8 // of each: a class, and a signed count of the documents of a delta

		// of the record: format, log, source, range, fingerprint, era, spec, anchor, digest, the frame of
		// the ledger
		frame    = 224
		tables   = 56 // of each: kind and number, tags and lengths of six fields
		blocks   = 8  // of each: tag and length
		classes  = 16 // of each, besides its name: its documents, tag and length
		terms    = 8  // of each, besides its bytes: its length and the number of its cells
		cells    = 11 // of each: a class and a signed count of 48 bits
		sums     = 8  // of each: tag and length
		rows     = 10 // of each field: a varint
		integers = 25 // of each: 192 bits and a sign
	)
	return frame + tables*s.Tables + blocks*s.Blocks + classes*s.Classes + s.Bytes + terms*s.Terms + cells*s.Cells +
		sums*s.Sums + rows*s.Fields + integers*s.Integers + corrections*s.Corrections
}

// LargestChange is an upper bound of the bytes that a change of the ledger takes in a delta.
const LargestChange = 2048

// LargestText returns an upper bound of the bytes of a delta in which one text takes the place of
// another, both with as many terms as the limits allow.
func LargestText(s *spec.Spec) int {
	l := &s.Limits
	const sizeBytes = 41 // of the two ends of a size
	const texts = 2
	terms := texts * (l.TermsPerDocument + spec.EdgeTables)
	sizes := texts * spec.ShapeTables
	size := model.Size{
		Tables: 1 + spec.TextTables, Classes: 2, Terms: terms + sizes, Cells: terms + sizes, Bytes: terms*l.TermBytes +
			sizes*sizeBytes + 2*counts.MaxClassBytes,
	}
	if s.Corrects() { // what the first one corrects is taken out; the other one corrects where there is room
		size.Classes++
		size.Bytes += counts.MaxClassBytes
		corrected := l.TermsPerDocument
		if s.Text.Characters { // which are not among the terms
			corrected = min(corrected, model.MaxWhole)
			size.Terms += corrected
			size.Bytes += corrected * spec.MaxRunBytes
		}
		size.Corrections += size.Classes + 2*corrected
	}
	return Bound(size) + LargestChange
}
