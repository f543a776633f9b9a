// Package shape reads one YAML document strictly: it compares keys and values with a Go type and
// reports every mistake in the document with its line, its key and what is wanted.
//
// The strict modes of the libraries do less. KnownFields of go.yaml.in/yaml 3.0.6 and 4.0.0 ends at
// a type with its own UnmarshalYAML, takes an empty value for a default and answers in Go's types
// without the key ("line 1: cannot unmarshal !!str `perhaps` into bool"); 3.0.6 also takes 1.5 for
// the integer 1. goccy/go-yaml 1.19.2 shows column and source but only the first mistake, and takes
// 1.5 for 1 and "2" for 2.
package shape

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/spec/spelling"

	"go.yaml.in/yaml/v3"
)

// deepest is how deep values may be nested within a line or by brackets. The library takes a
// kilobyte for each level, of which two bytes of text make one; by indentation a level takes as
// many bytes as it is deep.
const deepest = 256

// indicators begin values within each other, on one line.
var indicators = regexp.MustCompile(fmt.Sprintf(`([-?:][ \t]+){%d}`, deepest))

// isDeep reports whether values are nested too deep. Brackets in strings count too.
func isDeep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth = max(0, depth-1)
		}
		if depth > deepest {
			return true
		}
	}
	return indicators.Match(text)
}

// Document returns the root of the only document in text, nil if it is empty.
func Document(text []byte) (*yaml.Node, error) {
	if isDeep(text) {
		return nil, fmt.Errorf("values are nested more than %d deep: want fewer levels", deepest)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	err := d.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, notYAML(withLine(err, text))
	}
	switch err := d.Decode(&yaml.Node{}); {
	case err == nil:
		return nil, errors.New("a second document follows ---: want one")
	case !errors.Is(err, io.EOF):
		return nil, notYAML(withLine(err, text))
	}
	root := document.Content[0]
	if isNull(root) {
		return nil, nil
	}
	return root, nil
}

// Decode reads text into the struct that dst points to. Keys that are not set leave their fields as
// they are. The error joins one error for every mistake.
func Decode(text []byte, dst any) error {
	root, err := Document(text)
	if err != nil || root == nil {
		return err
	}
	c := checker{fields: map[reflect.Type]map[string]reflect.Type{}}
	c.value(root, reflect.TypeOf(dst).Elem(), "")
	if more := len(c.found) - mostMistakes; more > 0 { // it is no such document
		c.found = append(c.found[:mostMistakes], fmt.Errorf("and %d more mistakes", more))
	}
	if len(c.found) > 0 {
		return errors.Join(c.found...)
	}
	if err := root.Decode(dst); err != nil {
		return notYAML(err) // an anchor within its own value
	}
	return nil
}

const (
	mostMistakes = 50
	longest      = 60 // bytes of a key or value that a sentence repeats
)

// cut returns the start of a text.
func cut(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}

// withLine adds the line to an error of the parser, which leaves out the first. An error that has a
// line once the text is moved down by one is of that line.
func withLine(err error, text []byte) error {
	const line = "yaml: line "
	moved := yaml.Unmarshal(append([]byte("\n"), text...), &yaml.Node{})
	if strings.HasPrefix(err.Error(), line) || moved == nil || !strings.HasPrefix(moved.Error(), line) {
		return err
	}
	return fmt.Errorf("line 1: %s", strings.TrimPrefix(err.Error(), "yaml: "))
}

func notYAML(err error) error {
	said := strings.TrimPrefix(err.Error(), "yaml: ")
	for _, s := range sayings {
		said = strings.Replace(said, s.theirs, s.ours, 1)
	}
	return fmt.Errorf("not YAML: %s", said)
}

// sayings are what the parser says of the most common mistakes, and what to do.
var sayings = []struct{ theirs, ours string }{
	{"found character that cannot start any token", "a value or key begins with a tab, or with another character that " +
		"must be in quotes: indent with spaces"},
	{"mapping values are not allowed in this context",
		"a second colon: put a value that has one in quotes, or begin a new line for its keys"},
	{"did not find expected ',' or '}'", "a { is not closed, or a comma is missing"},
	{"did not find expected ',' or ']'", "a [ is not closed, or a comma is missing"},
	{"did not find expected <document start>", "behind the end of a { } or [ ] follows more, here or on the next line"},
	{"did not find expected node content", "a [ or { is not closed, or a value is missing"},
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// checker collects the mistakes in a document.
type checker struct {
	found  []error
	merges int
	fields map[reflect.Type]map[string]reflect.Type // what fieldsOf has returned
}

// maxMerges bounds the merge keys (<<) of a document, one of which may be within its own value.
const maxMerges = 100

// value compares the value of the key at with its type.
func (c *checker) value(n *yaml.Node, t reflect.Type, at string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case len(c.fieldsOf(t)) > 0:
		c.block(n, t, at)
	case t.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			c.say(n, at, "want a list, like [a, b]")
			return
		}
		for i, item := range n.Content {
			c.value(item, t.Elem(), fmt.Sprintf("%s[%d]", at, i))
		}
	case t.Kind() == reflect.Map:
		if n.Kind != yaml.MappingNode {
			c.say(n, at, "want names and their values, like {spam: 1}")
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			c.value(n.Content[i+1], t.Elem(), at+"."+n.Content[i].Value)
		}
	default:
		c.scalar(n, t, at)
	}
}

