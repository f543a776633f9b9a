package htmltext

import (
	"bytes"
	"hash/fnv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// key is an attribute that is read.
type key int

const (
	keyStyle key = iota
	keyClass
	keyID
	keyHidden
	keyOpen
	keySize
	keyType
	keyMedia
	keyAlt
	keyValue
	keyWidth
	keyHeight
	keyHref
	keySrc
	keyAction
	keyFormaction
	keyBackground
	keyDisplay // of SVG, like the following
	keyVisibility
	keyOpacity
	keyFontSize
	keys
)

// linkKeys are the attributes that can lead elsewhere.
var linkKeys = [...]key{keyHref, keySrc, keyAction, keyFormaction, keyBackground}

var keyNames = [keys]string{"style", "class", "id", "hidden", "open", "size", "type", "media", "alt", "value", "width",
	"height", "href", "src",
	"action", "formaction", "background", "display", "visibility", "opacity", "font-size"}

// keyOf has each attribute by its name.
var keyOf = func() map[string]key {
	table := map[string]key{"xlink:href": keyHref}
	for k, name := range keyNames {
		table[name] = key(k)
	}
	return table
}()

// A tag is a start tag or an end tag, with the attributes that are read; nil: one that is not there.
type tag struct {
	id     uint32
	kind   kind
	name   []byte
	values [keys][]byte
	valued bool   // there is one
	key    []byte // scratch
}

// idOf returns a number for the name of an element: its atom, or of others a hash, which is above
// all atoms.
func idOf(name []byte) uint32 {
	if a := atom.Lookup(name); a != 0 {
		return uint32(a)
	}
	h := fnv.New32a()
	h.Write(name)
	return h.Sum32() | 1<<31
}

// readName reads the name of the tag that a tokenizer is at, out of its source: the tokenizer would
// copy it.
func (t *tag) readName(z *html.Tokenizer) {
	source := bytes.TrimPrefix(z.Raw()[len("<"):], []byte("/"))
	t.name = t.name[:0]
	for _, c := range source {
		if endsName(c) {
			break
		}
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		t.name = append(t.name, c)
	}
	t.id = idOf(t.name)
	t.kind = kindOf(t.id)
}

func endsName(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', '\f', '/', '>':
		return true
	}
	return false
}

// read reads the start tag that a tokenizer is at. Of several attributes of one name the first
// counts.
func (t *tag) read(z *html.Tokenizer) {
	t.readName(z)
	if t.valued {
		clear(t.values[:])
		t.valued = false
	}
	for more := true; more; {
		var name, value []byte
		name, value, more = z.TagAttr()
		if len(name) == 0 {
			continue
		}
		if k, ok := keyOf[string(name)]; ok && t.values[k] == nil {
			t.valued = true
			t.values[k] = value
			if value == nil {
				t.values[k] = []byte{}
			}
		}
	}
}

func (t *tag) is(a atom.Atom) bool { return t.id == uint32(a) }

func (t *tag) has(k key) bool { return t.values[k] != nil }

// label returns the text that an element shows by itself.
func (t *tag) label() []byte {
	switch {
	case t.is(atom.Img) && (isPoint(t.values[keyWidth]) || isPoint(t.values[keyHeight])): // counts who reads
		return nil
	case t.is(atom.Img), t.is(atom.Area):
		return t.values[keyAlt]
	case t.is(atom.Input):
		switch string(bytes.ToLower(t.values[keyType])) {
		case "image":
			return t.values[keyAlt]
		case "", "text", "submit", "button", "reset", "search":
			return t.values[keyValue]
		}
	}
	return nil
}

// isPoint reports the sizes of a picture that nobody sees.
func isPoint(size []byte) bool { return string(size) == "0" || string(size) == "1" }

// style returns what an element declares: by its attributes, by the sheet, and by its style
// attribute.
func (t *tag) style(s sheet, quirks, foreign bool) (own style) {
	own.byDefault(t, quirks)
	if foreign || t.is(atom.Svg) {
		if t.is(atom.Title) {
			own.set(display, hides, weightDefault)
		}
		for _, k := range []key{keyDisplay, keyVisibility, keyOpacity, keyFontSize} {
			if t.has(k) {
				own.declare(keyNames[k], t.values[k], weightDefault)
			}
		}
	}
	if len(s) > 0 {
		if quirks && t.valued {
			t.values[keyClass] = bytes.ToLower(t.values[keyClass])
			t.values[keyID] = bytes.ToLower(t.values[keyID])
		}
		s.apply(&own, t)
	}
	if t.has(keyStyle) {
		own.declareAll(t.values[keyStyle], weightInline)
	}
	return own
}
