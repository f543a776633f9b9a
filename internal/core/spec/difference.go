package spec

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// CountingDifference says how two specs count differently, in keys and values of a spec, like
// "text.likelihood is bernoulli here and multinomial there". It is empty if they count alike.
func (s *Spec) CountingDifference(other *Spec) string {
	if s.Counting() == other.Counting() {
		return ""
	}
	here := tree(s.withoutRace())
	there := tree(other.withoutRace())
	var says []string
	for _, key := range differences("", tree(s.counting()), tree(other.counting())) {
		says = append(says, fmt.Sprintf("%s is %s here and %s there", key, flow(find(here, key)), flow(find(there, key))))
	}
	return strings.Join(says, "; ")
}

// withoutRace returns a copy that has the likelihood by which it counts in the text, whatever
// races.
func (s *Spec) withoutRace() *Spec {
	c := *s
	c.Race = nil
	return &c
}

// tree returns the YAML of v.
func tree(v any) *yaml.Node {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		panic(err) // plain data
	}
	return &n
}

// differences returns the keys below the key at whose values are not equal in two trees, like
// text.stem or numbers[0].scale. A block that only one of them has is one key.
func differences(at string, a, b *yaml.Node) []string {
	if flow(a) == flow(b) {
		return nil
	}
	x := children(a)
	y := children(b)
	if len(x) == 0 || len(y) == 0 {
		return []string{at}
	}
	var out []string
	add := func(keys ...string) {
		for _, key := range keys {
			if len(out) == 0 || !strings.HasPrefix(key, out[len(out)-1]+".") {
				out = append(out, key)
			}
		}
	}
	for _, c := range x {
		add(differences(join(at, c.key), c.node, child(y, c.key))...)
	}
	for _, c := range y {
		if child(x, c.key) == nil {
			add(join(at, c.key))
		}
	}
	return out
}

func join(at, key string) string {
	if at == "" || strings.HasPrefix(key, "[") {
		return at + key
	}
	return at + "." + key
}

// keyed is a value with its key in a block, or a block with its index in a list, like [0].
type keyed struct {
	key  string
	node *yaml.Node
}

// children returns what a block or a list of blocks holds, nothing for a value.
func children(n *yaml.Node) []keyed {
	var out []keyed
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, keyed{n.Content[i].Value, n.Content[i+1]})
		}
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode:
		for i, block := range n.Content {
			out = append(out, keyed{fmt.Sprintf("[%d]", i), block})
		}
	}
	return out
}

func child(list []keyed, key string) *yaml.Node {
	for _, c := range list {
		if c.key == key {
			return c.node
		}
	}
	return nil
}

// find returns the value of a key like numbers[0].scale, nil if it is not set.
func find(n *yaml.Node, key string) *yaml.Node {
	for _, name := range strings.Split(strings.ReplaceAll(key, "[", ".["), ".") {
		n = child(children(n), name)
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
