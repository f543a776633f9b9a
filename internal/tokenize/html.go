package tokenize

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// appendVisible appends what a reader sees of an HTML text: its text without scripts and styles, the
// alternative text of pictures, and of each link the scheme and host, or the mail address, so that
// they become terms like addresses in plain text. Elements inside a line leave no gap, because they
// leave none on the screen: "vi<b>ag</b>ra" is one word; the others end a word.
func appendVisible(dst, page []byte) []byte {
	z := html.NewTokenizer(bytes.NewReader(page))
	for hidden := false; ; {
		switch z.Next() {
		case html.ErrorToken: // the end: reading from memory has no other error
			return dst
		case html.TextToken:
			if !hidden {
				dst = append(dst, z.Text()...)
			}
			hidden = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			hidden = hides(tag)
			dst = appendTag(dst, z, tag, more)
		case html.EndTagToken:
			name, _ := z.TagName()
			hidden = false
			if breaks(atom.Lookup(name)) {
				dst = append(dst, '\n')
			}
		}
	}
}

// hides reports the elements whose content the HTML tokenizer hands over as one raw text, and which
// show nothing of it.
func hides(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript:
		return true
	}
	return false
}

// breaks reports the elements that are not part of a line.
func breaks(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Button, atom.Caption,
		atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Head, atom.Header, atom.Hr, atom.Html, atom.Input, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav,
		atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Section, atom.Select, atom.Summary, atom.Table,
		atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// appendTag appends what a start tag shows.
func appendTag(dst []byte, z *html.Tokenizer, tag atom.Atom, more bool) []byte {
	if breaks(tag) {
		dst = append(dst, '\n')
	}
	for more {
		var name, value []byte
		name, value, more = z.TagAttr()
		switch {
		case tag == atom.Img && string(name) == "alt":
			dst = append(dst, ' ')
			dst = append(dst, value...)
			dst = append(dst, ' ')
		case (tag == atom.A || tag == atom.Area) && string(name) == "href":
			dst = appendLink(dst, value)
		}
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
