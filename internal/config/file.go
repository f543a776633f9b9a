package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"bayestream/internal/spec/spelling"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// entry is a setting of a file that fits its flag's type.
type entry struct {
	where string // file:line: key
	value any    // text, or a list of texts, for the flag's mapper
}

// readFile reads the settings of a YAML file: a mapping from the names of flags to
// values of their type. It returns what is wrong with it beside what is right.
func readFile(name string, flags []*kong.Flag) (map[string]entry, []string) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, []string{fmt.Sprintf("read the settings: %v", err)}
	}
	pairs, err := decodeMapping(text)
	if err != nil {
		return nil, []string{name + ": " + err.Error()}
	}
	byName := map[string]*kong.Flag{}
	for _, flag := range flags {
		if !fixed(flag) {
			byName[flag.Name] = flag
		}
	}
	entries, problems := map[string]entry{}, []string(nil)
	for _, pair := range pairs {
		key, where := pair.key.Value, fmt.Sprintf("%s:%d", name, pair.key.Line)
		value, err := fileValue(byName[key], key, pair.value, byName)
		if _, twice := entries[key]; twice {
			err = fmt.Errorf("%q is there for the second time", key)
		}
		if err != nil {
			problems = append(problems, where+": "+err.Error())
			continue
		}
		entries[key] = entry{where + ": " + key, value}
	}
	return entries, problems
}

// pair is a line of a mapping.
type pair struct{ key, value *yaml.Node }

// decodeMapping returns the lines of the one mapping that a file may be. An empty
// file has none.
func decodeMapping(text []byte) ([]pair, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is a second document after ---: want one")
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: want settings, one on a line, like checkpoint-each: 5s", root.Line)
	}
	var pairs []pair
	for i := 0; i+1 < len(root.Content); i += 2 {
		value := root.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		pairs = append(pairs, pair{root.Content[i], value})
	}
	return pairs, nil
}

// fileValue returns the value of a key for the mapper of its flag, or says why it
// cannot be one.
func fileValue(flag *kong.Flag, key string, node *yaml.Node, known map[string]*kong.Flag) (any, error) {
	switch {
	case flag == nil:
		return nil, unknownKey(key, known)
	case node.Kind == yaml.SequenceNode && flag.IsSlice():
		return texts(key, node)
	case node.Kind != yaml.ScalarNode:
		return nil, fmt.Errorf("%s: want %s", key, wanted(flag))
	case !fits(flag, node.ShortTag()):
		return nil, fmt.Errorf("%s: %s; want %s", key, found(node), wanted(flag))
	}
	return node.Value, nil
}

// texts returns the elements of a list.
func texts(key string, list *yaml.Node) ([]any, error) {
	out := make([]any, 0, len(list.Content))
	for _, node := range list.Content {
		if node.Kind != yaml.ScalarNode || node.ShortTag() == "!!null" {
			return nil, fmt.Errorf("%s: want a list of texts, like [a, b]", key)
		}
		out = append(out, node.Value)
	}
	return out, nil
}

// fits tells whether a scalar of YAML may be the value of a flag. A number is a
// good text, as it stands: a password may be 0123. What YAML takes for true or for
// nothing is not: it is more likely a slip.
func fits(flag *kong.Flag, tag string) bool {
	switch {
	case tag == "!!null" || tag == "!!binary":
		return false
	case flag.IsBool():
		return tag == "!!bool"
	case tag == "!!bool":
		return false
	case flag.Target.CanInt() && !isDuration(flag):
		return tag == "!!int"
	}
	return true
}

func isDuration(flag *kong.Flag) bool {
	_, ok := flag.Target.Interface().(time.Duration)
	return ok
}

// found says what stands in the file, but not its text, which may be a secret.
func found(node *yaml.Node) string {
	switch node.ShortTag() {
	case "!!null":
		return "there is no value"
	case "!!bool":
		return "this is true or false to YAML"
	case "!!int", "!!float":
		return "this is a number"
	}
	return "this is a text"
}

// wanted says what a flag takes.
func wanted(flag *kong.Flag) string {
	switch {
	case flag.IsBool():
		return "true or false"
	case flag.IsSlice():
		return "a list of texts, like [a, b]"
	case isDuration(flag):
		return "a time, like 500ms, 10s or 2m"
	case flag.Target.CanInt():
		return "a whole number"
	}
	return `a text, in quotes if need be ("" for none)`
}

// unknownKey says that a key is no setting, and which it may have been.
func unknownKey(key string, known map[string]*kong.Flag) error {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	if best := spelling.Nearest(key, names); best != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", key, best)
	}
	for worker, other := range map[string]any{"ingest": &Ingest{}, "classify": &Classify{}} {
		if slices.ContainsFunc(flagsOf(other), func(f *kong.Flag) bool { return f.Name == key }) {
			return fmt.Errorf("unknown key %q: it is a setting of %s, which wants a file of its own", key, worker)
		}
	}
	return fmt.Errorf("unknown key %q: the keys are the names of the flags", key)
}
