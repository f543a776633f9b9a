package model

import (
	"fmt"

	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// Delta is what a set of documents adds to the counts, or takes out: all numbers are signed. It is
// in canonical form: deltas that add the same are equal.
type Delta struct {
	Classes    []string           // sorted
	Documents  []int64            // by class
	Text       counts.Terms       // its cells refer to Classes
	Categories []counts.Terms     // by table of values of the spec
	Numbers    [][]*gaussian.Sums // by block of numbers, then by class; nil: nothing

	// Where the spec has corrections.
	Corrected   []int64      // by class: how many documents correct for it or against it, by weight
	Corrections counts.Terms // by how much; its cells refer to Classes
}

// Validate reports whether d is in canonical form and has the shape that the spec asks for. A
// decoded delta must pass it before anything else looks at it.
func (d *Delta) Validate(s *spec.Spec) error {
	if err := d.hasShape(s); err != nil {
		return err
	}
	for i, c := range d.Classes {
		if err := counts.CheckClass(c); err != nil {
			return fmt.Errorf("delta: class %d %w", i, err)
		}
		if i > 0 && d.Classes[i-1] >= c {
			return fmt.Errorf("delta: class %q is out of order", c)
		}
	}
	if s.Text == nil && d.Text.Len() > 0 {
		return fmt.Errorf("delta has words, the spec has none")
	}
	if err := d.Text.Validate(len(d.Classes)); err != nil {
		return fmt.Errorf("delta: text: %w", err)
	}
	for i := range d.Categories {
		if err := d.Categories[i].Validate(len(d.Classes)); err != nil {
			return fmt.Errorf("delta: categories[%d]: %w", i, err)
		}
	}
	if err := d.Corrections.Validate(len(d.Classes)); err != nil {
		return fmt.Errorf("delta: corrections: %w", err)
	}
	return nil
}

// hasShape reports whether d has a part for each part of the spec, and in each block of numbers one
// for each class.
func (d *Delta) hasShape(s *spec.Spec) error {
	if len(d.Documents) != len(d.Classes) || len(d.Categories) != s.ValueTables() || len(d.Numbers) != len(s.Numbers) {
		return fmt.Errorf("delta of %d classes, %d categories, %d blocks of numbers does not fit the spec",
			len(d.Classes), len(d.Categories), len(d.Numbers))
	}
	if corrects := s.Corrects(); corrects && len(d.Corrected) != len(d.Classes) ||
		!corrects && len(d.Corrected)+d.Corrections.Len() > 0 {
		return fmt.Errorf("delta of %d classes, %d of them with corrections, does not fit the spec", len(d.Classes),
			len(d.Corrected))
	}
	for i, block := range d.Numbers {
		if len(block) != len(d.Classes) {
			return fmt.Errorf("delta: numbers[%d] has %d classes of %d", i, len(block), len(d.Classes))
		}
	}
	return nil
}

// tables returns what changes in the table of the text, and then in those of values.
func (d *Delta) tables() []*counts.Terms {
	out := []*counts.Terms{&d.Text}
	for i := range d.Categories {
		out = append(out, &d.Categories[i])
	}
	return out
}

// changed returns, by class, whether d changes its counts, and whether it changes its corrections.
func (d *Delta) changed() (counted, corrected []bool) {
	counted = make([]bool, len(d.Classes))
	corrected = make([]bool, len(d.Classes))
	for class, n := range d.Documents {
		counted[class] = n != 0
	}
	for _, table := range d.tables() {
		for _, class := range table.Class {
			counted[class] = true
		}
	}
	for _, block := range d.Numbers {
		for class, sums := range block {
			counted[class] = counted[class] || sums != nil
		}
	}
	for class, n := range d.Corrected {
		corrected[class] = n != 0
	}
	for _, class := range d.Corrections.Class {
		corrected[class] = true
	}
	return counted, corrected
}

// dropUnchanged removes the classes in which nothing changes, which have no cells: what they got was
// taken out again.
func (d *Delta) dropUnchanged() {
	keep, corrected := d.changed()
	index := make([]uint32, len(keep)) // by old index: the new one
	n := uint32(0)
	for class := range keep {
		keep[class] = keep[class] || corrected[class]
		index[class] = n
		if keep[class] {
			n++
		}
	}
	if int(n) == len(keep) {
		return
	}
	d.Classes = kept(d.Classes, keep)
	d.Documents = kept(d.Documents, keep)
	d.Corrected = kept(d.Corrected, keep)
	for i := range d.Numbers {
		d.Numbers[i] = kept(d.Numbers[i], keep)
	}
	for _, table := range d.tables() {
		renumber(table.Class, index)
	}
	renumber(d.Corrections.Class, index)
}

// kept returns what is to be kept of a list, in its memory.
func kept[T any](list []T, keep []bool) []T {
	out := list[:0]
	for i, x := range list {
		if keep[i] {
			out = append(out, x)
		}
	}
	return out
}

func renumber(classes, index []uint32) {
	for i, class := range classes {
		classes[i] = index[class]
	}
}
