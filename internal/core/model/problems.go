package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/gaussian"
)

// Problems says, one sentence each, which blocks cannot be evaluated for which classes, and why:
// decisions would be made without those blocks.
func (m *Model) Problems() []string {
	var out []string
	for i := range m.numbers {
		b := &m.numbers[i]
		for _, c := range m.classes.Live() {
			if why := m.Problem(i, c); why != "" {
				out = append(out, fmt.Sprintf("%s (%s) cannot be evaluated for class %q: %s", b.name, some(b.names),
					m.classes.Name(c), why))
			}
		}
	}
	for i := range m.fields() {
		b := &m.values[i]
		for _, c := range m.classes.Live() {
			if b.like.Unknown(c) {
				out = append(out, fmt.Sprintf("%s (%s) cannot be evaluated for class %q: no document of it has the field, and "+
					"alpha is 0", b.name, some(b.names), m.classes.Name(c)))
			}
		}
	}
	return out
}

// Problem says why the i-th block of numbers cannot be evaluated for a class; "": it can.
func (m *Model) Problem(i, class int) string {
	b := &m.numbers[i]
	all := make([]Number, len(b.fields))
	for j := range all {
		all[j].Present = true
	}
	p := b.Problem(class, all)
	switch {
	case p == (gaussian.Problem{}):
		return ""
	case p.Field != gaussian.AllFields && b.Rows(p.Field) == 0:
		return fmt.Sprintf("no record had the field %q", b.names[p.Field])
	case p.Field != gaussian.AllFields:
		return fmt.Sprintf("field %q: %s at the scale %v", b.names[p.Field], p.Reason, math.Pow10(-m.spec.Digits()))
	}
	return p.Reason
}

// Unseen returns the fields of the spec that no document had, none before the first document. Of a
// block that counts the products of its fields it returns all where no document had all of them; of
// the text, all of its fields where no document had a word in any.
func (m *Model) Unseen() []string {
	if m.classes.Total() == 0 {
		return nil
	}
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if m.text != nil && m.text.Vocabulary() == 0 {
		for _, name := range m.spec.TextFields() {
			add(name)
		}
	}
	for i := range m.numbers {
		for j, name := range m.numbers[i].names {
			if m.numbers[i].Rows(j) == 0 {
				add(name)
			}
		}
	}
	for i := range m.values {
		if m.values[i].table.Vocabulary() == 0 {
			add(m.values[i].names[0])
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
