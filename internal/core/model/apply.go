package model

import (
	"errors"
	"fmt"

	"bayestream/internal/counts"
)

// Apply adds d, all of it or, with an error, nothing, and prepares the model. d must be in
// canonical form. The errors are counts.ErrNegative (d takes out what was never learned),
// ErrInconsistent and *TooManyClassesError.
func (m *Model) Apply(d *Delta) error {
	if err := m.Add(d); err != nil {
		return err
	}
	m.Prepare()
	return nil
}

// Add is Apply without Prepare, for many deltas one after the other: with numbers in the spec,
// preparing takes longer than adding.
func (m *Model) Add(d *Delta) error {
	if err := m.fits(d); err != nil {
		return err
	}
	ids := make([]int, len(d.Classes))
	for i, name := range d.Classes {
		ids[i] = m.classes.Intern(name)
		m.touched[ids[i]] = true
	}
	m.digest = m.digest.Minus(m.digestOf(ids))
	if m.corrections != nil {
		must(m.corrections.Apply(d.Classes, d.Corrected, &d.Corrections))
	}
	if m.text != nil {
		must(m.text.Apply(&d.Text, ids))
	}
	for i := range m.values {
		must(m.values[i].table.Apply(&d.Categories[i], ids))
	}
	for i := range m.numbers {
		for j, sums := range d.Numbers[i] {
			if sums != nil {
				m.numbers[i].Add(ids[j], sums)
			}
		}
	}
	for i, n := range d.Documents {
		must(m.classes.Add(ids[i], n))
	}
	m.digest = m.digest.Plus(m.digestOf(ids))
	return nil
}

// ErrInconsistent is the error of a delta in canonical form that cannot come from documents: it has
// counts for a class without documents, or more than can be counted.
var ErrInconsistent = errors.New("delta does not come from documents")

// fits checks everything that could make Add fail, or leave counts of a class without documents.
func (m *Model) fits(d *Delta) error {
	if err := d.hasShape(m.spec); err != nil {
		return err
	}
	ids, err := m.classesFit(d)
	if err != nil {
		return err
	}
	if m.text != nil {
		if err := m.text.Fits(&d.Text, ids); err != nil {
			return err
		}
	}
	for i := range m.values {
		if err := m.values[i].table.Fits(&d.Categories[i], ids); err != nil {
			return err
		}
	}
	if err := m.numbersFit(d, ids); err != nil {
		return err
	}
	if m.corrections != nil {
		if err := m.corrections.Fits(d.Classes, d.Corrected, &d.Corrections); err != nil {
			return err
		}
	}
	for i, id := range ids {
		if id >= 0 && m.classes.Documents(id)+d.Documents[i] == 0 && !m.endsEmpty(d, ids, i) {
			return fmt.Errorf("class %q loses its last document and keeps counts: %w", d.Classes[i], ErrInconsistent)
		}
	}
	return nil
}

// classesFit checks the documents of d. It returns the class numbers of its classes, -1 for a new
// one.
func (m *Model) classesFit(d *Delta) (ids []int, err error) {
	ids = make([]int, len(d.Classes))
	live := len(m.classes.Live())
	total := m.classes.Total()
	for i, name := range d.Classes {
		id, ok := m.classes.ID(name)
		have := int64(0)
		if ok {
			have = m.classes.Documents(id)
		} else {
			id = -1
		}
		ids[i] = id
		n := d.Documents[i]
		switch {
		case have+n < 0 && n < 0:
			return nil, fmt.Errorf("class %q: %d documents, %d to take out: %w", name, have, -n, counts.ErrNegative)
		case !ok && n <= 0 && (n < 0 || !d.onlyCorrects(i)):
			return nil, fmt.Errorf("class %q is new and gets no documents: %w", name, ErrInconsistent)
		case n > counts.MaxCount || total > counts.MaxCount-max(n, 0):
			return nil, fmt.Errorf("class %q gets %d documents, too many to count: %w", name, n, ErrInconsistent)
		case have == 0 && n > 0:
			live++
		}
		total += n
	}
	if limit := m.spec.Limits.Classes; live > limit && live > len(m.classes.Live()) {
		return nil, &TooManyClassesError{Limit: limit}
	}
	return ids, nil
}

// endsEmpty reports whether nothing is counted for the i-th class of d once d is added.
func (m *Model) endsEmpty(d *Delta, ids []int, i int) bool {
	if m.text != nil && m.text.TotalAfter(&d.Text, ids, i) != 0 {
		return false
	}
	for k := range m.values {
		if m.values[k].table.TotalAfter(&d.Categories[k], ids, i) != 0 {
			return false
		}
	}
	for k := range m.numbers {
		if !m.numbers[k].EndsEmpty(ids[i], d.Numbers[k][i]) {
			return false
		}
	}
	return true
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
