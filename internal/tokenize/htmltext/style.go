package htmltext

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// property is one of those that can hide.
type property int

const (
	display property = iota
	visibility
	size
	opacity
	overflow
	extent  // height or width
	content // of the element, whatever its styles
	properties
)

// setting is the value of a property, as far as it hides.
type setting uint8

const (
	unset    setting = iota
	hides            // none, hidden, 0
	shows            // any other value
	inherits         // that of the element around it
	blocks           // of display: the element is a block
	boxes            // of display: it is one inside a line
	rows             // of display: it is a part of a table
	inlines          // of display: it is a part of a line
	folds            // of content: only unfolded elements show
)

// A declared setting has a weight: of several the heaviest counts, and of equal ones the last.
type declared struct {
	setting setting
	weight  uint32
}

// Weights: by default < a sheet < a style attribute, and above them the important ones in that
// order. The specificity and the order of the rule are between.
const (
	weightDefault   = 0
	weightSheet     = 1 << 26
	weightInline    = 1 << 29
	weightImportant = 1 << 30
)

// A style has the declarations of an element or a rule.
type style [properties]declared

func (s *style) set(p property, v setting, weight uint32) {
	if weight >= s[p].weight {
		s[p] = declared{v, weight}
	}
}

// add adds the declarations of a rule.
func (s *style) add(rule *style) {
	for p, d := range rule {
		if d.setting != unset {
			s.set(property(p), d.setting, d.weight)
		}
	}
}

// raise adds the declarations that are heavier, and reports whether there are any: of two tags of
// one element the first counts.
func (s *style) raise(other *style) (raised bool) {
	for p, d := range other {
		if d.setting != unset && (d.weight > s[p].weight || s[p].setting == unset) {
			s[p] = d
			raised = true
		}
	}
	return raised
}

// Elements of SVG: two that show nothing, and the text of a drawing.
var metadata, definitions, drawnText = atom.Atom(idOf([]byte("metadata"))), atom.Atom(idOf([]byte("defs"))),
	atom.Atom(idOf([]byte("text")))

// byDefault declares what the attributes of an element, and browsers by themselves, say.
func (s *style) byDefault(t *tag, quirks bool) {
	switch atom.Atom(t.id) {
	case atom.Template, atom.Datalist, atom.Audio, atom.Video, atom.Canvas, atom.Progress, atom.Meter:
		s.set(display, hides, weightInline|weightImportant)
	case atom.Svg, atom.Math:
		s.set(content, hides, weightDefault)
	case atom.Foreignobject, drawnText, atom.Mi, atom.Mn, atom.Mo, atom.Ms, atom.Mtext, atom.AnnotationXml:
		s.set(content, shows, weightDefault)
	case atom.Desc, atom.Rp, metadata, definitions:
		s.set(display, hides, weightDefault)
	case atom.Dialog:
		if !t.has(keyOpen) {
			s.set(display, hides, weightDefault)
		}
	case atom.Font:
		if t.has(keySize) {
			s.set(size, shows, weightDefault)
		}
	case atom.Details:
		if !t.has(keyOpen) {
			s.set(content, folds, weightDefault)
		}
	case atom.Select:
		s.set(size, shows, weightDefault)
		s.set(content, folds, weightDefault)
	case atom.Input:
		s.set(size, shows, weightDefault)
		if bytes.EqualFold(t.values[keyType], []byte("hidden")) {
			s.set(display, hides, weightDefault)
		}
	case atom.Button, atom.Textarea:
		s.set(size, shows, weightDefault)
	case atom.Table:
		if quirks {
			s.set(size, shows, weightDefault)
		}
	}
	if t.has(keyHidden) {
		s.set(display, hides, weightDefault)
	}
}

// declareAll reads the declarations of a style attribute or a rule.
func (s *style) declareAll(text []byte, weight uint32) {
	text = cleanCSS(text)
	for len(text) > 0 {
		var declaration []byte
		declaration, text = cutDeclaration(text)
		name, value, found := bytes.Cut(declaration, []byte(":"))
		if found {
			s.declare(string(bytes.ToLower(bytes.TrimSpace(name))), value, weight)
		}
	}
}

// declare reads one declaration. A value that no browser knows is none.
func (s *style) declare(name string, value []byte, weight uint32) {
	p, known := propertyNames[name]
	if !known || len(value) > maxValueBytes {
		return
	}
	text, mark, isImportant := strings.Cut(strings.ToLower(string(value)), "!")
	if isImportant {
		if strings.TrimSpace(mark) != "important" {
			return
		}
		weight |= weightImportant
	}
	text = strings.TrimSpace(text)
	if v := readSetting(name, text); v != unset {
		s.set(p, v, weight)
	}
}

// maxValueBytes bounds a value; of longer ones none hides.
const maxValueBytes = 500

var propertyNames = map[string]property{
	"display": display, "visibility": visibility, "font-size": size, "font": size, "opacity": opacity,
	"content-visibility": opacity,
	"overflow":           overflow, "overflow-y": overflow, "overflow-x": overflow,
	"height": extent, "max-height": extent, "width": extent, "max-width": extent,
}

