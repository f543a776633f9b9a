// Package htmltext turns HTML into the text that a reader sees: of a web page, and of a mail. What
// the page hides is kept apart, since hiding is evidence.
//
// Elements inside a line leave no gap, because they leave none on the screen: "vi<b>ag</b>ra" is
// one word; the others end a line, unless they are not displayed. A picture shows its alternative
// text. Scripts and comments show nothing.
//
// Spam is tested with browsers, so that an element is as long here as in a browser: the open
// elements are kept by the rules of the HTML Standard, without a tree. Hidden is what has display:
// none, visibility: hidden, the size 0 or the opacity 0, by an attribute, a style attribute, or a
// style sheet of the page whose selectors are types, classes and ids. Sheets for media, and other
// selectors, hide nothing. Colours and positions are not looked at.
package htmltext

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Mark is what counts of the fact that a page hides text.
const Mark = "<text>"

// Links is called for each attribute that can lead elsewhere, of hidden elements too: href, src,
// action, formaction and background. It appends to dst what the reader sees of it.
type Links func(dst []byte, tag atom.Atom, key string, value []byte) []byte

// Append appends the visible text of a page to dst, and what counts of its hidden text to hidden:
// of filler no more than a few words, so that it cannot outvote what is seen.
func Append(dst, hidden, page []byte, links Links) (text, hides []byte) {
	return appendAll(dst, hidden, page, links, false)
}

// AppendMail is Append of the HTML of a mail, whose title nobody sees.
func AppendMail(dst, hidden, document []byte, links Links) (text, hides []byte) {
	return appendAll(dst, hidden, document, links, true)
}

func appendAll(dst, hidden, document []byte, links Links, isMail bool) (text, hides []byte) {
	r := reader{links: links, isMail: isMail, out: dst, start: len(dst), z: html.NewTokenizer(bytes.NewReader(document)),
		open: newStack(!hasDoctype(document))}
	r.sheet = readSheets(document, r.open.quirks)
	for _, a := range []atom.Atom{atom.Html, atom.Body} {
		t := tag{id: uint32(a), kind: kinds[a], name: []byte(a.String())}
		own := t.style(r.sheet, r.open.quirks, false)
		r.open.root(a, &own)
	}
	r.read()
	return r.out, appendWords(hidden, r.hidden, len(r.out)-r.start)
}

// hasDoctype reports whether a document says which HTML it is. Where it does not, browsers lay out
// as those of 1998 did.
func hasDoctype(document []byte) bool {
	head := bytes.ToLower(document[:min(len(document), 1024)])
	return bytes.Contains(head, []byte("<!doctype"))
}

// A reader goes over a document from one token to the next.
type reader struct {
	z      *html.Tokenizer
	links  Links
	isMail bool
	sheet  sheet
	open   stack
	tag    tag
	out    []byte
	start  int // of the document in out
	hidden []byte
	raw    bool // what comes next is no text
	apart  bool // likewise, and browsers show something in place of it
}

func (r *reader) read() {
	for {
		switch r.z.Next() {
		case html.ErrorToken: // the end: reading from memory has no other error
			return
		case html.TextToken:
			r.addText(r.z.Text())
			r.raw, r.apart = false, false
		case html.StartTagToken:
			r.startTag(false)
		case html.SelfClosingTagToken:
			r.startTag(true)
		case html.EndTagToken:
			r.tag.readName(r.z)
			r.raw, r.apart = false, false
			r.open.end(r.tag.id, r.tag.kind)
			r.gap()
		}
	}
}

// addText adds a text where it shows.
func (r *reader) addText(text []byte) {
	if r.raw {
		return
	}
	if !isBlank(text) {
		r.open.reopen()
	}
	if r.apart || r.open.place().hides() {
		r.hide(text)
		return
	}
	r.out = append(r.out, text...)
}

func (r *reader) hide(text []byte) {
	if room := maxKept - len(r.hidden); room > 0 {
		r.hidden = append(r.hidden, text[:min(len(text), room)]...)
	}
}

// startTag opens an element, and adds what it shows by itself.
func (r *reader) startTag(closed bool) {
	r.tag.read(r.z)
	id := r.tag.id
	if id == uint32(atom.Noscript) || r.open.foreign > 0 {
		r.z.NextIsNotRawText() // no scripts run
	}
	r.raw = id == uint32(atom.Script) || id == uint32(atom.Style)
	r.apart = id == uint32(atom.Iframe) || id == uint32(atom.Noembed) || id == uint32(atom.Noframes)
	own := r.tag.style(r.sheet, r.open.quirks, r.open.foreign > 0)
	if id == uint32(atom.Title) && r.isMail {
		own.set(display, hides, weightInline|weightImportant)
	}
	look := r.open.begin(element{id: id, kind: r.tag.kind, own: own}, closed)
	r.gap()
	r.addAttributes(look.hides())
}

// addAttributes adds what the attributes of an element show.
func (r *reader) addAttributes(hides bool) {
	t := &r.tag
	if label := t.label(); len(label) > 0 {
		if hides {
			r.hide(append(append([]byte(" "), label...), ' '))
		} else {
			r.out = append(append(append(r.out, ' '), label...), ' ')
		}
	}
	if !t.valued {
		return
	}
	for _, key := range linkKeys {
		value := t.values[key]
		if value == nil {
			continue
		}
		shown := len(r.out)
		r.out = r.links(r.out, atom.Atom(t.id), keyNames[key], value)
		if hides {
			r.out = r.out[:shown]
		}
	}
}

// gap ends the line, if the tag did and the line did not just end. In hidden text any element does
// that can.
func (r *reader) gap() {
	if r.open.broken && len(r.out) > r.start && r.out[len(r.out)-1] != '\n' {
		r.out = append(r.out, '\n')
	}
	r.open.broken = false
	if n := len(r.hidden); r.tag.kind&breaking != 0 && n > 0 && r.hidden[n-1] != '\n' {
		r.hide([]byte("\n"))
	}
}

// Bounds of hidden text, in bytes: what is kept, and what counts. The longest is about the line
// that newsletters hide for the list of mails.
const (
	maxKept   = 4096
	maxHidden = 256
	minHidden = 32
)

// appendWords appends the first words of a hidden text, up to a quarter of the text that shows.
// Words without a letter or a digit, which pad, are none.
func appendWords(dst, hidden []byte, shown int) []byte {
	begin := len(dst)
	room := max(minHidden, min(maxHidden, shown/4))
	for word := range bytes.FieldsFuncSeq(hidden, isGap) {
		if len(dst) == begin {
			word = word[:runeEnd(word, room)] // of a script without spaces
		}
		if !bytes.ContainsFunc(word, isWordRune) {
			continue
		}
		if len(word)+1 > room {
			break
		}
		room -= len(word) + 1
		dst = append(append(dst, word...), ' ')
	}
	return dst
}

func isGap(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// runeEnd returns where the last character ends that ends within n-1 bytes of text, if it is
// longer.
func runeEnd(text []byte, n int) int {
	if len(text) < n {
		return len(text)
	}
	end := max(n-1, 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
