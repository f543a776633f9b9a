package spec

import (
	"fmt"
	"slices"
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
	x := keys(a)
	y := keys(b)
	if len(x) == 0 || len(y) == 0 {
		return []string{at}
	}
	y = slices.DeleteFunc(y, func(key string) bool { return slices.Contains(x, key) })
	var out []string
	for _, key := range slices.Concat(x, y) {
		for _, key := range differences(join(at, key), child(a, key), child(b, key)) {
			if len(out) == 0 || !strings.HasPrefix(key, out[len(out)-1]+".") {
				out = append(out, key)
			}
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

// keys returns the keys of a block, or of a list of blocks their indexes, like [0]; nothing for a value.
func keys(n *yaml.Node) (keys []string) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			keys = append(keys, n.Content[i].Value)
		}
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode:
		for i := range n.Content {
			keys = append(keys, fmt.Sprintf("[%d]", i))
		}
	}
	return keys
}

// child returns the value of a key, nil if it is not set.
func child(n *yaml.Node, key string) *yaml.Node {
	at := slices.Index(keys(n), key)
	switch {
	case at < 0:
		return nil
	case n.Kind == yaml.MappingNode:
		return n.Content[2*at+1]
	}
	return n.Content[at]
}

// find returns the value of a key like numbers[0].scale, nil if it is not set.
func find(n *yaml.Node, key string) *yaml.Node {
	for _, name := range strings.Split(strings.ReplaceAll(key, "[", ".["), ".") {
		n = child(n, name)
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
