package dataset

import (
	"errors"
	"io"

	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// lineReader reads a document a line, with the decoder of Kafka records: JSON Lines, or text as it is.
type lineReader struct {
	options  Options
	file     string
	in       io.Closer
	lines    *wire.Lines
	decoder  *wire.Decoder
	format   string // wire.FormatJSON or wire.FormatText
	record   stream.Record
	training wire.Training
	document wire.Document
}

// newLines returns the reader of a file in wire.FormatJSON or wire.FormatText.
func newLines(o Options, format, file string, f io.ReadCloser) (Reader, error) {
	s := o.schema(format)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	lines, err := wire.NewLines(file, f, s.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return &lineReader{options: o, file: file, in: f, lines: lines, decoder: decoder, format: format}, nil
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
	rec.Value, rec.Format = line, r.format
	return nil
}

func (r *lineReader) decode(rec *Record) error {
	if r.format == wire.FormatText {
		return decodeWhole(r.decoder, &r.record, &r.document, &r.options, rec)
	}
	if r.options.Unlabelled || r.options.Label != "" {
		if err := r.decoder.Document(&r.record, &r.document); err != nil {
			return err
		}
		*rec = Record{ID: r.document.ID, Explicit: r.document.Explicit, Input: r.document.Input}
		return rec.setLabel(&r.options)
	}
	t := &r.training
	if err := r.decoder.Training(&r.record, t); err != nil {
		return err
	}
	if (t.Kind == wire.Forget || t.Ref != nil) && !r.options.Topic {
		return wire.Rejectf(wire.BadLabel, "a line of a file must carry a label and its document: null labels and refs are for the training topic")
	}
	*rec = Record{ID: t.ID, Explicit: t.Explicit, Input: t.Input, Label: t.Label, Weight: t.Weight}
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
