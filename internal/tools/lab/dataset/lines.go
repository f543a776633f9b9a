package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// values reads the documents of a file with the decoder of Kafka records.
type values struct {
	options  Options
	file     string
	from     splitter
	format   string // of the values, as package wire names it
	labelled bool   // a value is a label, a tab and the text
	decoder  *wire.Decoder
	record   stream.Record
	training wire.Training
	document wire.Document
}

// splitter cuts a file into values.
type splitter interface {
	// next returns the next value, which is valid until the next call, and the line where it begins. At
	// the end the error is io.EOF, else a *wire.LineError. After one that IsReject reports the next call
	// goes on behind the value; any other is final.
	next() (value []byte, line int64, err error)
}

// newValues returns the reader of a file whose values are in a format of package wire.
func newValues(o Options, format, file string, from splitter) (*values, error) {
	var err error
	if format != wire.FormatJSON && o.Spec.Text == nil {
		err = fmt.Errorf("record schema: format %s: the spec has no text block, but all that such a record carries is "+
			"text; use format json", format)
	}
	return &values{options: o, file: file, from: from, format: format, decoder: wire.NewDecoder(o.schema(format))}, err
}

// limit is how many bytes a value may have.
func (o Options) limit() int { return o.Spec.Limits.RecordBytes }

// lines are the lines of a file, which are values.
type lines struct{ *wire.Lines }

func (l lines) next() (value []byte, line int64, err error) {
	value, err = l.Next()
	return value, l.Number(), err
}

// newLines returns the reader of a file with a document a line, in the format JSONL, Text or Labelled.
func newLines(o Options, format, file string, in *bufio.Reader) (records, error) {
	inside := wire.FormatText
	if format == JSONL {
		inside = wire.FormatJSON
	}
	r, err := newValues(o, inside, file, lines{wire.NewLines(file, in, o.limit())})
	r.labelled = format == Labelled
	return r, err
}

func (r *values) Read(rec *Record) error {
	value, line, err := r.from.next()
	if err != nil {
		return err
	}
	if err := r.decode(value, rec); err != nil {
		return &wire.LineError{File: r.file, Line: line, Err: err}
	}
	rec.place(r.file, line)
	rec.Value, rec.Format = r.record.Value, r.format
	return nil
}

// decode sets rec to the document of a value.
func (r *values) decode(value []byte, rec *Record) error {
	r.record.Value = value
	switch {
	case r.labelled:
		return r.decodeLabelled(value, rec)
	case r.format == wire.FormatJSON:
		return r.decodeObject(rec)
	}
	return r.decodeWhole(r.options.Label, rec)
}

// decodeWhole sets rec to the document that is the whole value.
func (r *values) decodeWhole(label string, rec *Record) error {
	if err := r.decoder.Document(&r.record, &r.document); err != nil {
		return err
	}
	*rec = Record{Input: r.document.Input}
	return rec.setLabel(&r.options, label)
}

// decodeLabelled sets rec to the document of a line: a label, a tab, the text. Quotes are text.
func (r *values) decodeLabelled(line []byte, rec *Record) error {
	label, text, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		return wire.Rejectf(wire.BadRow, "there is no tab in the line; want a label, a tab and the text")
	}
	if !utf8.Valid(label) {
		return wire.Rejectf(wire.InvalidUTF8, "the label is not UTF-8 text")
	}
	r.record.Value = text
	return r.decodeWhole(cmp.Or(r.options.Label, string(label)), rec)
}

// decodeObject sets rec to the document of a JSON object.
func (r *values) decodeObject(rec *Record) error {
	o, in, doc, training := &r.options, &r.record, &r.document, &r.training
	if o.Unlabelled || o.Label != "" {
		read := r.decoder.Document
		if o.Label != "" {
			read = r.decoder.Learned
		}
		if err := read(in, doc); err != nil {
			return o.explainObject(err, in.Value)
		}
		*rec = Record{ID: doc.ID, Explicit: doc.Explicit, Input: doc.Input}
		return rec.setLabel(o, o.Label)
	}
	err := r.decoder.Training(in, training)
	reject, rejected := errors.AsType[*wire.Reject](err)
	if o.Mixed && rejected && reject.Reason == wire.NoLabel {
		if err = r.decoder.Document(in, doc); err == nil {
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

// objects are the objects of a JSON array, over however many lines it stands, or objects one after
// the other that take more than a line each.
type objects struct {
	file  string
	data  *bufio.Reader
	limit int // bytes of an object
	line  int64
	broke bool // the last byte was a line break
	at    position
	value []byte
	err   error // final
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

// EachObject calls f with each object of a JSON array, or of objects one after the other over
// several lines, until f returns false. An object is valid until the next. The error is a
// *wire.LineError.
func EachObject(file string, in *bufio.Reader, limit int, f func(line int64, object []byte) bool) error {
	r := &objects{file: file, data: in, limit: limit, line: 1}
	for {
		object, line, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !f(line, object):
			return nil
		}
	}
}

func (r *objects) next() (value []byte, line int64, err error) {
	if r.err != nil {
		return nil, 0, r.err
	}
	c, err := r.between()
	if err != nil {
		return nil, 0, err
	}
	if c != '{' {
		return nil, 0, r.bad(fmt.Errorf("here begins %q: want an object, in braces", c))
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
			return nil, 0, &wire.LineError{File: r.file, Line: line,
				Err: wire.Rejectf(wire.TooLarge, "the object has more than %d bytes, the limit", r.limit)}
		}
		if depth == 0 {
			return r.value, line, nil
		}
	}
	return nil, 0, r.cut(err)
}

// between reads up to the first byte of the next value.
func (r *objects) between() (byte, error) {
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
func (r *objects) byte() (byte, error) {
	if r.broke {
		r.line++
	}
	c, err := r.data.ReadByte()
	r.broke = c == '\n' && err == nil
	return c, err
}

// cut returns the error of data that ends, or cannot be read, where it should go on.
func (r *objects) cut(err error) error {
	if errors.Is(err, io.EOF) {
		return r.bad(errors.New("the array or the object is not closed: the file is cut off"))
	}
	return r.bad(wire.Unreadable(err))
}

// bad returns a final error at the line.
func (r *objects) bad(err error) error {
	r.err = &wire.LineError{File: r.file, Line: r.line, Err: err}
	return r.err
}
