package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// CountingDifference says how two specs count differently, "" if they do not, in keys and values as they
// stand in a spec: "text.likelihood is bernoulli here and multinomial there".
func (s *Spec) CountingDifference(other *Spec) string {
	if s.Counting() == other.Counting() {
		return ""
	}
	here, there := tree(s), tree(other)
	var says []string
	for _, at := range differences(nil, tree(s.counted()), tree(other.counted())) {
		says = append(says, fmt.Sprintf("%s is %s here and %s there", strings.TrimPrefix(strings.Join(at, ""), "."), flow(find(here, at)), flow(find(there, at))))
	}
	return strings.Join(says, "; ")
}

// counted returns a spec in which all that does not change the counts is the same for all specs, and of the
// values that count alike stands only one.
func (s *Spec) counted() *Spec {
	c := &Spec{Format: s.Format, Classes: s.Classes, Limits: s.Limits}
	if s.Text != nil {
		text := *s.Text
		if text.Likelihood != Bernoulli { // which counts documents, where the others count occurrences
			text.Likelihood = Multinomial
		}
		text.Alpha, text.Norm, text.Weight = 0, false, 0
		c.Text = &text
	}
	for i := range s.Numbers {
		n := &s.Numbers[i]
		counted := Numbers{Fields: n.Fields, Likelihood: Gaussian, Scale: math.Pow10(-n.Digits())}
		if n.Full() {
			counted.Likelihood = QDA
		}
		c.Numbers = append(c.Numbers, counted)
	}
	for _, f := range s.Categories {
		c.Categories = append(c.Categories, Category{Field: f.Field})
	}
	for _, h := range s.Histograms {
		h.Alpha = 0
		c.Histograms = append(c.Histograms, h)
	}
	return c
}

// tree returns a spec as YAML.
func tree(s *Spec) *yaml.Node {
	var n yaml.Node
	if err := n.Encode(s); err != nil {
		panic(err) // plain data
	}
	return &n
}

// differences returns the paths of what is not the same in two trees, in their order: keys like ".text",
// and places in a list of blocks like "[0]". A block that only one of them has is one path.
func differences(at []string, a, b *yaml.Node) [][]string {
	if flow(a) == flow(b) {
		return nil
	}
	x, y := children(a), children(b)
	if len(x) == 0 || len(y) == 0 {
		return [][]string{at}
	}
	var out [][]string
	for _, c := range x {
		out = append(out, differences(append(slices.Clip(at), c.step), c.node, step(y, c.step))...)
	}
	for _, c := range y {
		if step(x, c.step) == nil {
			out = append(out, append(slices.Clip(at), c.step))
		}
	}
	return out
}

// child is a value of a block, or a block of a list.
type child struct {
	step string
	node *yaml.Node
}

// children returns what a block or a list of blocks holds, nothing for a value.
func children(n *yaml.Node) []child {
	var out []child
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, child{"." + n.Content[i].Value, n.Content[i+1]})
		}
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode:
		for i, block := range n.Content {
			out = append(out, child{fmt.Sprintf("[%d]", i), block})
		}
	}
	return out
}

func step(list []child, name string) *yaml.Node {
	for _, c := range list {
		if c.step == name {
			return c.node
		}
	}
	return nil
}

// find returns what stands at a path, nil for nothing.
func find(n *yaml.Node, at []string) *yaml.Node {
	for _, name := range at {
		n = step(children(n), name)
	}
	return n
}

// flow returns a value on one line.
func flow(n *yaml.Node) string {
	if n == nil {
		return "not set"
	}
	inline := *n
	inline.Style |= yaml.FlowStyle
	text, err := yaml.Marshal(&inline)
	if err != nil {
		panic(err) // it was made of plain data
	}
	return strings.TrimSpace(string(text))
}
