package wire

import (
	"bufio"
	"fmt"
	"strconv"
	"unsafe"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
)

// scratch is the memory of one destination. Decoding does not allocate once it has grown.
type scratch struct {
	buf    []byte            // text that is not a part of the record
	reader jsonread.Reader   // of the record, then of an object in it
	fields fields            // of the record
	seen   []bool            // which features were met, as a name may stand twice
	labels map[string]string // copies of the labels met before

	eventID jsonread.Value // of a CloudEvent in structured mode
}

// reset empties the scratch but keeps its memory.
func (sc *scratch) reset() {
	sc.buf = sc.buf[:0]
	sc.eventID = nil
}

// maxInterned bounds the labels remembered. Usually there are few.
const maxInterned = 1024

// intern returns label as a string of its own.
func (sc *scratch) intern(label []byte) string {
	if s, ok := sc.labels[string(label)]; ok {
		return s
	}
	if sc.labels == nil || len(sc.labels) >= maxInterned {
		sc.labels = make(map[string]string)
	}
	s := string(label)
	sc.labels[s] = s
	return s
}

// unseen returns n cleared marks.
func (sc *scratch) unseen(n int) []bool {
	sc.seen = zeroed(sc.seen, n)
	return sc.seen
}

// zeroed returns n zero values, in the memory of dst if that is large enough.
func zeroed[T any](dst []T, n int) []T {
	if cap(dst) < n {
		return make([]T, n)
	}
	dst = dst[:n]
	clear(dst)
	return dst
}

// text returns the text of a JSON string: a part of v, or of the scratch if v has escapes.
func (sc *scratch) text(v jsonread.Value) []byte {
	text, buf := v.Text(sc.buf)
	sc.buf = buf
	return text
}

// recordID returns topic/partition/offset, in the memory of the scratch.
func (sc *scratch) recordID(topic string, partition int, offset int64) []byte {
	start := len(sc.buf)
	sc.buf = appendRecordID(sc.buf, topic, partition, offset)
	return sc.buf[start:len(sc.buf):len(sc.buf)]
}

// view returns b as a string without a copy: it changes when b does.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// An Item is one labelled text of a JSON Lines file. Its strings are copies.
type Item struct {
	ID    string // the id field, else file:line
	Label string
	Text  string
	Line  int64
}

// Items reads the labelled texts of JSON Lines.
type Items struct {
	lines    *Lines
	decoder  *Decoder
	training Training
}

// NewItems reads from in, which is unpacked, by the decoder's schema, which must have the format
// json and a text; file is the name in errors and ids.
func NewItems(file string, in *bufio.Reader, d *Decoder) (*Items, error) {
	if d.schema.Format != FormatJSON || !d.schema.HasText {
		return nil, fmt.Errorf("%s: labelled texts are read from JSON with a text field, not by a schema of format %s", file,
			d.schema.Format)
	}
	return &Items{lines: NewLines(file, in, d.schema.MaxRecordBytes), decoder: d}, nil
}

// Next reads the next item into dst. At the end the error is io.EOF. Any other is a
// *LineError; if it wraps a *Reject, the next call continues with the next line.
func (it *Items) Next(dst *Item) error {
	line, err := it.lines.Next()
	if err != nil {
		return err
	}
	t := &it.training
	if err := it.decoder.learnLine(line, t); err != nil {
		return &LineError{File: it.lines.file, Line: it.lines.Number(), Err: err}
	}
	*dst = Item{ID: t.ID, Label: t.Label, Text: string(t.Input.Segments[0].Text), Line: it.lines.Number()}
	if !t.Explicit {
		dst.ID = it.lines.file + ":" + strconv.FormatInt(dst.Line, 10)
	}
	return nil
}

// learnLine decodes a line that must hold a labelled text of its own.
func (d *Decoder) learnLine(line []byte, dst *Training) error {
	dst.reset()
	if err := d.readTraining(&record.Record{Value: line}, dst); err != nil {
		return err
	}
	if dst.Kind == Forget {
		return Rejectf(BadLabel, "field %q is null; a line of a file has nothing to forget", d.schema.LabelField)
	}
	if dst.Ref != nil {
		return Rejectf(BadRef, "a line of a file must hold its document itself")
	}
	return nil
}

// AppendTraining appends the value of a training record: id, label and text.
func AppendTraining(dst []byte, id, label, text string) []byte {
	dst = appendString(append(dst, `{"id":`...), id)
	dst = appendString(append(dst, `,"label":`...), label)
	dst = appendString(append(dst, `,"text":`...), text)
	return append(dst, '}')
}

// AppendDocument appends the value of a document record: id and text.
func AppendDocument(dst []byte, id, text string) []byte {
	dst = appendString(append(dst, `{"id":`...), id)
	dst = appendString(append(dst, `,"text":`...), text)
	return append(dst, '}')
}
