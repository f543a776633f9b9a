package tokenize

import (
	"bytes"

	"bayestream/internal/tokenize/htmltext"

	"golang.org/x/net/html/atom"
)

// appendVisible appends what a reader sees of an HTML text, and of each link the scheme and host, or the mail address, so
// that they become terms like addresses in plain text.
func appendVisible(dst, page []byte) []byte { return htmltext.Append(dst, page, appendWhere) }

// appendWhere appends where a link of the text leads.
func appendWhere(dst []byte, tag atom.Atom, key string, value []byte) []byte {
	if (tag == atom.A || tag == atom.Area) && key == "href" {
		return appendLink(dst, value)
	}
	return dst
}

var (
	mailto  = []byte("mailto:")
	slashes = []byte("//")
)

// appendLink appends where a link leads: "http://host" or a mail address; nothing for a link inside
// the page or the site.
func appendLink(dst, href []byte) []byte {
	href = bytes.TrimSpace(href)
	if len(href) >= len(mailto) && bytes.EqualFold(href[:len(mailto)], mailto) {
		return appendUntil(dst, href[len(mailto):], "?, \t\r\n")
	}
	scheme, rest, found := bytes.Cut(href, slashes)
	switch {
	case !found:
		return dst
	case len(scheme) == 0:
		scheme = []byte("http:")
	}
	start := len(dst)
	dst = append(dst, ' ')
	dst = append(dst, scheme...)
	dst = append(dst, slashes...)
	dst = appendUntil(dst, rest, "/?#\\ \t\r\n")
	if !isLink(dst[start+1 : start+1+len(scheme)]) {
		return dst[:start]
	}
	return dst
}

// isLink reports the schemes that lead to a host.
func isLink(scheme []byte) bool {
	for _, s := range schemes {
		if len(scheme) == len(s)+1 && bytes.EqualFold(scheme[:len(s)], s) && scheme[len(s)] == ':' {
			return true
		}
	}
	return false
}

// appendUntil appends text up to the first of some bytes, and a space.
func appendUntil(dst, text []byte, ends string) []byte {
	if i := bytes.IndexAny(text, ends); i >= 0 {
		text = text[:i]
	}
	return append(append(dst, text...), ' ')
}
