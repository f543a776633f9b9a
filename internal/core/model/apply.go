package model

import (
	"fmt"
	"slices"

	"bayestream/internal/counts"
)

// Apply adds d, all of it or, with an error, nothing, and prepares the model. d must be in
// canonical form. The errors are counts.ErrNegative (d takes out what was never learned),
// ErrInconsistent and *TooManyClassesError.
func (m *Model) Apply(d *Delta) error {
	if err := m.Add(d, nil); err != nil {
		return err
	}
	m.Prepare()
	return nil
}

// Found is where a model has what a delta counts.
type Found struct {
	tables      []*counts.Found // by index of Model.Tables
	corrections *counts.Found   // nil: the model has none
}

// Find looks for what d counts, which takes most of the time of Add. Others may read the model
// meanwhile.
func (m *Model) Find(d *Delta) *Found {
	f := &Found{}
	if d.hasShape(m.spec) != nil {
		return f // Add says so
	}
	terms := m.TermsOf(d)
	for i, t := range m.tables {
		f.tables = append(f.tables, t.Find(terms[i]))
	}
	if m.corrections != nil {
		f.corrections = m.corrections.Table.Find(&d.Corrections)
	}
	return f
}

// TermsOf returns what a delta counts in each of Tables. They are views.
func (m *Model) TermsOf(d *Delta) []*counts.Terms {
	if m.text == nil {
		return d.tables()[1:]
	}
	return d.tables()
}

// Add is Apply without Prepare, for many deltas one after the other: with numbers in the spec,
// preparing takes longer than adding. found is what Find has returned for d, of this model or of an
// earlier one of the spec; nil: nobody has looked.
func (m *Model) Add(d *Delta, found *Found) error {
	if found == nil {
		found = m.Find(d)
	}
	ids, err := m.fits(d, found)
	if err != nil {
		return err
	}
	var counted []int // without the classes that are only corrected, which have no number
	for i, name := range d.Classes {
		if d.Documents[i] > 0 {
			ids[i] = m.classes.Intern(name)
		}
		if ids[i] >= 0 {
			counted = append(counted, ids[i])
			m.touched[ids[i]] = true
		}
	}
	m.digest = m.digest.Minus(m.digestOf(counted))
	if m.corrections != nil {
		must(m.corrections.Apply(d.Classes, d.Corrected, &d.Corrections, found.corrections))
	}
	terms := m.TermsOf(d)
	for i, t := range m.tables {
		must(t.Apply(terms[i], ids, found.tables[i]))
	}
	for i := range m.numbers {
		for j, sums := range d.Numbers[i] {
			if sums != nil {
				m.numbers[i].Add(ids[j], sums)
			}
		}
	}
	for i, n := range d.Documents {
		if ids[i] >= 0 {
			must(m.classes.Add(ids[i], n))
		}
	}
	m.digest = m.digest.Plus(m.digestOf(counted))
	return nil
}

// ErrInconsistent is the error of a delta in canonical form that cannot come from documents: it has
// counts for a class without documents, or more than can be counted.
var ErrInconsistent = counts.ErrInconsistent

// fits checks everything that could make Add fail, or leave counts of a class without documents. It
// returns the class numbers of the classes of d, -1 of one that has none.
func (m *Model) fits(d *Delta, found *Found) (ids []int, err error) {
	if err := d.hasShape(m.spec); err != nil {
		return nil, err
	}
	if ids, err = m.classesFit(d); err != nil {
		return nil, err
	}
	terms := m.TermsOf(d)
	for i, t := range m.tables {
		if err := t.Fits(terms[i], ids, found.tables[i]); err != nil {
			return nil, err
		}
	}
	if err := m.numbersFit(d, ids); err != nil {
		return nil, err
	}
	if m.corrections != nil {
		if err := m.corrections.Fits(d.Classes, d.Corrected, &d.Corrections, found.corrections); err != nil {
			return nil, err
		}
	}
	return ids, m.emptyFit(d, ids, found)
}

// classesFit checks the documents of d, and returns what fits does.
func (m *Model) classesFit(d *Delta) (ids []int, err error) {
	ids, err = m.classes.Fits(d.Classes, d.Documents)
	if err != nil {
		return nil, err
	}
	live := len(m.classes.Live())
	var counted, corrected []bool
	for i, id := range ids {
		if id >= 0 {
			continue
		}
		if d.Documents[i] > 0 {
			live++
			continue
		}
		if counted == nil {
			counted, corrected = d.changed()
		}
		if counted[i] || !corrected[i] {
			return nil, fmt.Errorf("class %q is new and gets no documents: %w", d.Classes[i], ErrInconsistent)
		}
	}
	if limit := m.spec.Limits.Classes; live > limit && live > len(m.classes.Live()) {
		return nil, &TooManyClassesError{Limit: limit}
	}
	return ids, nil
}

// emptyFit checks that nothing is counted for the classes that lose their last document.
func (m *Model) emptyFit(d *Delta, ids []int, found *Found) error {
	var left [][]bool // by table, then by class of d
	for i, id := range ids {
		if id < 0 || m.classes.Documents(id)+d.Documents[i] != 0 {
			continue
		}
		if left == nil {
			left = m.leftAfter(d, ids, found)
		}
		keeps := slices.ContainsFunc(left, func(of []bool) bool { return of[i] })
		for k := range m.numbers {
			keeps = keeps || !m.numbers[k].EndsEmpty(id, d.Numbers[k][i])
		}
		if keeps {
			return fmt.Errorf("class %q loses its last document and keeps counts: %w", d.Classes[i], ErrInconsistent)
		}
	}
	return nil
}

// leftAfter returns what counts.Table.LeftAfter says, by table.
func (m *Model) leftAfter(d *Delta, ids []int, found *Found) (left [][]bool) {
	terms := m.TermsOf(d)
	for i, t := range m.tables {
		left = append(left, t.LeftAfter(terms[i], ids, found.tables[i]))
	}
	return left
}

func (m *Model) numbersFit(d *Delta, ids []int) error {
	for i := range m.numbers {
		for j, sums := range d.Numbers[i] {
			if sums != nil && !m.numbers[i].Fits(ids[j], sums) {
				return fmt.Errorf("%s, class %q: %w", m.numbers[i].name, d.Classes[j], counts.ErrNegative)
			}
		}
	}
	return nil
}

// must is for errors that cannot occur, because fits has checked everything.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
