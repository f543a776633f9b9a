package tune

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/core/spec"

	"go.yaml.in/yaml/v3"
)

// maxPoints is the largest grid; a larger one is taken for a mistake.
const maxPoints = 100_000

// Axis is a field of a spec with the values to try.
type Axis struct {
	Path   string   // text.alpha, numbers[0].shrinkage
	Values []string // in YAML
}

// ParseAxis parses an axis such as text.alpha=0.01,0.1,1. Commas inside brackets and braces belong
// to a value.
func ParseAxis(text string) (Axis, error) {
	path, list, ok := strings.Cut(text, "=")
	if !ok || path == "" || list == "" {
		return Axis{}, fmt.Errorf("%q: want a field of the spec and its values, such as text.alpha=0.01,0.1,1", text)
	}
	if _, err := steps(path); err != nil {
		return Axis{}, err
	}
	a := Axis{Path: path}
	for _, v := range splitValues(list) {
		if v = strings.TrimSpace(v); v == "" {
			return Axis{}, fmt.Errorf("%q: one of the values is empty", text)
		}
		if slices.Contains(a.Values, v) {
			return Axis{}, fmt.Errorf("%q: the value %s is repeated", text, v)
		}
		a.Values = append(a.Values, v)
	}
	return a, nil
}

// splitValues splits at commas outside of brackets.
func splitValues(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range list {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, list[start:i])
				start = i + 1
			}
		}
	}
	return append(out, list[start:])
}

// Setting is a field with one value.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// String returns the setting as field=value.
func (s Setting) String() string { return s.Path + "=" + s.Value }

// combine returns all combinations of values; the last axis varies fastest.
func combine(axes []Axis) ([][]Setting, error) {
	points := [][]Setting{nil}
	for i, a := range axes {
		if slices.ContainsFunc(axes[:i], func(b Axis) bool { return b.Path == a.Path }) {
			return nil, fmt.Errorf("%s is in the grid twice: give all its values in one --grid", a.Path)
		}
		if len(points)*len(a.Values) > maxPoints {
			return nil, fmt.Errorf("the grid has more than %d points", maxPoints)
		}
		var next [][]Setting
		for _, p := range points {
			for _, v := range a.Values {
				next = append(next, append(slices.Clone(p), Setting{a.Path, v}))
			}
		}
		points = next
	}
	return points, nil
}

// apply returns the spec of a YAML text with the settings of a point.
func apply(text []byte, point []Setting) (*spec.Spec, error) {
	var root yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("spec: %w", err)
	}
	if root.Kind == 0 || len(root.Content) == 0 {
		root = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	for _, s := range point {
		var value yaml.Node
		if err := yaml.Unmarshal([]byte(s.Value), &value); err != nil || len(value.Content) != 1 {
			return nil, fmt.Errorf("%s=%s: the value is not YAML", s.Path, s.Value)
		}
		path, err := steps(s.Path)
		if err == nil {
			err = set(root.Content[0], path, value.Content[0])
		}
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", s.Path, s.Value, err)
		}
	}
	out, err := yaml.Marshal(&root)
	if err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	return spec.Parse(out)
}

// step is a key of a mapping, or with an empty key an index of a list.
type step struct {
	key   string
	index int
}

// steps parses a path such as numbers[0].shrinkage.
func steps(path string) ([]step, error) {
	var out []step
	bad := fmt.Errorf("%q is not a field of a spec: want a path such as text.alpha or numbers[0].shrinkage", path)
	for part := range strings.SplitSeq(path, ".") {
		key, rest, _ := strings.Cut(part, "[")
		if key == "" {
			return nil, bad
		}
		out = append(out, step{key: key})
		for rest != "" {
			digits, after, closed := strings.Cut(rest, "]")
			i, err := strconv.Atoi(digits)
			if !closed || err != nil || i < 0 || after != "" && after[0] != '[' {
				return nil, bad
			}
			out = append(out, step{index: i})
			rest = strings.TrimPrefix(after, "[")
		}
	}
	return out, nil
}

// set sets the value at a path below n. It creates missing mappings.
func set(n *yaml.Node, path []step, value *yaml.Node) error {
	if len(path) == 0 {
		*n = *value
		return nil
	}
	s := path[0]
	if s.key == "" {
		if n.Kind != yaml.SequenceNode || s.index >= len(n.Content) {
			return fmt.Errorf("the spec has no element %d at this path", s.index)
		}
		return set(n.Content[s.index], path[1:], value)
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" || n.Kind == 0 {
		*n = yaml.Node{Kind: yaml.MappingNode}
	}
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("%q is a field of a value without fields", s.key)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == s.key {
			return set(n.Content[i+1], path[1:], value)
		}
	}
	child := &yaml.Node{}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: s.key}, child)
	return set(child, path[1:], value)
}

// usualPoints is how many points the usual grid has at most.
const usualPoints = 64

// Usual returns axes that are worth a try for a spec: how words are scored, whether the shape of
// the text helps, how much each block is smoothed, and whether pairs of words help. Of many blocks
// it has the first, so that the grid has at most usualPoints.
func Usual(s *spec.Spec) []Axis {
	var axes []Axis
	if s.Text != nil {
		if !s.HasFields() && s.Text.Likelihood != spec.Bernoulli && !s.Text.Norm && s.Text.Weight == 0 {
			axes = append(axes,
				Axis{Path: "text.likelihood", Values: []string{spec.Multinomial, spec.Complement, spec.OneVsAll}},
				Axis{Path: "text.shape", Values: []string{"false", "true"}})
		}
		axes = append(axes, Axis{Path: "text.alpha", Values: []string{"0.01", "0.1", "0.3", "1"}})
		if len(s.Text.Chars) == 0 {
			axes = append(axes, Axis{Path: "text.ngrams", Values: []string{"1", "2"}})
		}
	}
	for i, block := range s.Numbers {
		axes = append(axes, usualNumbers(i, block))
	}
	for i := range s.Categories {
		axes = append(axes, Axis{Path: fmt.Sprintf("categories[%d].alpha", i), Values: []string{"0.1", "1"}})
	}
	for i := range s.Histograms {
		axes = append(axes, Axis{Path: fmt.Sprintf("histograms[%d].alpha", i), Values: []string{"0.1", "1"}})
	}
	points := 1
	for i, a := range axes {
		points *= len(a.Values)
		if points > usualPoints {
			return axes[:i]
		}
	}
	return axes
}

// usualNumbers returns the axis of a block of numbers.
func usualNumbers(i int, block spec.Numbers) Axis {
	at := fmt.Sprintf("numbers[%d].", i)
	switch block.Likelihood {
	case spec.LDA:
		return Axis{Path: at + "shrinkage", Values: []string{"0", "0.1", "0.5", "oas"}}
	case spec.QDA:
		return Axis{Path: at + "reg_param", Values: []string{"0", "0.01", "0.1", "0.5"}}
	}
	return Axis{Path: at + "var_smoothing", Values: []string{"1e-9", "1e-6", "1e-3", "0.1"}}
}
