package wire

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// appendVisible appends the text that a mail program would show of an HTML
// document and adds the hosts that its links and pictures name.
//
// The tree is built as browsers build it, because who writes spam tests it with
// browsers: an element left open must not hide, or show, more here than there.
// Inline elements leave no gap, others do: "Vi<b></b>agra" reads as one word, the
// cells of a table do not. Style sheets are not applied, style attributes are.
func appendVisible(dst, document []byte, found *hosts) []byte {
	var root *html.Node
	err := guard(func() (err error) {
		root, err = html.ParseWithOptions(bytes.NewReader(document), html.ParseOptionEnableScripting(false))
		return err
	})
	if err != nil { // nested deeper than the parser goes
		return appendAllText(dst, document, found)
	}
	return appendNode(dst, root, found)
}

// appendNode appends the visible text of a node and all below it. The parser
// bounds the depth of the tree, and so of this recursion.
func appendNode(dst []byte, n *html.Node, found *hosts) []byte {
	switch n.Type {
	case html.TextNode:
		return append(dst, n.Data...)
	case html.ElementNode:
		hides := neverShown[n.Data]
		for _, a := range n.Attr {
			hides = hides || hidingAttribute(a.Key, a.Val)
			found.addAttribute(a.Key, a.Val)
		}
		if hides {
			return dst
		}
		dst = appendGap(dst, n.Data)
		dst = appendAlternative(dst, n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		dst = appendNode(dst, c, found)
	}
	if n.Type == html.ElementNode {
		dst = appendGap(dst, n.Data)
	}
	return dst
}

// appendAlternative appends what stands for a picture until it is loaded.
func appendAlternative(dst []byte, n *html.Node) []byte {
	if n.Data != "img" {
		return dst
	}
	for _, a := range n.Attr {
		if a.Key == "alt" {
			dst = append(append(append(dst, ' '), a.Val...), ' ')
		}
	}
	return dst
}

// appendAllText appends every text of a document, hidden or not, when no tree can
// be had of it: rather too much for the model to see than nothing.
func appendAllText(dst, document []byte, found *hosts) []byte {
	tokens := html.NewTokenizer(bytes.NewReader(document))
	for {
		switch tokens.Next() {
		case html.ErrorToken: // the end: it reads from memory
			return dst
		case html.TextToken:
			dst = append(dst, tokens.Text()...)
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			dst = appendGap(dst, string(name))
			for more {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				found.addAttribute(string(key), string(value))
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			dst = appendGap(dst, string(name))
		}
	}
}

// addAttribute adds the host that an attribute names.
func (h *hosts) addAttribute(key, value string) {
	switch key {
	case "href", "src", "action", "background":
		h.addLink(value)
	}
}

// hidingAttribute tells whether an attribute keeps its element from being seen.
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

// hidingStyle tells whether one declaration of a style attribute hides.
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

// appendGap appends a line break where the element is not part of a line.
func appendGap(dst []byte, name string) []byte {
	if inline[name] || len(dst) == 0 || dst[len(dst)-1] == '\n' {
		return dst
	}
	return append(dst, '\n')
}

// set makes a set of the words in a string.
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
