package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A pattern in the fields of a block of numbers stands for all fields of records whose names begin
// and end as it does: word_freq_* for word_freq_make, word_freq_address and so on. What counts is
// the list of names, so that a pattern is expanded before the first record is counted.

// isPattern reports whether a name has a star.
func isPattern(name string) bool { return strings.Contains(name, "*") }

// Patterns returns the patterns among the fields of numbers, in order.
func (s *Spec) Patterns() []string {
	var found []string
	for _, n := range s.Numbers {
		for _, f := range n.Fields {
			if isPattern(f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// Expand replaces patterns by the names that match and that the block does not have already, in the
// order of names. The error says which pattern none matches.
func (s *Spec) Expand(names []string) error {
	for i := range s.Numbers {
		block := &s.Numbers[i]
		var fields []string
		for _, f := range block.Fields {
			if !isPattern(f) {
				fields = append(fields, f)
				continue
			}
			before := len(fields)
			for _, name := range names {
				if matches(f, name) && !slices.Contains(fields, name) && !slices.Contains(block.Fields, name) {
					fields = append(fields, name)
				}
			}
			if len(fields) == before {
				return fmt.Errorf("numbers[%d].fields: no numeric field of the records matches %s", i, f)
			}
		}
		block.Fields = fields
	}
	return nil
}

// matches reports whether a name begins as a pattern does before its first star, and ends as it
// does behind it.
func matches(pattern, name string) bool {
	begin, end, _ := strings.Cut(pattern, "*")
	return len(name) >= len(begin)+len(end) && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end)
}
