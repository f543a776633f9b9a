package mail

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// renderHTML returns the text that a mail program would show of an HTML document, and collects the hosts of its links
// and pictures.
//
// The tree is built as browsers build it, because spam is tested with browsers: an element left open must not hide, or
// show, more here than there. Inline elements leave no gap, others do: "Vi<b></b>agra" reads as one word, the cells of
// a table do not. Style sheets are not applied, style attributes are.
func (m *message) renderHTML(document []byte) []byte {
	var root *html.Node
	err := guard(func() (err error) {
		root, err = html.ParseWithOptions(bytes.NewReader(document), html.ParseOptionEnableScripting(false))
		return err
	})
	if err != nil { // nested deeper than the parser goes
		return m.appendAllText(nil, document)
	}
	return m.appendNode(nil, root)
}

// appendNode appends the visible text of a node and all below it. The parser bounds the depth of the tree, and so of
// this recursion.
func (m *message) appendNode(dst []byte, n *html.Node) []byte {
	switch n.Type {
	case html.TextNode:
		return append(dst, n.Data...)
	case html.ElementNode:
		hides := neverShown[n.Data]
		for _, a := range n.Attr {
			hides = hides || hidingAttribute(a.Key, a.Val)
			m.hosts.addAttribute(a.Key, a.Val)
		}
		if hides {
			return dst
		}
		dst = appendGap(dst, n.Data)
		dst = appendAlternative(dst, n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		dst = m.appendNode(dst, c)
	}
	if n.Type == html.ElementNode {
		dst = appendGap(dst, n.Data)
	}
	return dst
}

// appendAlternative appends the text that stands for a picture.
func appendAlternative(dst []byte, n *html.Node) []byte {
	if n.Data != "img" {
		return dst
	}
	for _, a := range n.Attr {
		if a.Key == "alt" {
			dst = append(dst, ' ')
			dst = append(dst, a.Val...)
			dst = append(dst, ' ')
		}
	}
	return dst
}

// appendAllText appends every text of a document, hidden or not. It serves documents that cannot be parsed to a tree.
func (m *message) appendAllText(dst, document []byte) []byte {
	tokens := html.NewTokenizer(bytes.NewReader(document))
	for {
		switch tokens.Next() {
		case html.ErrorToken: // the end, as reading from memory does not fail
			return dst
		case html.TextToken:
			dst = append(dst, tokens.Text()...)
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			dst = appendGap(dst, string(name))
			for more {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				m.hosts.addAttribute(string(key), string(value))
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			dst = appendGap(dst, string(name))
		}
	}
}

// hidingAttribute reports whether an attribute hides its element.
func hidingAttribute(key, value string) bool {
	if key == "hidden" {
		return true
	}
	if key != "style" {
		return false
	}
	for declaration := range strings.SplitSeq(strings.ToLower(value), ";") {
		property, setting, _ := strings.Cut(declaration, ":")
		setting, _, _ = strings.Cut(setting, "!") // important
		if hidingStyle(strings.TrimSpace(property), strings.TrimSpace(setting)) {
			return true
		}
	}
	return false
}

// hidingStyle reports whether one declaration of a style attribute hides.
func hidingStyle(property, value string) bool {
	switch property {
	case "display":
		return value == "none"
	case "visibility":
		return value == "hidden"
	case "font-size":
		number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
		return number != "" && strings.Trim(number, "0.") == ""
	}
	return false
}

// appendGap appends a line break, unless the element is inline or a line just ended.
func appendGap(dst []byte, name string) []byte {
	if inline[name] || len(dst) == 0 || dst[len(dst)-1] == '\n' {
		return dst
	}
	return append(dst, '\n')
}

// set returns the set of the words in a string.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

var (
	neverShown = set("script style title template noembed noframes iframe object applet select datalist svg math")
	inline     = set("a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var wbr o:p")
)
