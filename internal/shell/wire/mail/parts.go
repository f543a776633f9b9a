package mail

import (
	"bytes"
	"strings"
)

// Bounds of the structure of a message. What is nested deeper is text, and parts beyond the limit
// are not read.
const (
	maxDepth = 16
	maxParts = 1000
)

// A part is a message or a part of one. It has children or a body.
type part struct {
	kind       string // "text/html"
	params     parameters
	attached   bool // offered as a file
	file       string
	encoding   []byte // of the body
	body       []byte
	children   []*part
	asDeclared bool // a multipart has the boundary that it declares
}

// A parser counts the parts of a message.
type parser struct{ parts int }

func (r *parser) parse(h header, body []byte, depth int) *part {
	p := newPart(h, body)
	if !strings.HasPrefix(p.kind, "multipart/") {
		return p
	}
	pieces := r.pieces(p)
	if depth == maxDepth {
		pieces = nil
	}
	for _, piece := range pieces {
		h, body, _, ended := readHeader(piece)
		if !ended && len(h) == 0 {
			body = piece
		}
		p.children = append(p.children, r.parse(h, body, depth+1))
	}
	return p
}

func newPart(h header, body []byte) *part {
	kind, params := cutParameters(h["content-type"])
	disposition, dispositionParams := cutParameters(h["content-disposition"])
	p := &part{kind: mediaKind(kind, params), params: params, body: body, encoding: h["content-transfer-encoding"],
		asDeclared: true}
	p.attached = disposition == "attachment"
	p.file = dispositionParams.text("filename")
	if p.file == "" {
		p.file = params.text("name")
	}
	if p.encoding == nil {
		p.encoding = encodingInside(h["content-type"])
	}
	return p
}

// mediaKind returns the type of a part. A type that cannot be read is plain text.
func mediaKind(kind string, params parameters) string {
	kind = strings.Trim(kind, "<>.")
	main, sub, _ := strings.Cut(kind, "/")
	_, hasBoundary := params["boundary"]
	switch {
	case main == "multipart" && sub == "":
		return "multipart/mixed"
	case strings.HasPrefix(kind, "text/htm"), kind == "html", kind == "text/xhtml", kind == "application/xhtml+xml":
		return "text/html"
	case main == "" && hasBoundary:
		return "multipart/mixed"
	case main == "" || sub == "":
		return "text/plain"
	}
	return kind
}

// encodingInside returns the transfer encoding where its field and Content-Type are in one line.
func encodingInside(field []byte) []byte {
	name := []byte("content-transfer-encoding:")
	field = field[:min(len(field), maxParameterBytes)]
	i := indexAnyCase(field, name)
	if i+len(name) > len(field) {
		return nil
	}
	return field[i+len(name):]
}

// pieces cuts the body of a multipart at its boundary. Where the one that is declared never comes,
// or none is, it is taken from the body; a body that is encoded as a whole is decoded.
func (r *parser) pieces(p *part) [][]byte {
	found := r.cut(p.body, p.params.boundary())
	p.asDeclared = found != nil
	if found == nil {
		found = r.cut(p.body, guessBoundary(p.body))
	}
	if decoded, _ := decodeTransfer(p.body, p.encoding); found == nil && len(decoded) != len(p.body) {
		found = r.cut(decoded, p.params.boundary())
	}
	return found
}

// cut cuts a body at its boundary; nil without one. What is before the first and behind the
// closing one is no part.
func (r *parser) cut(body, boundary []byte) (pieces [][]byte) {
	if len(boundary) == 0 {
		return nil
	}
	delimiter := append([]byte("--"), boundary...)
	begin := -1
	for at := 0; r.parts < maxParts; {
		start, next, last := nextDelimiter(body, delimiter, at)
		if begin >= 0 {
			pieces = append(pieces, withoutLineEnd(body[begin:start]))
			r.parts++
		}
		if last {
			break
		}
		begin, at = next, next
	}
	return pieces
}

// nextDelimiter finds the line of a boundary from at on. next is behind the line; last says that no
// part follows.
func nextDelimiter(body, delimiter []byte, at int) (start, next int, last bool) {
	for at < len(body) {
		i := bytes.Index(body[at:], delimiter)
		if i < 0 {
			break
		}
		start = at + i
		at = start + len(delimiter)
		if start > 0 && body[start-1] != '\n' {
			continue
		}
		line, rest := cutLine(body[at:])
		if bytes.HasPrefix(line, []byte("--")) {
			return start, len(body) - len(rest), true
		}
		if isBlank(line) {
			return start, len(body) - len(rest), false
		}
	}
	return len(body), len(body), true
}

// withoutLineEnd cuts the end of the last line, which belongs to the boundary behind it (RFC 2046,
// 5.1.1).
func withoutLineEnd(text []byte) []byte {
	return bytes.TrimRight(bytes.TrimSuffix(text, []byte("\n")), "\r")
}

// boundaryGuesses bounds how many lines are tried as a boundary.
const boundaryGuesses = 5

// guessBoundary returns the boundary that a body uses: a line of two hyphens and one word that
// comes again, or closes.
func guessBoundary(body []byte) []byte {
	guesses := 0
	for rest := body; len(rest) > 0 && guesses < boundaryGuesses; {
		var line []byte
		line, rest = cutLine(rest)
		line = bytes.TrimRight(line, " \t")
		if len(line) < 3 || !bytes.HasPrefix(line, []byte("--")) || bytes.ContainsAny(line, " \t") {
			continue
		}
		guesses++
		if bytes.Contains(rest, append([]byte("\n"), line...)) || bytes.HasPrefix(rest, line) {
			return line[len("--"):]
		}
	}
	return nil
}

// indexAnyCase returns the index of word (lower-case letters) in b in any case, or len(b).
func indexAnyCase(b, word []byte) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if b[i]|0x20 == word[0] && bytes.EqualFold(b[i:i+len(word)], word) {
			return i
		}
	}
	return len(b)
}
