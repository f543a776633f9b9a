package wire

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// The fields of a record, each a slot that picking fills with the raw JSON found.
const (
	slotText = iota
	slotLabel
	slotID
	slotWeight
	slotRef
	slotNumbers
	slotCategories
	slotCount
)

// A slot is a field to find, and where in the fields it goes.
type slot struct {
	name string
	at   int
}

// newSlots lays out the fields of a Schema that it has use for. A plain name is met while scanning the object
// once; a path is looked up by gjson afterwards.
func newSlots(s Schema) (plain, paths []slot) {
	for _, field := range []struct {
		slot
		path, off bool
	}{
		{slot{s.TextField, slotText}, isPath(s.TextField), !s.HasText},
		{slot{s.LabelField, slotLabel}, isPath(s.LabelField), false},
		{slot{s.IDField, slotID}, isPath(s.IDField), false},
		{slot{"weight", slotWeight}, false, false},
		{slot{"ref", slotRef}, false, false},
		{slot{"numbers", slotNumbers}, false, len(s.NumberFields) == 0},
		{slot{"categories", slotCategories}, false, len(s.CategoryFields) == 0},
	} {
		switch {
		case field.off:
		case field.path:
			paths = append(paths, field.slot)
		default:
			plain = append(plain, field.slot)
		}
	}
	return plain, paths
}

// raw is one JSON value as it stands in the record; nil is a missing field.
type raw []byte

func (v raw) missing() bool  { return v == nil }
func (v raw) null() bool     { return len(v) > 0 && v[0] == 'n' }
func (v raw) absent() bool   { return v.missing() || v.null() }
func (v raw) isString() bool { return len(v) > 0 && v[0] == '"' }
func (v raw) isObject() bool { return len(v) > 0 && v[0] == '{' }
func (v raw) isNumber() bool { return len(v) > 0 && (v[0] == '-' || '0' <= v[0] && v[0] <= '9') }

// kind names the value's type in a sentence.
func (v raw) kind() string {
	switch {
	case v.missing():
		return "missing"
	case v.null():
		return "null"
	case v.isString():
		return "a string"
	case v.isNumber():
		return "a number"
	case v.isObject():
		return "an object"
	case v[0] == '[':
		return "an array"
	default:
		return "a boolean"
	}
}

// shown is the value as a sentence repeats it: as it stands, on one line, cut off
// when long.
func (v raw) shown() string {
	one := bytes.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, v)
	if len(one) <= maxShown {
		return string(one)
	}
	return clip(string(one), maxShown) + "..."
}

// fields is what picking found, by slot.
type fields [slotCount]raw

// lookUp finds a field by gjson path. A path may end in a modifier, whose result
// need not be JSON at all; such a result counts as missing.
func lookUp(object []byte, path string) raw {
	found := bytes.TrimSpace([]byte(gjson.GetBytes(object, path).Raw))
	if !gjson.ValidBytes(found) {
		return nil
	}
	return found
}

// members walks the members of an object that is known to be valid JSON, which
// is what makes it this short: nothing has to be checked a second time.
type members struct {
	json  []byte
	at    int
	key   []byte // unescaped
	value raw
}

// walk starts before the first member of the object.
func walk(object []byte) members {
	return members{json: object, at: bytes.IndexByte(object, '{') + 1}
}

// next moves to the next member and tells whether there was one.
func (m *members) next(sc *scratch) bool {
	m.at = skipSpace(m.json, m.at)
	if m.json[m.at] == ',' {
		m.at = skipSpace(m.json, m.at+1)
	}
	if m.json[m.at] == '}' {
		return false
	}
	end := skipString(m.json, m.at)
	m.key = sc.unquote(m.json[m.at:end])
	colon := skipSpace(m.json, end)
	start := skipSpace(m.json, colon+1)
	m.at = skipValue(m.json, start)
	m.value = m.json[start:m.at:m.at]
	return true
}

// skipSpace returns the index of the first byte from i on that is not white space.
func skipSpace(json []byte, i int) int {
	for json[i] == ' ' || json[i] == '\n' || json[i] == '\t' || json[i] == '\r' {
		i++
	}
	return i
}

// skipValue returns the index behind the value that starts at i.
func skipValue(json []byte, i int) int {
	switch json[i] {
	case '"':
		return skipString(json, i)
	case '{', '[':
		return skipNested(json, i)
	}
	for i < len(json) && !endsLiteral(json[i]) {
		i++
	}
	return i
}

// endsLiteral tells whether c ends a number, true, false or null.
func endsLiteral(c byte) bool {
	switch c {
	case ',', '}', ']', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

// skipString returns the index behind the string whose opening quote is at i.
// Strings are most of a record, so it leaps from quote to quote; a quote with an
// odd number of backslashes before it is part of the text.
func skipString(json []byte, i int) int {
	for start := i + 1; ; {
		quote := start + bytes.IndexByte(json[start:], '"')
		slashes := 0
		for json[quote-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return quote + 1
		}
		start = quote + 1
	}
}

// skipNested returns the index behind the object or array that starts at i. It
// counts brackets instead of recursing.
func skipNested(json []byte, i int) int {
	for depth := 0; ; {
		switch json[i] {
		case '"':
			i = skipString(json, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
}

// notObject says why a value is not one JSON object in valid UTF-8.
func notObject(value []byte) *Reject {
	if at := invalidUTF8(value); at >= 0 {
		return Rejectf(InvalidUTF8, "byte 0x%02x at offset %d of the value is not UTF-8", value[at], at)
	}
	if tooDeep(value) {
		return Rejectf(NotJSON, "the value nests deeper than %d levels", MaxDepth)
	}
	if !validJSON(value) {
		return Rejectf(NotJSON, "the value %s is not valid JSON", show(value))
	}
	v := raw(bytes.TrimSpace(value))
	return Rejectf(NotJSON, "the value %s is %s", v.shown(), v.kind())
}

// tooDeep tells whether the value opens more than MaxDepth brackets within one
// another. Hardly any value has that many brackets at all, and counting those is
// fast; only such a one is looked at byte by byte. Brackets in strings are not
// told apart from others when the JSON is broken, which is rejected either way.
func tooDeep(value []byte) bool {
	if bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) <= MaxDepth {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
