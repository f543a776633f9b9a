package tokenize

import (
	"bytes"

	"bayestream/internal/tokenize/weblink"

	"golang.org/x/net/html/atom"
)

// appendWhere appends of each link of an HTML text the scheme and host, or the mail address, so that they
// become terms like addresses in plain text.
func appendWhere(dst []byte, tag atom.Atom, key string, value []byte) []byte {
	if (tag == atom.A || tag == atom.Area) && key == "href" {
		return appendLink(dst, value)
	}
	return dst
}

var mailto = []byte("mailto:")

// appendLink appends where a link leads: "http://host" or a mail address; nothing for a link inside
// the page or the site.
func appendLink(dst, href []byte) []byte {
	href = bytes.TrimSpace(href)
	if len(href) >= len(mailto) && bytes.EqualFold(href[:len(mailto)], mailto) {
		to := href[len(mailto):]
		if end := bytes.IndexAny(to, "?, \t\r\n"); end >= 0 {
			to = to[:end]
		}
		return append(append(dst, to...), ' ')
	}
	host, ok := weblink.Host(href)
	if !ok {
		return dst
	}
	return append(append(append(dst, " http://"...), host...), ' ')
}
