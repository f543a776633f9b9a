package model

import (
	"errors"
	"fmt"

	"bayestream/internal/counts"
)

// ErrRename is the error of a rename that cannot be made: of a class that is not there, or to what
// is no other name.
var ErrRename = errors.New("class cannot be renamed")

// Rename moves all that is counted for one class to another name. If there is a class of that name,
// the counts of both are added. Prepare must be called after it, as after Add. With an error
// (ErrRename, or more than can be counted) nothing changes.
func (m *Model) Rename(from, to string) error {
	id, ok := m.classes.ID(from)
	switch {
	case from == to:
		return fmt.Errorf("%w: both names are %q", ErrRename, from)
	case !ok:
		return fmt.Errorf("%w: there is no class %q", ErrRename, from)
	}
	if err := counts.CheckClass(to); err != nil {
		return fmt.Errorf("class %q: %w: the new name %w", from, ErrRename, err)
	}
	if m.corrections != nil {
		if err := m.corrections.CanRename(from, to); err != nil {
			return fmt.Errorf("class %q to %q: %w", from, to, err)
		}
	}
	if into, exists := m.classes.ID(to); exists {
		if err := m.canMerge(id, into); err != nil {
			return fmt.Errorf("class %q to %q: %w", from, to, err)
		}
		m.merge(id, into)
	} else {
		m.digest = m.digest.Minus(m.digestOf([]int{id}))
		m.classes.Rename(id, to)
		m.digest = m.digest.Plus(m.digestOf([]int{id}))
	}
	if m.corrections != nil {
		must(m.corrections.Rename(from, to))
	}
	return nil
}

// canMerge reports whether one class can hold what another one counts too.
func (m *Model) canMerge(id, into int) error {
	for _, t := range m.tables {
		if err := t.CanMerge(id, into); err != nil {
			return err
		}
	}
	for i := range m.numbers {
		if sums := m.numbers[i].Sums(id); sums != nil && !m.numbers[i].Fits(into, sums) {
			return fmt.Errorf("%s would have more rows than can be counted", m.numbers[i].name)
		}
	}
	return nil
}

func (m *Model) merge(id, into int) {
	both := []int{id, into}
	m.digest = m.digest.Minus(m.digestOf(both))
	for _, t := range m.tables {
		must(t.Merge(id, into))
	}
	for i := range m.numbers {
		m.numbers[i].Merge(id, into)
	}
	documents := m.classes.Documents(id)
	must(m.classes.Add(into, documents))
	must(m.classes.Add(id, -documents))
	m.digest = m.digest.Plus(m.digestOf(both))
	m.touched[id] = true
	m.touched[into] = true
}
