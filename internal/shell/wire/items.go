package wire

import (
	"fmt"
	"io"
	"strconv"

	"bayestream/internal/shell/record"
)

// An Item is one labelled text of a JSON Lines file. Its strings are copies.
type Item struct {
	ID    string // the id field, else file:line
	Label string
	Text  string
	Line  int64
}

// Items reads the labelled texts of a JSON Lines file, gzip or not.
type Items struct {
	lines    *Lines
	decoder  *Decoder
	training Training
}

// NewItems reads from r by the decoder's schema, which must have the format json and
// a text; file is the name in errors and ids.
func NewItems(file string, r io.Reader, d *Decoder) (*Items, error) {
	if d.schema.Format != FormatJSON || !d.schema.HasText {
		return nil, fmt.Errorf("%s: labelled texts are read from JSON with a text field, not by a schema of format %s", file,
			d.schema.Format)
	}
	lines, err := NewLines(file, r, d.schema.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return &Items{lines: lines, decoder: d}, nil
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
