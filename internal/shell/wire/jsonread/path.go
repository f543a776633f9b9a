package jsonread

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"
)

// LookUp returns the value at a path in gjson's syntax, which users write into their settings and
// jsontext does not have. The object must be valid. The result of a modifier need not be JSON; then
// the value is missing.
func LookUp(object []byte, path string) Value {
	found := bytes.TrimSpace([]byte(gjson.GetBytes(object, path).Raw))
	if !Valid(found) {
		return nil
	}
	return found
}

// syntax are the characters that mean something in gjson's paths, except the dot between names.
const syntax = `|#@*?\!{}[]`

// IsPath reports whether a field is a path in gjson's syntax and not the plain name of a member.
func IsPath(field string) bool { return strings.ContainsAny(field, "."+syntax) }

// A Path is a path in gjson's syntax, ready to be looked up in many objects.
type Path struct {
	text  string
	names []string // of members, from the outermost on; nil: only gjson can tell what it means
}

// NewPath returns the path that a text says.
func NewPath(text string) Path {
	p := Path{text: text}
	if strings.ContainsAny(text, syntax) {
		return p
	}
	names := strings.Split(text, ".")
	for _, name := range names {
		if strings.Trim(name, "0123456789") == "" { // an index of an array
			return p
		}
	}
	p.names = names
	return p
}

// String returns the path as it was given.
func (p Path) String() string { return p.text }

// Find returns the value at the path, as LookUp does. Where the path is names and dots it is a part
// of the object and costs no memory. The Reader is left anywhere.
func (p Path) Find(r *Reader, object []byte) Value {
	if p.names == nil {
		return LookUp(object, p.text)
	}
	at := Value(object)
	for i, name := range p.names {
		if i > 0 && !at.IsObject() {
			return nil
		}
		at = r.member(at, name)
	}
	return at
}

// member returns the value of the first member of a valid object with that name.
func (r *Reader) member(object []byte, name string) Value {
	for r.Reset(object); r.Next(); {
		if string(r.Name()) == name {
			return r.Value()
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
