// Package jsonread reads JSON objects member by member. All JSON that comes from outside is read
// here: records, the bodies of requests, decisions.
//
// The rules are RFC 8259's, checked by jsontext, which Go's own encoding/json/v2 uses:
//
//   - The value is one object; nothing but white space may be around it.
//   - Objects and arrays nest to at most MaxDepth.
//   - A name may appear twice: the Reader returns both members, and its users take the first.
//   - An escape that is half of a surrogate pair (\ud800) is valid and reads as U+FFFD, as in
//     encoding/json.
//   - Invalid UTF-8 is not looked for. The caller checks the raw bytes, and can tell the offset.
package jsonread

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep objects and arrays nest at most: jsontext's own limit.
const MaxDepth = 10000

// options make jsontext accept what the rules of this package accept.
var options = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// errNotObject is the error of a value that is not one object.
var errNotObject = errors.New("not an object")

// A Reader reads one object after the other and reuses its memory. The zero value is ready for
// Reset.
//
//	for r.Reset(value); r.Next(); {
//		use(r.Name(), r.Value())
//	}
//	if r.Err() != nil {
type Reader struct {
	decoder jsontext.Decoder
	source  bytes.Buffer // of the decoder, which reads its bytes without a copy
	object  []byte
	name    []byte
	start   int    // of the member in the object
	text    []byte // memory for names with escapes
	value   Value
	err     error
}

// Reset starts to read an object.
func (r *Reader) Reset(object []byte) {
	if kind := r.open(object); r.err == io.EOF || r.err == nil && kind != '{' {
		r.err = errNotObject
	}
}

// open reads the first token of a value, and returns its kind.
func (r *Reader) open(value []byte) jsontext.Kind {
	r.object = value
	r.source = *bytes.NewBuffer(value)
	r.decoder.Reset(&r.source, options...)
	var token jsontext.Token
	token, r.err = r.decoder.ReadToken()
	return token.Kind()
}

// Next moves to the next member. It returns false at the end of the object and at an error, which
// Err returns.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	if r.decoder.PeekKind() == '}' {
		r.err = r.end()
		return false
	}
	var name Value
	name, r.err = r.read()
	if r.err != nil {
		return false
	}
	r.start = int(r.decoder.InputOffset()) - len(name)
	r.name, r.text = name.Text(r.text[:0])
	r.value, r.err = r.read()
	return r.err == nil
}

// read reads one value as it is in the object.
func (r *Reader) read() (Value, error) {
	v, err := r.decoder.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(r.decoder.InputOffset())
	return r.object[end-len(v) : end : end], nil
}

// end returns io.EOF if nothing follows the object.
func (r *Reader) end() error {
	_, err := r.decoder.ReadToken()
	if err != nil {
		return err
	}
	_, err = r.decoder.ReadToken()
	if err == nil {
		err = errNotObject
	}
	return err
}

// Name returns the name of the member, unescaped. It is valid until the next call of Next or Reset.
func (r *Reader) Name() []byte { return r.name }

// Value returns the value of the member, a part of the object.
func (r *Reader) Value() Value { return r.value }

// At returns where the member is in the object, from the quote before its name to the end of
// its value.
func (r *Reader) At() (start, end int) { return r.start, int(r.decoder.InputOffset()) }

// Err returns why Next returned false: nil if what was read is one valid object.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Members sets values to those of the members of an object with these names, nil if there is none. Err
// returns whether it is one.
func (r *Reader) Members(object []byte, values []Value, names ...string) {
	clear(values)
	for r.Reset(object); r.Next(); {
		for i, name := range names {
			if string(r.name) == name && values[i].IsMissing() {
				values[i] = r.value
			}
		}
	}
}
