package mail

import (
	"bytes"
	"slices"
	"strings"

	"bayestream/internal/tokenize/htmltext"

	"golang.org/x/net/html/atom"
)

// A message is a mail as it is read: its header, the text that is shown, what HTML hides, the hosts
// of the links in it, the types and character sets of its parts, and the names of its files.
type message struct {
	header header
	body   []byte
	hidden []byte
	hosts  hosts
	types  list
	files  list

	guessed list
}

// What of a text is not as it is declared, or declared at all.
const (
	guessedCharset  = "charset"
	guessedEncoding = "encoding"
	guessedBoundary = "boundary"
)

// Guessable returns what may have to be guessed of a mail.
func Guessable() []string { return []string{guessedCharset, guessedEncoding, guessedBoundary} }

// guess notes what is guessed, and gives the mail a type that says that something is.
func (m *message) guess(what string) {
	m.guessed.add(what)
	m.types.add("<guessed>")
}

// parse reads a mail. It returns nil if the mail has no header.
func parse(value []byte) *message {
	h, body, fields, _ := readHeader(withLineFeeds(value))
	if fields == 0 {
		return nil
	}
	m := &message{header: h}
	var r parser
	root := r.parse(h, body, 1)
	m.describe(root)
	m.body = m.render(root)
	return m
}

// render returns the text of a part and all below it as a mail program shows them, and collects the
// hosts of their links. Attachments are not shown.
func (m *message) render(p *part) []byte {
	switch {
	case p.attached:
		return nil
	case len(p.children) == 0:
		return m.renderLeaf(p)
	case p.kind == "multipart/alternative":
		return m.renderAlternative(p.children)
	}
	var text []byte
	for _, child := range p.children {
		shown := m.render(child)
		if len(shown) > 0 {
			text = append(append(text, shown...), '\n')
		}
	}
	return text
}

// renderAlternative renders the last alternative that shows anything: they are in order of
// increasing faithfulness (RFC 2046, 5.1.4). A decoy that no reader sees does not reach the model.
// A calendar, a card or another type of text is offered beside the message: it is only read where
// nothing else shows anything.
func (m *message) renderAlternative(alternatives []*part) []byte {
	for _, other := range []bool{false, true} {
		for _, p := range slices.Backward(alternatives) {
			if p.isOther() != other {
				continue
			}
			if text := m.render(p); !isBlank(text) {
				return text
			}
		}
	}
	return nil
}

// isOther reports whether a part is a text that mail programs do not show as the message.
func (p *part) isOther() bool {
	return len(p.children) == 0 && p.kind != "text/html" && p.kind != "text/plain"
}

// renderLeaf renders a part without children. A type that is neither HTML nor known to be no text
// is plain text.
func (m *message) renderLeaf(p *part) []byte {
	main, _, _ := strings.Cut(p.kind, "/")
	switch main {
	case "application", "image", "audio", "video", "font", "model", "message":
		return nil
	}
	body, decoded := decodeTransfer(p.body, p.encoding)
	text, converted := toUTF8(body, p.params.word("charset"))
	if !decoded {
		m.guess(guessedEncoding)
	}
	if !converted {
		m.guess(guessedCharset)
	}
	if p.kind == "text/html" {
		return m.renderHTML(text)
	}
	if strings.EqualFold(p.params.word("delsp"), "yes") && strings.EqualFold(p.params.word("format"), "flowed") {
		text = unflow(text)
	}
	m.hosts.addText(text)
	return text
}

// renderHTML returns the text that a mail program would show of an HTML document, and collects what
// it hides and the hosts of its links and pictures.
func (m *message) renderHTML(document []byte) []byte {
	shown, hidden := htmltext.AppendMail(nil, nil, document, func(dst []byte, _ atom.Atom, _ string, value []byte) []byte {
		m.hosts.addLink(value)
		return dst
	})
	if m.hidden == nil {
		m.hidden = hidden
	}
	return shown
}

// describe keeps the type and the character set of a part and all below it, and the names of their
// files.
func (m *message) describe(p *part) {
	if !p.asDeclared {
		m.guess(guessedBoundary)
	}
	m.types.add(setting([]byte(p.kind)))
	if set := strings.ToLower(p.params.word("charset")); set != "us-ascii" && set != "ascii" {
		m.types.add(setting([]byte(set)))
	}
	m.files.add(p.file)
	for _, child := range p.children {
		m.describe(child)
	}
}

// shownHidden returns what counts of hidden text: a mark, and some of its words.
func (m *message) shownHidden() (mark, words []byte) {
	if len(bytes.TrimSpace(m.hidden)) == 0 {
		return nil, nil
	}
	return []byte(htmltext.Mark), m.hidden
}
