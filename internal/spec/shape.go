package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/spec/spelling"

	"go.yaml.in/yaml/v3"
)

// decodeSpec reads YAML into s, whose fields hold what is meant where nothing is said. It looks for all that
// YAML's own decoder would tell in words of Go.
func decodeSpec(text []byte, s *Spec) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := d.Decode(&document); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return errors.New("there is more after ---: want one document")
	}
	root := document.Content[0]
	if isNull(root) {
		return nil
	}
	var w walker
	w.value(root, reflect.TypeFor[Spec](), "")
	if len(w.found) > 0 {
		return errors.Join(w.found...)
	}
	if err := root.Decode(s); err != nil {
		return fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: ")) // an alias inside of itself
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// walker compares YAML with a type: keys with the names of fields, values with what they can be.
type walker struct {
	found []error
	depth int
}

// deepest is far below what a spec needs. An alias that stands inside of what it stands for goes on for ever.
const deepest = 20

// value looks at the value of the block or key at.
func (w *walker) value(n *yaml.Node, t reflect.Type, at string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if w.depth++; w.depth > deepest {
		w.say(n, at, "want no blocks inside of themselves")
		return
	}
	defer func() { w.depth-- }()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch fields := fieldsOf(t); {
	case len(fields) > 0:
		w.block(n, fields, at)
	case t.Kind() == reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			w.say(n, at, "want a list, like [a, b]")
			return
		}
		for i, item := range n.Content {
			w.value(item, t.Elem(), fmt.Sprintf("%s[%d]", at, i))
		}
	case t.Kind() == reflect.Map:
		if n.Kind != yaml.MappingNode {
			w.say(n, at, "want names and their values, like {spam: 1}")
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			w.value(n.Content[i+1], t.Elem(), at+"."+n.Content[i].Value)
		}
	default:
		w.scalar(n, t, at)
	}
}

// fieldsOf returns the fields of a block by their keys, nothing for what is no block.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); name != "" {
			out[name] = f.Type
		}
	}
	return out
}

func (w *walker) block(n *yaml.Node, fields map[string]reflect.Type, at string) {
	if n.Kind != yaml.MappingNode {
		w.say(n, at, "want keys and their values; "+keysAre(fields))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			w.value(value, reflect.StructOf(structFields(fields)), at)
			continue
		}
		t, known := fields[key.Value]
		switch first, twice := seen[key.Value]; {
		case twice:
			w.found = append(w.found, fmt.Errorf("%skey %s is there twice, on lines %d and %d", inBlock(at), key.Value, first, key.Line))
		case !known:
			w.found = append(w.found, fmt.Errorf("%sunknown key %s on line %d; %s", inBlock(at), key.Value, key.Line, meant(key.Value, fields)))
		case !isNull(value) || isScalar(t):
			w.value(value, t, strings.TrimPrefix(at+"."+key.Value, "."))
		}
		seen[key.Value] = key.Line
	}
}

// structFields makes fields a struct again: what is merged into a block has its keys.
func structFields(fields map[string]reflect.Type) []reflect.StructField {
	var out []reflect.StructField
	for _, name := range sortedKeys(fields) {
		out = append(out, reflect.StructField{Name: "F" + strconv.Itoa(len(out)), Type: fields[name], Tag: reflect.StructTag(`yaml:"` + name + `"`)})
	}
	return out
}

func sortedKeys(fields map[string]reflect.Type) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// isScalar tells what must have a value where its key is: blocks and lists may be empty.
func isScalar(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice && t.Kind() != reflect.Map && len(fieldsOf(t)) == 0
}

func inBlock(at string) string {
	if at == "" {
		return ""
	}
	return at + ": "
}

func keysAre(fields map[string]reflect.Type) string {
	return "the keys are " + strings.Join(sortedKeys(fields), ", ")
}

// meant says which key was probably meant, else which there are.
func meant(key string, fields map[string]reflect.Type) string {
	if near := spelling.Nearest(key, sortedKeys(fields)); near != "" {
		return "did you mean " + near + "?"
	}
	return keysAre(fields)
}

// scalar tries a value, and says what it should have been.
func (w *walker) scalar(n *yaml.Node, t reflect.Type, at string) {
	if n.Kind == yaml.ScalarNode && !isNull(n) || t.Kind() == reflect.Struct && !isNull(n) {
		err := n.Decode(reflect.New(t).Interface())
		if err == nil && !(reflect.Zero(t).CanInt() && fraction(n)) {
			return
		}
		if t.Kind() == reflect.Struct {
			w.say(n, at, err.Error()) // of our own UnmarshalYAML
			return
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		w.say(n, at, "want true or false")
	case reflect.Int, reflect.Int64:
		w.say(n, at, "want a whole number")
	case reflect.Float64:
		w.say(n, at, "want a number")
	case reflect.Struct:
		w.say(n, at, "want a value")
	default:
		w.say(n, at, "want a text")
	}
}

// fraction tells whether a number is none that an integer can be: YAML's decoder would cut it off.
func fraction(n *yaml.Node) bool {
	var x float64
	return n.Decode(&x) == nil && x != math.Trunc(x)
}

// say takes note of a value that is not what is wanted.
func (w *walker) say(n *yaml.Node, at, want string) {
	if at == "" {
		at = "the spec"
	}
	is := strconv.Quote(n.Value)
	switch {
	case n.Kind == yaml.MappingNode:
		is = "keys and values"
	case n.Kind == yaml.SequenceNode:
		is = "a list"
	case isNull(n):
		is = "empty"
	}
	w.found = append(w.found, fmt.Errorf("%s on line %d is %s: %s", at, n.Line, is, want))
}
