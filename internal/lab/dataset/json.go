package dataset

import (
	"errors"
	"io"

	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// jsonReader reads JSON Lines with the decoder of Kafka records.
type jsonReader struct {
	options  Options
	file     string
	in       io.Closer
	lines    *wire.Lines
	decoder  *wire.Decoder
	record   stream.Record
	training wire.Training
	document wire.Document
}

func newJSON(o Options, file string, f io.ReadCloser) (Reader, error) {
	s := o.schema(wire.FormatJSON)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	lines, err := wire.NewLines(file, f, s.MaxRecordBytes)
	if err != nil {
		return nil, err
	}
	return &jsonReader{options: o, file: file, in: f, lines: lines, decoder: decoder}, nil
}

func (r *jsonReader) Read(rec *Record) error {
	line, err := r.lines.Next()
	if err != nil {
		return err
	}
	r.record.Value = line
	if err := r.decode(rec); err != nil {
		return &wire.LineError{File: r.file, Line: r.lines.Number(), Err: err}
	}
	rec.place(r.file, r.lines.Number())
	return nil
}

func (r *jsonReader) decode(rec *Record) error {
	if r.options.Unlabelled || r.options.Label != "" {
		if err := r.decoder.Document(&r.record, &r.document); err != nil {
			return err
		}
		*rec = Record{ID: r.document.ID, Explicit: r.document.Explicit, Input: r.document.Input, Label: r.options.Label, Weight: 1}
		return nil
	}
	t := &r.training
	if err := r.decoder.Training(&r.record, t); err != nil {
		return err
	}
	if t.Kind == wire.Forget || t.Ref != nil {
		return wire.Rejectf(wire.BadLabel, "a line of a file must carry a label and its document: null labels and refs are for the training topic")
	}
	*rec = Record{ID: t.ID, Explicit: t.Explicit, Input: t.Input, Label: t.Label, Weight: t.Weight}
	return nil
}

func (r *jsonReader) Close() error { return closeData(r.in) }

func closeData(c io.Closer) error {
	if err := c.Close(); err != nil {
		return errors.Join(errors.New("close data"), err)
	}
	return nil
}
