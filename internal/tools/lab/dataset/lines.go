package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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
	lines := wire.NewLines(file, in, s.MaxRecordBytes)
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
	err := d.Training(in, training)
	if o.Mixed && hasNoLabel(err) {
		if err = d.Document(in, doc); err == nil {
			*rec = Record{ID: doc.ID, Explicit: doc.Explicit, Input: doc.Input}
			return nil
		}
	}
	if err != nil {
		return o.explainObject(err, in.Value)
	}
	bare := training.Kind != wire.Learn || training.Ref != nil
	if bare && !o.Topic {
		return wire.Rejectf(wire.BadLabel, "a line of a file must carry its document: refs are for the training topic")
	}
	*rec = Record{ID: training.ID, Explicit: training.Explicit, Input: training.Input, Label: training.Label,
		Weight: training.Weight, Bare: bare}
	return nil
}

// hasNoLabel reports whether all that a record lacks is a label.
func hasNoLabel(err error) bool {
	var reject *wire.Reject
	return errors.As(err, &reject) && reject.Reason == wire.NoLabel
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

// objectReader reads the documents of a JSON array, over however many lines it stands.
type objectReader struct {
	options  Options
	file     string
	in       io.Closer
	data     *bufio.Reader
	decoder  *wire.Decoder
	limit    int // bytes of an object
	line     int64
	broke    bool // the last byte was a line break
	at       position
	value    []byte
	training wire.Training
	document wire.Document
	err      error // final
}

// position is where in the file the last value ended.
type position int

const (
	beforeAll position = iota
	inSequence
	afterBracket
	afterElement
	afterComma
	afterArray
)

// IsArray reports whether a file begins as an array, or with an object that its first line only
// opens.
func IsArray(in *bufio.Reader) bool {
	opened := false
	for n := 1; ; n++ {
		head, err := in.Peek(n) // an error shows at the next read
		if err != nil {
			return false
		}
		switch c := head[n-1]; {
		case opened && c == '\n', c == '[' && !opened:
			return true
		case c == '{' && !opened:
			opened = true
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			return false
		}
	}
}

// newObjects reads a JSON array, or objects one after the other that take more than a line each.
func newObjects(o Options, file string, in *bufio.Reader, f io.Closer) (Reader, error) {
	s := o.schema(wire.FormatJSON)
	decoder, err := wire.NewDecoder(s)
	if err != nil {
		return nil, err
	}
	return &objectReader{options: o, file: file, in: f, data: in, decoder: decoder, limit: s.MaxRecordBytes, line: 1}, nil
}

func (r *objectReader) Read(rec *Record) error {
	if r.err != nil {
		return r.err
	}
	line, err := r.next()
	if err != nil && !IsReject(err) {
		r.err = err
		return err
	}
	if err == nil {
		err = decodeObject(r.decoder, &stream.Record{Value: r.value}, &r.training, &r.document, &r.options, rec)
	}
	if err != nil {
		return &wire.LineError{File: r.file, Line: line, Err: err}
	}
	rec.place(r.file, line)
	rec.Value, rec.Format = r.value, wire.FormatJSON
	return nil
}

// EachObject calls f with each object of a JSON array, or of objects one after the other over
// several lines, until f returns false. An object is valid until the next. The error is a
// *wire.LineError.
func EachObject(file string, in *bufio.Reader, limit int, f func(line int64, object []byte) bool) error {
	r := &objectReader{file: file, data: in, limit: limit, line: 1}
	for {
		line, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case IsReject(err):
			return &wire.LineError{File: file, Line: line, Err: err}
		case err != nil:
			return err
		case !f(line, r.value):
			return nil
		}
	}
}

// next reads the next value, and returns the line where it begins. The error of one over the limit
// is a *wire.Reject, and the next call goes on behind it. At the end the error is io.EOF, else a
// *wire.LineError.
func (r *objectReader) next() (line int64, err error) {
	c, err := r.between()
	if err != nil {
		return 0, err
	}
	if c != '{' {
		return 0, r.bad(fmt.Errorf("here begins %q: want an object, in braces", c))
	}
	line = r.line
	r.value = r.value[:0]
	depth, inString, escaped := 0, false, false
	for ; err == nil; c, err = r.byte() {
		if len(r.value) <= r.limit {
			r.value = append(r.value, c)
		}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 && len(r.value) > r.limit {
			return line, wire.Rejectf(wire.TooLarge, "the object has more than %d bytes, the limit", r.limit)
		}
		if depth == 0 {
			return line, nil
		}
	}
	return 0, r.cut(err)
}

// between reads up to the first byte of the next value.
func (r *objectReader) between() (byte, error) {
	for {
		c, err := r.byte()
		switch {
		case errors.Is(err, io.EOF) && (r.at == beforeAll || r.at == inSequence || r.at == afterArray):
			return 0, io.EOF
		case err != nil:
			return 0, r.cut(err)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case r.at == beforeAll && c == '[':
			r.at = afterBracket
		case r.at == beforeAll || r.at == inSequence:
			r.at = inSequence
			return c, nil
		case (r.at == afterBracket || r.at == afterElement) && c == ']':
			r.at = afterArray
		case r.at == afterElement && c == ',':
			r.at = afterComma
		case r.at == afterBracket || r.at == afterComma:
			r.at = afterElement
			return c, nil
		case r.at == afterElement:
			return 0, r.bad(fmt.Errorf("after an object stands %q: want a comma, or the end of the array", c))
		default:
			return 0, r.bad(fmt.Errorf("after the array stands %q: want one array, or objects one after the other without "+
				"brackets around them", c))
		}
	}
}

// byte reads a byte and counts the lines.
func (r *objectReader) byte() (byte, error) {
	if r.broke {
		r.line++
	}
	c, err := r.data.ReadByte()
	r.broke = c == '\n' && err == nil
	return c, err
}

// cut returns the error of data that ends, or cannot be read, where it should go on.
func (r *objectReader) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return r.bad(errors.New("the array or the object is not closed: the file is cut off"))
	}
	return r.bad(wire.Unreadable(err))
}

// bad returns a final error at the line.
func (r *objectReader) bad(err error) error {
	return &wire.LineError{File: r.file, Line: r.line, Err: err}
}

func (r *objectReader) Close() error { return closeData(r.in) }
