package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// lineReader reads a document a line, with the decoder of Kafka records: JSON Lines, or text as it
// is.
type lineReader struct {
	options  Options
	file     string
	in       io.Closer
	lines    *wire.Lines
	decoder  *wire.Decoder
	format   string // JSONL, Text or Labelled
	inside   string // wire.FormatJSON or wire.FormatText
	record   stream.Record
	training wire.Training
	document wire.Document
}

// newLines returns the reader of a file in the format JSONL, Text or Labelled.
func newLines(o Options, format, file string, in *bufio.Reader, f io.Closer) (Reader, error) {
	inside := wire.FormatText
	if format == JSONL {
		inside = wire.FormatJSON
	}
	s := o.schema(inside)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	lines, err := wire.NewLines(file, in, s.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return &lineReader{options: o, file: file, in: f, lines: lines, decoder: decoder, format: format, inside: inside}, nil
}

func (r *lineReader) Read(rec *Record) error {
	line, err := r.lines.Next()
	if err != nil {
		return err
	}
	r.record.Value = line
	if err := r.decode(rec); err != nil {
		return &wire.LineError{File: r.file, Line: r.lines.Number(), Err: err}
	}
	rec.place(r.file, r.lines.Number())
	rec.Value, rec.Format = r.record.Value, r.inside
	return nil
}

func (r *lineReader) decode(rec *Record) error {
	switch r.format {
	case Text:
		return decodeWhole(r.decoder, &r.record, &r.document, &r.options, rec)
	case Labelled:
		return r.decodeLabelled(rec)
	}
	return decodeObject(r.decoder, &r.record, &r.training, &r.document, &r.options, rec)
}

// decodeLabelled sets rec to the document of a line: a label, a tab, the text. Quotes are text.
func (r *lineReader) decodeLabelled(rec *Record) error {
	label, text, ok := bytes.Cut(r.record.Value, []byte("\t"))
	if !ok {
		return wire.Rejectf(wire.BadRow, "there is no tab in the line; want a label, a tab and the text")
	}
	o := r.options
	if o.Label == "" {
		o.Label = string(label)
	}
	r.record.Value = text
	if !utf8.Valid(label) {
		return wire.Rejectf(wire.InvalidUTF8, "the label is not UTF-8 text")
	}
	return decodeWhole(r.decoder, &r.record, &r.document, &o, rec)
}

// decodeObject sets rec to the document of a JSON object.
func decodeObject(d *wire.Decoder, in *stream.Record, training *wire.Training, doc *wire.Document, o *Options,
	rec *Record) error {
	if o.Unlabelled || o.Label != "" {
		read := d.Document
		if o.Label != "" {
			read = d.Learned
		}
		if err := read(in, doc); err != nil {
			return o.explainObject(err, in.Value)
		}
		*rec = Record{ID: doc.ID, Explicit: doc.Explicit, Input: doc.Input}
		return rec.setLabel(o)
	}
	if err := d.Training(in, training); err != nil {
		return o.explainObject(err, in.Value)
	}
	bare := training.Kind != wire.Learn || training.Ref != nil
	if bare && !o.Topic {
		return wire.Rejectf(wire.BadLabel, "a line of a file must carry a label and its "+
			"document: null labels and refs are for the training topic")
	}
	*rec = Record{ID: training.ID, Explicit: training.Explicit, Input: training.Input, Label: training.Label,
		Weight: training.Weight, Bare: bare}
	return nil
}

func (r *lineReader) Close() error { return closeData(r.in) }

func closeData(c io.Closer) error {
	if err := c.Close(); err != nil {
		return errors.Join(errors.New("close data"), err)
	}
	return nil
}

// decodeWhole sets rec to the document that is the whole value of a record.
func decodeWhole(d *wire.Decoder, in *stream.Record, doc *wire.Document, o *Options, rec *Record) error {
	if err := d.Document(in, doc); err != nil {
		return err
	}
	*rec = Record{Input: doc.Input}
	return rec.setLabel(o)
}
