package dataset

import (
	"io"

	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// textReader reads one document per line.
type textReader struct {
	options  Options
	file     string
	in       io.Closer
	lines    *wire.Lines
	decoder  *wire.Decoder
	record   stream.Record
	document wire.Document
}

func newText(o Options, file string, f io.ReadCloser) (Reader, error) {
	s := o.schema(wire.FormatText)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	lines, err := wire.NewLines(file, f, s.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return &textReader{options: o, file: file, in: f, lines: lines, decoder: decoder}, nil
}

func (r *textReader) Read(rec *Record) error {
	line, err := r.lines.Next()
	if err != nil {
		return err
	}
	r.record.Value = line
	if err := decodeWhole(r.decoder, &r.record, &r.document, &r.options, rec); err != nil {
		return &wire.LineError{File: r.file, Line: r.lines.Number(), Err: err}
	}
	rec.place(r.file, r.lines.Number())
	return nil
}

func (r *textReader) Close() error { return closeData(r.in) }

// decodeWhole sets rec to the document that is the whole value of a record.
func decodeWhole(d *wire.Decoder, in *stream.Record, doc *wire.Document, o *Options, rec *Record) error {
	if err := d.Document(in, doc); err != nil {
		return err
	}
	*rec = Record{Input: doc.Input}
	return rec.setLabel(o)
}