func readSetting(name, value string) setting {
	switch name {
	case "display":
		return readDisplay(value)
	case "visibility":
		return oneOf(value, []string{"hidden", "collapse"}, []string{"visible", "initial"})
	case "font-size":
		return readSize(value)
	case "font":
		return readFont(value)
	case "opacity":
		return readOpacity(value)
	case "content-visibility":
		return oneOf(value, []string{"hidden"}, nil)
	case "overflow", "overflow-y", "overflow-x":
		return oneOf(value, []string{"hidden", "clip"}, []string{"visible", "auto", "scroll", "initial", "unset"})
	}
	if v := readSize(value); v == hides {
		return hides
	}
	return unset
}

func oneOf(value string, hiding, showing []string) setting {
	switch {
	case slices.Contains(hiding, value):
		return hides
	case slices.Contains(showing, value):
		return shows
	case value == "inherit", value == "unset":
		return inherits
	}
	return unset
}

func readDisplay(value string) setting {
	switch value {
	case "none":
		return hides
	case "block", "flex", "grid", "flow-root", "list-item":
		return blocks
	case "inline-block", "inline-flex", "inline-grid":
		return boxes
	case "table", "table-row", "table-cell", "table-row-group", "table-header-group", "table-footer-group", "table-column",
		"table-caption", "-webkit-box":
		return rows
	case "inline", "contents", "initial", "unset", "inline-table":
		return inlines
	case "revert", "run-in":
		return shows
	}
	return unset
}

func readOpacity(value string) setting {
	number, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	switch {
	case err == nil && number <= 0:
		return hides
	case err == nil, value == "initial", value == "unset":
		return shows
	}
	return unset
}

// readSize reads a size of letters: shows for one of its own, inherits for one that is a multiple
// of that around.
func readSize(value string) setting {
	switch value {
	case "xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "initial":
		return shows
	case "smaller", "larger", "inherit", "unset":
		return inherits
	}
	if inside, ok := strings.CutPrefix(value, "calc("); ok {
		return readCalc(strings.TrimSuffix(inside, ")"))
	}
	digits := strings.IndexFunc(value, func(r rune) bool { return !strings.ContainsRune("+-.0123456789", r) })
	if digits < 0 {
		digits = len(value)
	}
	number, err := strconv.ParseFloat(value[:digits], 64)
	if err != nil || number < 0 {
		return unset
	}
	switch unit := value[digits:]; unit {
	case "em", "%", "ex", "ch":
		if number > 0 {
			return inherits
		}
	case "", "px", "pt", "pc", "in", "cm", "mm", "q", "rem", "vw", "vh", "vmin", "vmax":
		if number > 0 {
			return shows
		}
	default:
		return unset
	}
	return hides
}

// readCalc reads a sum: one with a digit that is not zero is taken for a size.
func readCalc(sum string) setting {
	if strings.ContainsAny(sum, "123456789") {
		return shows
	}
	return hides
}

// readFont reads the size in a value of font: behind the style and the weight, and before the names
// of fonts.
func readFont(value string) setting {
	switch value {
	case "inherit", "unset":
		return inherits
	case "initial", "menu", "caption", "icon", "message-box", "small-caption", "status-bar":
		return shows
	}
	words := strings.Fields(value)
	for i, word := range words[:max(len(words)-1, 0)] {
		length, _, _ := strings.Cut(word, "/")
		if isWeight(length) && i < 3 {
			continue
		}
		if v := readSize(length); v != unset {
			return v
		}
	}
	return unset
}

// isWeight reports the numbers that are weights of a font.
func isWeight(word string) bool { return len(word) == 3 && word[1:] == "00" && word[0] != '0' }

// cutDeclaration cuts the first declaration. A semicolon in quotes or parentheses does not end it.
func cutDeclaration(text []byte) (declaration, rest []byte) {
	quote, depth := byte(0), 0
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth = max(depth-1, 0)
		case c == ';' && depth == 0:
			return text[:i], text[i+1:]
		}
	}
	return text, nil
}

// cleanCSS returns a text without comments and escapes.
func cleanCSS(text []byte) []byte {
	if bytes.Contains(text, []byte("/*")) {
		text = withoutComments(text)
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		text = unescapeCSS(text)
	}
	return text
}

func withoutComments(text []byte) []byte {
	var out []byte
	for {
		before, rest, found := bytes.Cut(text, []byte("/*"))
		out = append(out, before...)
		if !found {
			return out
		}
		_, text, found = bytes.Cut(rest, []byte("*/"))
		if !found {
			return out
		}
	}
}

// unescapeCSS replaces escapes: a backslash and up to six hexadecimal digits with a blank behind
// them, or any other character.
func unescapeCSS(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		end := i + 1
		for end < len(text) && end < i+7 && isHex(text[end]) {
			end++
		}
		if end == i+1 {
			out = append(out, text[end])
			i = end
			continue
		}
		code, _ := strconv.ParseUint(string(text[i+1:end]), 16, 32)
		out = append(out, string(rune(code))...)
		if end < len(text) && (text[end] == ' ' || text[end] == '\t' || text[end] == '\n') {
			end++
		}
		i = end - 1
	}
	return out
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
