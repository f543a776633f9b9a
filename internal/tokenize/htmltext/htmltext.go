// Package htmltext turns HTML into the text that a reader sees: of a web page, and of a mail.
//
// Scripts, styles and hidden elements show nothing; a picture shows its alternative text. Elements inside a line leave no
// gap, because they leave none on the screen: "vi<b>ag</b>ra" is one word; the others end a line.
//
// Most documents are read from one token to the next, without a tree. Where an element hides what is in it, the tree is
// built as browsers build it, because spam is tested with browsers: an element left open must not hide, or show, more here
// than there. Style sheets are not applied, style attributes are.
package htmltext

import (
	"bytes"
	"errors"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Links is called for each attribute that can lead elsewhere: href, src, action and background, of hidden elements too.
// It appends to dst what the reader sees of it.
type Links func(dst []byte, tag atom.Atom, key string, value []byte) []byte

// Append appends the visible text of a document to dst. A document that is nested deeper than the parser goes shows all
// its text.
func Append(dst, document []byte, links Links) []byte {
	out, hides := appendTokens(dst, document, links, false)
	if !hides {
		return out
	}
	root, err := parse(document)
	if err != nil {
		out, _ = appendTokens(dst, document, links, true)
		return out
	}
	t := tree{links: links, start: len(dst)}
	return t.append(dst, root)
}

// appendTokens appends the text of a document from one token to the next. It ends, and hides is true, at an element that
// hides what is in it, unless all is to be shown.
func appendTokens(dst, document []byte, links Links, all bool) (out []byte, hides bool) {
	start := len(dst)
	z := html.NewTokenizer(bytes.NewReader(document))
	for skip := false; ; {
		switch z.Next() {
		case html.ErrorToken: // the end: reading from memory has no other error
			return dst, false
		case html.TextToken:
			if !skip {
				dst = append(dst, z.Text()...)
			}
			skip = false
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Noscript {
				z.NextIsNotRawText() // no scripts run
			}
			skip = raw(tag)
			hides := never(tag)
			dst = appendGap(dst, start, tag)
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				hides = hides || hidingAttribute(string(key), value)
				dst = appendAttribute(dst, tag, string(key), value, links)
			}
			if hides && !all {
				return dst[:start], true
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			skip = false
			dst = appendGap(dst, start, atom.Lookup(name))
		}
	}
}

// errDeep says that the parser gave up.
var errDeep = errors.New("the document cannot be parsed")

// parse returns the tree of a document. The parser is foreign code: a document that makes it panic must not stop a worker,
// again after each restart.
func parse(document []byte) (root *html.Node, err error) {
	defer func() {
		if recover() != nil {
			err = errDeep
		}
	}()
	return html.ParseWithOptions(bytes.NewReader(document), html.ParseOptionEnableScripting(false))
}

// tree appends the text of a tree.
type tree struct {
	links Links
	start int
}

// append appends the visible text of a node and all below it. The parser bounds the depth of the tree, and so of this
// recursion.
func (t *tree) append(dst []byte, n *html.Node) []byte {
	switch n.Type {
	case html.TextNode:
		return append(dst, n.Data...)
	case html.ElementNode:
		hides := raw(n.DataAtom) || never(n.DataAtom)
		dst = appendGap(dst, t.start, n.DataAtom)
		shown := len(dst)
		for _, a := range n.Attr {
			value := []byte(a.Val)
			hides = hides || hidingAttribute(a.Key, value)
			dst = appendAttribute(dst, n.DataAtom, a.Key, value, t.links)
		}
		if hides {
			return dst[:shown]
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		dst = t.append(dst, c)
	}
	if n.Type == html.ElementNode {
		dst = appendGap(dst, t.start, n.DataAtom)
	}
	return dst
}

// appendAttribute appends what an attribute shows.
func appendAttribute(dst []byte, tag atom.Atom, key string, value []byte, links Links) []byte {
	switch key {
	case "alt":
		if tag == atom.Img {
			dst = append(dst, ' ')
			dst = append(dst, value...)
			dst = append(dst, ' ')
		}
	case "href", "src", "action", "background":
		dst = links(dst, tag, key, value)
	}
	return dst
}

// appendGap ends the line, unless the element stands inside one or the line just ended.
func appendGap(dst []byte, start int, tag atom.Atom) []byte {
	if !breaks(tag) || len(dst) == start || dst[len(dst)-1] == '\n' {
		return dst
	}
	return append(dst, '\n')
}