// block compares the keys and values of a mapping with the fields of a struct.
func (c *checker) block(n *yaml.Node, t reflect.Type, at string) {
	fields := c.fieldsOf(t)
	if n.Kind != yaml.MappingNode {
		c.say(n, at, "want keys and their values; "+keysAre(fields))
		return
	}
	in := ""
	if at != "" {
		in = at + ": "
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		value := n.Content[i+1]
		name := key.Value
		first, twice := lines[name]
		lines[name] = key.Line
		field, known := fields[name]
		switch {
		case key.ShortTag() == "!!merge":
			c.merge(value, t, at)
		case twice:
			c.found = append(c.found, fmt.Errorf("%skey %s occurs twice, on lines %d and %d", in, cut(name), first, key.Line))
		case !known:
			c.found = append(c.found, fmt.Errorf("%sunknown key %s on line %d; %s", in, cut(name), key.Line,
				meant(name, fields)))
		case !isNull(value) || !c.mayBeEmpty(field):
			c.value(value, field, strings.TrimPrefix(at+"."+name, "."))
		}
	}
}

// merge compares the value of a merge key with the struct that it is merged into.
func (c *checker) merge(n *yaml.Node, t reflect.Type, at string) {
	c.merges++
	if c.merges > maxMerges {
		return // decoding refuses a value within itself
	}
	c.value(n, t, at)
}

// scalar decodes one value alone, and says what is wanted if that fails.
func (c *checker) scalar(n *yaml.Node, t reflect.Type, at string) {
	own := t.Kind() == reflect.Struct // with its own UnmarshalYAML, whose error says what is wanted
	var err error
	if n.Kind == yaml.ScalarNode || own {
		err = n.Decode(reflect.New(t).Interface())
	}
	switch {
	case own && err != nil:
		c.say(n, at, err.Error())
	case n.Kind != yaml.ScalarNode && !own, isNull(n), err != nil, reflect.Zero(t).CanInt() && fraction(n):
		c.say(n, at, wanted(t))
	}
}

// fraction reports whether n is a number that no integer equals: the decoder would cut it off.
func fraction(n *yaml.Node) bool {
	var x float64
	return n.Decode(&x) == nil && x != math.Trunc(x)
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "want true or false"
	case reflect.Int, reflect.Int64:
		return "want a whole number"
	case reflect.Float64:
		return "want a number"
	case reflect.String:
		return "want a text"
	}
	return "want a value"
}

// say adds the mistake that the value of the key at is not what is wanted.
func (c *checker) say(n *yaml.Node, at, want string) {
	at = cmp.Or(at, "the document")
	is := strconv.Quote(cut(n.Value))
	switch {
	case n.Kind == yaml.MappingNode:
		is = "keys and values"
	case n.Kind == yaml.SequenceNode:
		is = "a list"
	case isNull(n):
		is = "empty"
	}
	c.found = append(c.found, fmt.Errorf("%s on line %d is %s: %s", at, n.Line, is, want))
}

// fieldsOf returns the types of the fields of a struct by their keys, nothing for other types.
func (c *checker) fieldsOf(t reflect.Type) map[string]reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	out, known := c.fields[t]
	if known {
		return out
	}
	out = map[string]reflect.Type{}
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" {
			out[name] = f.Type
		}
	}
	c.fields[t] = out
	return out
}

// mayBeEmpty reports whether a key may have no value: the keys of blocks, lists and maps may.
func (c *checker) mayBeEmpty(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	}
	return len(c.fieldsOf(t)) > 0
}

func keysAre(fields map[string]reflect.Type) string {
	return "the keys are " + strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// meant returns the key that was probably meant, or all keys.
func meant(key string, fields map[string]reflect.Type) string {
	if near := spelling.Nearest(key, slices.Collect(maps.Keys(fields))); near != "" {
		return "did you mean " + near + "?"
	}
	return keysAre(fields)
}
