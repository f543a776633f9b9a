package jsonread

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A Value is the text of one valid JSON value without white space around it; nil is a
// missing one.
type Value []byte

// IsMissing reports whether there is no value.
func (v Value) IsMissing() bool { return v == nil }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return len(v) > 0 && v[0] == 'n' }

// IsAbsent reports whether the value is missing or null.
func (v Value) IsAbsent() bool { return v.IsMissing() || v.IsNull() }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { return len(v) > 0 && v[0] == '"' }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return len(v) > 0 && v[0] == '{' }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return len(v) > 0 && v[0] == '[' }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { return len(v) > 0 && (v[0] == '-' || '0' <= v[0] && v[0] <= '9') }

// IsBool reports whether the value is true or false.
func (v Value) IsBool() bool { return len(v) > 0 && (v[0] == 't' || v[0] == 'f') }

// Kind names the type of the value in a sentence.
func (v Value) Kind() string {
	switch {
	case v.IsMissing():
		return "missing"
	case v.IsNull():
		return "null"
	case v.IsString():
		return "a string"
	case v.IsNumber():
		return "a number"
	case v.IsObject():
		return "an object"
	case v.IsBool():
		return "a boolean"
	default:
		return "an array"
	}
}

// Text returns the text of a string. Without escapes it is a part of v; else it is appended to buf,
// which is returned extended.
func (v Value) Text(buf []byte) (text, extended []byte) {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], buf
	}
	start := len(buf)
	buf, _ = jsontext.AppendUnquote(buf, v) // an error says that half of a surrogate pair became U+FFFD
	return buf[start:len(buf):len(buf)], buf
}
