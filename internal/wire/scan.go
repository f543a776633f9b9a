package wire

import "unicode/utf8"

// A scan checks JSON against RFC 8259 in one go, which is also when the fields of a record are picked: most of
// a record is its text, so that each further look at its bytes would show. Its methods take the index where
// something begins and return the index behind it, or broken.
type scan struct {
	json    []byte
	all     uint64 // the bytes of strings, or'ed, and some of those behind: have any the highest bit?
	escaped bool   // there was an escape in the string that was last
	member  member // the last one
}

// broken is the index behind what is not valid JSON.
const broken = -1

// ascii tells whether all strings are. If not, the value need not be UTF-8.
func (s *scan) ascii() bool { return s.all&eachHigh == 0 }

// validJSON tells whether a value in UTF-8 is valid JSON, nested to at most MaxDepth.
func validJSON(value []byte) bool {
	s := scan{json: value}
	end := s.value(s.space(0), 1)
	return end != broken && s.space(end) == len(value)
}

// pick checks that a value is one JSON object in UTF-8, and finds its fields without building a tree. Of a key
// that stands twice the first one counts, in plain names as in paths. With false found means nothing.
func (d *Decoder) pick(value []byte, sc *scratch, found *fields) bool {
	s := scan{json: value}
	i := s.space(0)
	if i == len(value) || value[i] != '{' {
		return false
	}
	for more := true; more; {
		if i, more = s.next(i, 2); s.member.end == 0 {
			continue
		}
		m := &s.member
		key := value[m.key:m.keyEnd]
		if m.escaped {
			key = sc.unquote(value[m.key-1 : m.keyEnd+1])
		}
		for k := range d.plain {
			if slot := &d.plain[k]; string(key) == slot.name && found[slot.at] == nil {
				found[slot.at] = value[m.value:m.end:m.end]
			}
		}
	}
	if i == broken || s.space(i) != len(value) || !s.ascii() && !utf8.Valid(value) {
		return false
	}
	for _, slot := range d.paths {
		found[slot.at] = lookUp(value, slot.name)
	}
	return true
}

// A member is where a member of an object stands: its key without quotes, and its value.
type member struct {
	key, keyEnd, value, end int
	escaped                 bool // the key
}

// next scans what follows in an object whose bracket or comma is at i: a member, and the comma behind it, at which
// it ends, or the bracket that ends the object. Where there is no member, the end of the one it leaves is 0.
func (s *scan) next(i, depth int) (end int, more bool) {
	s.member.end = 0
	comma := s.json[i] == ','
	i = s.space(i + 1)
	if i == len(s.json) {
		return broken, false
	}
	if s.json[i] != '"' {
		if s.json[i] == '}' && !comma {
			return i + 1, false
		}
		return broken, false
	}
	key := i + 1
	keyEnd := s.text(key)
	if keyEnd == broken {
		return broken, false
	}
	escaped := s.escaped
	if i = s.space(keyEnd); i == len(s.json) || s.json[i] != ':' {
		return broken, false
	}
	value := s.space(i + 1)
	if i = s.value(value, depth); i == broken {
		return broken, false
	}
	s.member = member{key: key, keyEnd: keyEnd - 1, value: value, end: i, escaped: escaped}
	if i = s.space(i); i < len(s.json) {
		switch s.json[i] {
		case ',':
			return i, true
		case '}':
			return i + 1, false
		}
	}
	s.member.end = 0
	return broken, false
}

// value scans one value; depth is that of a bracket there, 1 for the outermost.
func (s *scan) value(i, depth int) int {
	if i == len(s.json) {
		return broken
	}
	switch c := s.json[i]; c {
	case '"':
		return s.text(i + 1)
	case '{', '[':
		if depth > MaxDepth {
			return broken
		}
		if c == '[' {
			return s.array(i, depth+1)
		}
		for more := true; more; {
			i, more = s.next(i, depth+1)
		}
		return i
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
	}
	return s.number(i)
}

// array scans the array whose bracket is at i.
func (s *scan) array(i, depth int) int {
	i = s.space(i + 1)
	if i < len(s.json) && s.json[i] == ']' {
		return i + 1
	}
	for {
		if i = s.value(i, depth); i == broken {
			return broken
		}
		if i = s.space(i); i == len(s.json) {
			return broken
		}
		switch s.json[i] {
		case ',':
			i = s.space(i + 1)
		case ']':
			return i + 1
		default:
			return broken
		}
	}
}

// literal scans a name.
func (s *scan) literal(i int, name string) int {
	if end := i + len(name); end <= len(s.json) && string(s.json[i:end]) == name {
		return end
	}
	return broken
}

// number scans a number.
func (s *scan) number(i int) int {
	if s.json[i] == '-' {
		i++
	}
	whole := s.digits(i)
	if whole == i || whole > i+1 && s.json[i] == '0' {
		return broken
	}
	i = whole
	if i < len(s.json) && s.json[i] == '.' {
		if whole = s.digits(i + 1); whole == i+1 {
			return broken
		}
		i = whole
	}
	if i < len(s.json) && s.json[i]|0x20 == 'e' {
		i++
		if i < len(s.json) && (s.json[i] == '+' || s.json[i] == '-') {
			i++
		}
		if whole = s.digits(i); whole == i {
			return broken
		}
		i = whole
	}
	return i
}

// digits scans any number of digits.
func (s *scan) digits(i int) int {
	for i < len(s.json) && s.json[i]-'0' <= 9 {
		i++
	}
	return i
}

// space scans any white space.
func (s *scan) space(i int) int {
	for i < len(s.json) && s.json[i] <= ' ' {
		switch s.json[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}
