package model

import (
	"fmt"
	"strings"

	"bayestream/internal/gaussian"
)

// Problems says, one sentence each, which blocks of numbers cannot be evaluated for which classes, and why:
// decisions would be made without those blocks.
func (m *Model) Problems() []string {
	var out []string
	for i := range m.numbers {
		b := &m.numbers[i]
		all := make([]Number, len(b.fields))
		for j := range all {
			all[j].Present = true
		}
		for _, c := range m.classes.Live() {
			p := b.Problem(c, all)
			if p == (gaussian.Problem{}) {
				continue
			}
			why := p.Reason
			if p.Field != gaussian.AllFields {
				why = fmt.Sprintf("field %q: %s", b.names[p.Field], why)
			}
			out = append(out, fmt.Sprintf("%s (%s) cannot be evaluated for class %q: %s", b.name, some(b.names), m.classes.Name(c), why))
		}
	}
	return out
}

// some lists the first few names.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
