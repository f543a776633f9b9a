package mail

import (
	"bayestream/internal/tokenize/htmltext"

	"golang.org/x/net/html/atom"
)

// renderHTML returns the text that a mail program would show of an HTML document, and collects the hosts of its links
// and pictures.
func (m *message) renderHTML(document []byte) []byte {
	return htmltext.Append(nil, document, func(dst []byte, _ atom.Atom, _ string, value []byte) []byte {
		m.hosts.addLink(string(value))
		return dst
	})
}
