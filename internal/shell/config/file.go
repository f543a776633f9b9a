package config

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"bayestream/internal/core/spec/shape"
	"bayestream/internal/core/spec/spelling"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// entry is a setting of a file.
type entry struct {
	where string // file:line: key
	value any    // string or []any of strings, for the flag's mapper
}

// readFile reads the settings of a YAML file: a mapping from the names of flags to their values. It
// returns the valid entries and one problem for each of the others.
func readFile(name string, flags []*kong.Flag) (entries map[string]entry, problems []string) {
	root, err := readMapping(name)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if root == nil {
		return nil, nil
	}
	return readSettings(name, root, flags)
}

// readMapping reads a YAML file; nil is one that says nothing.
func readMapping(name string) (*yaml.Node, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	root, err := shape.Document(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return root, nil
}

// readSettings reads a mapping from the names of flags to their values.
func readSettings(name string, root *yaml.Node, flags []*kong.Flag) (entries map[string]entry, problems []string) {
	entries = map[string]entry{}
	if root.Kind != yaml.MappingNode {
		return entries, []string{fmt.Sprintf("%s:%d: want settings, one on a line, like checkpoint-each: 5s", name,
			root.Line)}
	}
	known := map[string]*kong.Flag{}
	for _, flag := range flags {
		if !fixed(flag) {
			known[flag.Name] = flag
		}
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i].Value
		where := fmt.Sprintf("%s:%d: ", name, root.Content[i].Line)
		value, err := fileValue(key, root.Content[i+1], known)
		if _, twice := entries[key]; twice {
			err = fmt.Errorf("key %q occurs twice", key)
		}
		if err != nil {
			problems = append(problems, where+err.Error())
			continue
		}
		entries[key] = entry{where + key, value}
	}
	return entries, problems
}

// fileValue returns the value of a key for the mapper of its flag, which reads it like a value of
// the command line.
func fileValue(key string, n *yaml.Node, known map[string]*kong.Flag) (any, error) {
	flag := known[key]
	if flag == nil {
		return nil, unknownKey(key, known)
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.SequenceNode || !flag.IsSlice() {
		return scalar(key, n, flag.IsBool())
	}
	list := make([]any, 0, len(n.Content))
	for _, item := range n.Content {
		text, err := scalar(key, item, false)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// scalar returns the text of a value as written: a password may be 0123. A switch takes a boolean
// of YAML, and nothing else does. Errors do not quote the value, which may be a secret.
func scalar(key string, n *yaml.Node, isSwitch bool) (string, error) {
	tag := n.ShortTag()
	switch {
	case n.Kind != yaml.ScalarNode:
		return "", fmt.Errorf("%s: want a value as on the command line", key)
	case tag == "!!null":
		return "", fmt.Errorf(`%s: the value is missing; "" is an empty text`, key)
	case isSwitch && tag != "!!bool":
		return "", fmt.Errorf("%s: want true or false, without quotes", key)
	case !isSwitch && tag == "!!bool", tag == "!!binary":
		return "", fmt.Errorf("%s: YAML does not read this as a text: put it in quotes", key)
	}
	return n.Value, nil
}

// unknownKey returns the error of an unknown key, with the key that was probably meant.
func unknownKey(key string, known map[string]*kong.Flag) error {
	if best := spelling.Nearest(key, slices.Collect(maps.Keys(known))); best != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", key, best)
	}
	if worker := ownerOf()[key]; worker != "" {
		return fmt.Errorf("unknown key %q: it is a setting of %s, which needs its own file", key, worker)
	}
	return fmt.Errorf("unknown key %q: the keys are the names of the settings", key)
}

// ownerOf maps the settings of all workers to one that has them. The flags are parsed once, not for
// each unknown key.
var ownerOf = sync.OnceValue(func() map[string]string {
	owner := map[string]string{}
	for _, flag := range flagsOf(&Ingest{}) {
		owner[flag.Name] = "ingest"
	}
	for _, flag := range flagsOf(&Classify{}) {
		owner[flag.Name] = "classify"
	}
	return owner
})

// paths returns the mappers of the types path and existingfile. They replace kong's, which turn an
// empty path into the working directory and use the first file of a flag that is given twice.
// absolute makes paths absolute: readers of a worker's log do not know its working directory. The
// verbs show paths as typed.
func paths(absolute bool) []kong.Option {
	lists := kong.NewRegistry().RegisterDefaults()
	plain, existing := pathMapper{lists, false, absolute}, pathMapper{lists, true, absolute}
	lists.RegisterName("path", plain).RegisterName("existingfile", plain)
	return []kong.Option{kong.NamedMapper("path", plain), kong.NamedMapper("existingfile", existing)}
}

// pathMapper expands a leading ~, which shells do not in --flag=~/file. An empty path stays empty,
// and - is standard input.
type pathMapper struct {
	lists    *kong.Registry // splits a list without checking its files
	exist    bool           // the file must exist
	absolute bool           // the path is made absolute
}

// Decode reads a path, or a list of them.
func (m pathMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if target.Kind() == reflect.Slice {
		before := target.Len()
		if err := m.lists.ForType(target.Type()).Decode(ctx, target); err != nil {
			return err
		}
		for i := before; i < target.Len(); i++ {
			if err := m.check(target.Index(i).String()); err != nil {
				return err
			}
		}
		return nil
	}
	var path string
	if err := ctx.Scan.PopValueInto("file", &path); err != nil {
		return fmt.Errorf("read the path: %w", err)
	}
	if path != "" && path != "-" && (m.absolute || strings.HasPrefix(path, "~/")) {
		path = kong.ExpandPath(path)
	}
	target.SetString(path)
	return m.check(path)
}

func (m pathMapper) check(path string) error {
	if !m.exist || path == "" || path == "-" {
		return nil
	}
	if err := checkFile(path); err != nil {
		return fileError{err}
	}
	return nil
}

// fileError is an error about the file of a well-formed value.
type fileError struct{ error }
