package schema

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// ContainerMagic is what an Avro object container begins with.
const ContainerMagic = "Obj\x01"

// Container returns the records of an Avro object container as JSON Lines.
func Container(in io.Reader) (io.Reader, error) {
	tagged := []avro.Opt{avro.TaggedUnions(), avro.TagLogicalTypes()} // so that a value is encoded as it was
	r, err := ocf.NewReader(in, ocf.WithSchemaOpts(lax), ocf.WithDecodeOpts(tagged...))
	if err != nil {
		return nil, fmt.Errorf("the Avro file cannot be read: %w", err)
	}
	format, err := newAvro(&text{Schema: r.Schema().String()})
	if err != nil {
		return nil, err
	}
	var body []byte
	return &lines{next: func(dst []byte) ([]byte, error) {
		var value any
		if err := r.Decode(&value); err != nil {
			return nil, err
		}
		if body, err = r.Schema().AppendEncode(body[:0], value, tagged...); err != nil {
			return nil, err
		}
		return format.json(dst, nil, body)
	}}, nil
}

// Values returns the values of a file that has nothing but values, as JSON Lines. The schema is in
// a file of its own: Avro (.avsc), whose values follow each other, or Protobuf (.proto), where each
// message, of the type that comes first, stands behind its length.
func Values(schema string, in io.Reader) (io.Reader, error) {
	source, err := os.ReadFile(schema)
	if err != nil {
		return nil, err
	}
	t := &text{Schema: string(source)}
	data := bufio.NewReaderSize(in, windowBytes)
	switch filepath.Ext(schema) {
	case ".avsc":
		t.Type = "AVRO"
	case ".proto":
		t.Type = "PROTOBUF"
	default:
		return nil, fmt.Errorf("%s: want an Avro schema (.avsc) or a Protobuf file (.proto)", schema)
	}
	format, err := formatOf(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", schema, err)
	}
	if f, isAvro := format.(avroFormat); isAvro {
		return &lines{next: func(dst []byte) ([]byte, error) { return f.next(dst, data) }}, nil
	}
	return &lines{next: func(dst []byte) ([]byte, error) { return nextMessage(dst, format, data) }}, nil
}

// windowBytes is the size of the largest value in a file.
const windowBytes = 16 << 20

// next reads the next value of a file, which says nowhere how long it is.
func (f avroFormat) next(dst []byte, in *bufio.Reader) ([]byte, error) {
	for n := 1 << 12; ; n *= 2 {
		window, end := in.Peek(n)
		if len(window) == 0 {
			return nil, end
		}
		r := avroReader{rest: window, out: dst}
		err := r.value(f.root, 0)
		switch {
		case err == nil && len(r.rest) == len(window):
			return nil, errors.New("its values take no bytes")
		case err == nil:
			_, err = in.Discard(len(window) - len(r.rest))
			return r.out, err
		case !errors.Is(err, errShort):
			return nil, err
		case end != nil:
			return nil, cutOff(end)
		}
	}
}

// cutOff returns why a value has no end.
func cutOff(end error) error {
	switch {
	case errors.Is(end, io.EOF):
		return errShort
	case errors.Is(end, bufio.ErrBufferFull):
		return fmt.Errorf("a value has more than %d bytes", windowBytes)
	}
	return fmt.Errorf("%w: %w", errShort, end)
}

func nextMessage(dst []byte, format format, in *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	if n > windowBytes {
		return nil, fmt.Errorf("a message has %d bytes, more than %d", n, windowBytes)
	}
	body, err := in.Peek(int(n))
	if err != nil {
		return nil, cutOff(err)
	}
	dst, err = format.json(dst, []byte{0}, body)
	if err == nil {
		_, err = in.Discard(int(n))
	}
	return dst, err
}

// lines is a reader of JSON Lines, made of values one by one.
type lines struct {
	next func(dst []byte) ([]byte, error) // of the next value; io.EOF: there is none
	line []byte
	rest []byte // of line
	err  error
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 && l.err == nil {
		line, err := l.next(l.line[:0])
		if err == nil {
			l.line = append(line, '\n')
		}
		l.rest, l.err = l.line, err
		if err != nil {
			l.rest = nil
		}
	}
	if len(l.rest) == 0 {
		return 0, l.err
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
