package model

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"bayestream/internal/counts"
)

// Dump writes every count as text, sorted, with the names of the classes: two models are equal to
// the integer if and only if their dumps are equal.
func (m *Model) Dump(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, c := range m.classes.Live() {
		fmt.Fprintf(out, "class %q %d\n", m.classes.Name(c), m.classes.Documents(c))
	}
	for i, t := range m.tables {
		for term, cells := range t.Sorted {
			fmt.Fprintf(out, "table %d %q%s\n", i, term, namedCells(&m.classes, cells))
		}
	}
	for i := range m.numbers {
		for _, c := range m.classes.Live() {
			if s := m.numbers[i].Sums(c); s != nil {
				fmt.Fprintf(out, "numbers %d %q %x\n", i, m.classes.Name(c), s.AppendBytes(nil))
			}
		}
	}
	m.dumpCorrections(out)
	return out.Flush()
}

func (m *Model) dumpCorrections(out io.Writer) {
	if m.corrections == nil {
		return
	}
	classes := &m.corrections.Classes
	for _, c := range classes.Live() {
		fmt.Fprintf(out, "corrected %q %d\n", classes.Name(c), classes.Documents(c))
	}
	for term, cells := range m.corrections.Table.Sorted {
		fmt.Fprintf(out, "corrections %q%s\n", term, namedCells(classes, cells))
	}
}

// namedCells writes cells by name of class: their numbers depend on the order of arrival.
func namedCells(classes *counts.Classes, cells []counts.Cell) string {
	list := make([]string, 0, len(cells))
	for _, c := range cells {
		list = append(list, fmt.Sprintf(" %q:%d", classes.Name(c.Class()), c.Count()))
	}
	slices.Sort(list)
	return strings.Join(list, "")
}
