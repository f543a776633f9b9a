package mail

import (
	"bytes"
	"slices"

	"bayestream/internal/tokenize/swar"
)

// A header has the fields that are read, by their name in lower case; of several of one name the
// first.
type header map[string][]byte

// readFields are the fields that are read, beside the settings, in lower case.
var readFields = []string{"subject", "from", "reply-to", "content-type", "content-disposition",
	"content-transfer-encoding"}

func isRead(field string) bool {
	return slices.Contains(readFields, field) || slices.Contains(settingFields, field)
}

// cutLine cuts the first line. A line ends with a line feed and any number of carriage returns
// before it: a mail that was converted twice has two.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimRight(line, "\r"), rest
}

// A headerReader reads the fields of a header.
type headerReader struct {
	header header
	fields int
	last   string // the field that a line may continue; "": one that is not read
	key    []byte // scratch
}

// readHeader reads the header of a message or a part. Its end is an empty line, a line of blanks
// that no field follows, or a line that can be no part of it. fields is how many fields it has,
// ended whether a line without words ends it.
func readHeader(text []byte) (h header, body []byte, fields int, ended bool) {
	r := headerReader{header: header{}}
	for rest := text; len(rest) > 0; {
		line, next := cutLine(rest)
		name, value, isField := cutField(line)
		switch {
		case len(line) == 0:
			return r.header, next, r.fields, true
		case isField:
			r.begin(name, value)
		case r.fields == 0:
			return r.header, rest, 0, false
		case isBlank(line):
			if !goesOn(next, 1) {
				return r.header, next, r.fields, true
			}
		case isSpace(line[0]) || goesOn(next, garbledLines):
			r.continued(line)
		default: // the empty line is missing
			return r.header, rest, r.fields, false
		}
		rest = next
	}
	return r.header, nil, r.fields, false
}

func (r *headerReader) begin(name, value []byte) {
	r.fields++
	r.last = ""
	if len(name) > maxNameBytes {
		return
	}
	r.key, _ = swar.AppendLower(r.key[:0], name)
	if isRead(string(r.key)) && r.header[string(r.key)] == nil {
		r.last = string(r.key)
		r.header[r.last] = append([]byte{}, value...)
	}
}

// continued appends a line to the last field.
func (r *headerReader) continued(line []byte) {
	if r.last != "" {
		r.header[r.last] = bytes.TrimLeft(append(append(r.header[r.last], ' '), bytes.TrimSpace(line)...), " ")
	}
}

const (
	maxNameBytes = 80
	garbledLines = 3 // lines of a header that are none, in a row
)

// goesOn reports whether one of the next lines is a field, so that the header goes on. A style in
// HTML has no blank behind its colon.
func goesOn(text []byte, lines int) bool {
	for range lines {
		line, rest := cutLine(text)
		if name, _, isField := cutField(line); isField && isUsualName(name) {
			value := line[bytes.IndexByte(line, ':')+1:]
			if len(value) == 0 || isSpace(value[0]) {
				return true
			}
		}
		if isBlank(line) || bytes.HasPrefix(line, []byte("--")) { // a boundary
			return false
		}
		text = rest
	}
	return false
}

// isUsualName reports whether a name is as all real ones are: of letters, digits and hyphens.
func isUsualName(name []byte) bool {
	return !bytes.ContainsFunc(name, func(r rune) bool {
		return r > '~' || r != '-' && !isLetter(byte(r)) &&
			(r < '0' || r > '9')
	})
}

// cutField cuts a line into the name and the value of a field (RFC 5322, 2.2); blanks may stand
// before the colon.
func cutField(line []byte) (name, value []byte, ok bool) {
	name, value, ok = bytes.Cut(line, []byte(":"))
	if !ok || isSpace(line[0]) {
		return nil, nil, false
	}
	name = bytes.TrimRight(name, " \t")
	isURL := bytes.HasPrefix(value, []byte("//"))
	if len(name) == 0 || isURL || bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, nil, false
	}
	return name, bytes.TrimSpace(value), true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// withLineFeeds returns a message whose lines end with a carriage return alone with line feeds.
func withLineFeeds(text []byte) []byte {
	i := bytes.IndexAny(text, "\r\n")
	if i < 0 || text[i] == '\n' {
		return text
	}
	rest := bytes.TrimLeft(text[i:], "\r")
	if len(rest) > 0 && rest[0] == '\n' {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}
