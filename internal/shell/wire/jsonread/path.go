package jsonread

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Path leads to a value in an object: names of members with dots between them, and in an array
// the index of an element, from 0. A backslash makes the next character a part of the name.
type Path struct {
	text  string
	steps []step // from the outermost on
}

// step is one name of a path.
type step struct {
	name  string
	index int // of an element of an array; -1: the name is none
}

// IsPath reports whether a field is a path and not the plain name of a member.
func IsPath(field string) bool { return strings.ContainsAny(field, `.\`) }

// NewPath returns the path that a text says.
func NewPath(text string) Path {
	p := Path{text: text}
	for _, name := range SplitPath(text) {
		index, err := strconv.ParseUint(name, 10, 31)
		if err != nil {
			p.steps = append(p.steps, step{name, -1})
		} else {
			p.steps = append(p.steps, step{name, int(index)})
		}
	}
	return p
}

// SplitPath returns the names in a path.
func SplitPath(path string) (names []string) {
	var name strings.Builder
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '\\' && i+1 < len(path):
			i++
			name.WriteByte(path[i])
		case path[i] == '.':
			names = append(names, name.String())
			name.Reset()
		default:
			name.WriteByte(path[i])
		}
	}
	return append(names, name.String())
}

// String returns the path as it was given.
func (p Path) String() string { return p.text }

// Find returns the value at the path, a part of the valid object, or nil. The Reader is left
// anywhere.
func (p Path) Find(r *Reader, object []byte) Value {
	at := Value(object)
	for i, step := range p.steps {
		switch {
		case i == 0 || at.IsObject():
			at = r.Member(at, step.name)
		case at.IsArray() && step.index >= 0:
			at = r.element(at, step.index)
		default:
			return nil
		}
	}
	return at
}

// Member returns the value of the first member of a valid object with that name, nil if there is none.
func (r *Reader) Member(object []byte, name string) Value {
	for r.Reset(object); r.Next(); {
		if string(r.Name()) == name {
			return r.Value()
		}
	}
	return nil
}

// element returns the value of an element of a valid array, nil if it has fewer.
func (r *Reader) element(array []byte, index int) Value {
	r.open(array)
	for ; r.decoder.PeekKind() != ']'; index-- {
		if value, _ := r.read(); index == 0 {
			return value
		}
	}
	return nil
}

// AppendWith appends a valid object to dst in which the member of a name has a value, which is the
// last member, and nil takes it out. All other bytes stay as they are, except a comma beside a
// member of that name which was there before. key is the name as a JSON string. The Reader is left
// anywhere.
func (r *Reader) AppendWith(dst, object []byte, name string, key []byte, value Value) []byte {
	from := 0 // what is before it is in dst
	kept := 0 // members
	for r.Reset(object); r.Next(); {
		start, end := r.At()
		if string(r.Name()) != name {
			kept++
			continue
		}
		if kept == 0 {
			end = behindComma(object, end)
		} else {
			start = beforeComma(object, start)
		}
		dst = append(dst, object[from:start]...)
		from = end
	}
	brace := bytes.LastIndexByte(object, '}')
	dst = append(dst, object[from:brace]...)
	if value != nil {
		if kept > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, key...), ':')
		dst = append(dst, value...)
	}
	return append(dst, object[brace:]...)
}

// behindComma returns the offset behind the comma that follows a member of an object, or the offset
// itself behind the last.
func behindComma(object []byte, at int) int {
	rest := bytes.TrimLeft(object[at:], space)
	if rest[0] == ',' {
		return len(object) - len(rest) + 1
	}
	return at
}

// beforeComma returns the offset of the comma before a member of an object.
func beforeComma(object []byte, at int) int { return len(bytes.TrimRight(object[:at], space)) - 1 }

// space is the white space of JSON.
const space = " \t\r\n"

// Decode reads one JSON value into the Go value that dst points to, as encoding/json/v2 does. Names
// that the Go value does not have are left out.
func Decode(value []byte, dst any) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(value), options...)
	if err := json.UnmarshalDecode(d, dst); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return nil
}

// Valid reports whether value is one valid JSON value.
func Valid(value []byte) bool {
	return jsontext.Value(value).IsValid(options...)
}

// IsTooDeep reports whether a value nests deeper than MaxDepth.
func IsTooDeep(value []byte) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(value), options...)
	for {
		if _, err := d.ReadToken(); err != nil {
			return d.StackDepth() == MaxDepth
		}
	}
}
