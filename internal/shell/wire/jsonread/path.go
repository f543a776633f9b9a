package jsonread

import (
	"bytes"
	"strings"

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
