package htmltext

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A sheet has what the style sheets of a page declare, by selector: "p", ".class", "#id",
// "p.class", "p#id" and "*". Rules of one selector are one.
type sheet map[string]*style

// maxSelectors bounds those of a page; what comes later hides nothing.
const maxSelectors = 20000

// readSheets reads the style elements of a page, wherever they stand: browsers apply them to all of
// it.
func readSheets(document []byte, quirks bool) sheet {
	end := sheetsEnd(document)
	if end == 0 {
		return nil
	}
	r := sheetReader{sheet: sheet{}, quirks: quirks}
	z := html.NewTokenizer(bytes.NewReader(document[:end]))
	var t tag
	var in inert
	inStyle := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return r.sheet
		case html.StartTagToken:
			t.read(z)
			in.begin(&t)
			inStyle = t.is(atom.Style) && forScreen(&t) && in.templates == 0 && !in.math
			if t.is(atom.Noscript) || in.svg {
				z.NextIsNotRawText()
			}
		case html.TextToken:
			if inStyle {
				r.read(z.Raw())
			}
			inStyle = false
		case html.EndTagToken:
			t.readName(z)
			in.end(&t)
		}
	}
}

// inert says where a style element is none, and other elements hold no raw text.
type inert struct {
	templates int
	math, svg bool
}

func (in *inert) begin(t *tag) {
	switch {
	case t.is(atom.Template):
		in.templates++
	case t.is(atom.Math):
		in.math = true
	case t.is(atom.Svg):
		in.svg = true
	case t.kind&undrawn != 0, t.is(atom.Mi), t.is(atom.Mn), t.is(atom.Mo), t.is(atom.Ms), t.is(atom.Mtext),
		t.is(atom.AnnotationXml), t.is(atom.Foreignobject): // page again
		in.math = false
		in.svg = false
	}
}

func (in *inert) end(t *tag) {
	switch {
	case t.is(atom.Template):
		in.templates = max(in.templates-1, 0)
	case t.is(atom.Math):
		in.math = false
	case t.is(atom.Svg):
		in.svg = false
	}
}

// sheetsEnd returns where the last style element of a document ends at the latest, 0 without one.
func sheetsEnd(document []byte) (end int) {
	for {
		i := indexAnyCase(document[end:], []byte("<style"))
		if i < 0 {
			break
		}
		end += i + len("<style")
	}
	if end == 0 {
		return 0
	}
	if i := indexAnyCase(document[end:], []byte("</style")); i >= 0 {
		return min(end+i+len("</style>"), len(document))
	}
	return len(document)
}

// forScreen reports whether a style element applies where a page is shown.
func forScreen(t *tag) bool {
	kind := string(bytes.ToLower(bytes.TrimSpace(t.values[keyType])))
	media := string(bytes.ToLower(bytes.TrimSpace(t.values[keyMedia])))
	return (kind == "" || kind == "text/css") && (media == "" || media == "all" || media == "screen")
}

// A sheetReader reads rules in their order.
type sheetReader struct {
	sheet     sheet
	quirks    bool   // classes and ids in any case
	order     uint32 // of the next rule
	selectors int
}

func (r *sheetReader) read(text []byte) {
	if bytes.Contains(text, []byte("/*")) {
		text = withoutComments(text)
	}
	for len(text) > 0 {
		i := bytes.IndexAny(text, "{;")
		if i < 0 {
			return
		}
		prelude := trimSelector(text[:i])
		special := bytes.HasPrefix(prelude, []byte("@"))
		if text[i] == ';' && special { // @import, @charset
			text = text[i+1:]
			continue
		}
		brace := bytes.IndexByte(text, '{')
		if brace < 0 {
			return
		}
		block := text[brace+1:]
		end := blockEnd(block)
		if !special {
			r.addRule(trimSelector(text[:brace]), block[:end])
		}
		text = block[min(end+1, len(block)):]
	}
}

// trimSelector cuts what HTML of the last century put around its sheets.
func trimSelector(text []byte) []byte {
	text = bytes.TrimSpace(text)
	for _, mark := range []string{"<!--", "-->"} {
		text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte(mark)))
	}
	return text
}

// blockEnd returns where the brace is that closes a block.
func blockEnd(text []byte) int {
	depth := 0
	for i, c := range text {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth == 0:
			return i
		case c == '}':
			depth--
		}
	}
	return len(text)
}

// addRule adds a rule to each of its selectors. Most rules declare nothing that hides or shows.
func (r *sheetReader) addRule(prelude, block []byte) {
	r.order = min(r.order+1, 1<<23-1)
	var rule style
	rule.declareAll(block, 0)
	if rule == (style{}) {
		return
	}
	for selector := range bytes.SplitSeq(cleanCSS(prelude), []byte(",")) {
		if r.selectors == maxSelectors {
			return
		}
		r.selectors++
		name, specificity := r.simple(string(bytes.TrimSpace(selector)))
		if specificity < 0 {
			continue
		}
		weighted := rule
		for p := range weighted {
			weighted[p].weight += weightSheet + uint32(specificity)<<23 + r.order
		}
		if r.sheet[name] == nil {
			r.sheet[name] = &style{}
		}
		r.sheet[name].add(&weighted)
	}
}

// simple returns a selector as the key of a sheet, with its specificity; -1: one that is not read.
func (r *sheetReader) simple(selector string) (key string, specificity int) {
	if selector == "*" {
		return selector, 0
	}
	at := strings.IndexAny(selector, ".#")
	switch {
	case selector == "", at == len(selector)-1, at != strings.LastIndexAny(selector, ".#"),
		strings.ContainsAny(selector, " \t\r\n>+~:[]*&()"):
		return "", -1
	case at < 0:
		return strings.ToLower(selector), 1
	}
	name := selector[at:]
	if r.quirks {
		name = strings.ToLower(name)
	}
	specificity = 2
	if selector[at] == '#' {
		specificity = 4
	}
	if at > 0 {
		specificity++
	}
	return strings.ToLower(selector[:at]) + name, specificity
}

// apply adds the rules that apply to an element.
func (s sheet) apply(own *style, t *tag) {
	s.add(own, []byte("*"))
	s.add(own, t.name)
	s.addNamed(own, t, '#', bytes.TrimSpace(t.values[keyID]))
	for class := range bytes.FieldsSeq(t.values[keyClass]) {
		s.addNamed(own, t, '.', class)
	}
}

func (s sheet) add(own *style, key []byte) {
	if rule := s[string(key)]; rule != nil {
		own.add(rule)
	}
}

// addNamed adds the rules of a class or an id, alone and with the type of the element.
func (s sheet) addNamed(own *style, t *tag, kind byte, name []byte) {
	if len(name) == 0 || len(name) > maxValueBytes {
		return
	}
	t.key = append(append(append(t.key[:0], t.name...), kind), name...)
	s.add(own, t.key)
	s.add(own, t.key[len(t.name):])
}

// indexAnyCase returns the index of word (in lower case, behind its first byte letters) in b in any
// case, or -1.
func indexAnyCase(b, word []byte) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if b[i] == word[0] && b[i+1]|0x20 == word[1]|0x20 && bytes.EqualFold(b[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
