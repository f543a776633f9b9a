package model

import (
	"fmt"

	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/spec"
)

// Delta is what a set of documents adds to the counts (or takes out: all numbers are signed). It is
// in canonical form: two deltas that add the same are equal.
type Delta struct {
	Classes    []string           // sorted
	Documents  []int64            // by class
	Text       counts.Terms       // cells refer to Classes
	Categories []counts.Terms     // by categorical field of the spec, then by histogram
	Numbers    [][]*gaussian.Sums // by block of numbers, then by class; nil: nothing
}

// Validate reports whether d has the shape that the spec asks for. Decoded deltas pass through it
// before anything else looks at them.
func (d *Delta) Validate(s *spec.Spec) error {
	if len(d.Documents) != len(d.Classes) || len(d.Categories) != s.ValueTables() || len(d.Numbers) != len(s.Numbers) {
		return fmt.Errorf("delta of %d classes, %d categories, %d blocks of numbers does not fit the spec", len(d.Classes), len(d.Categories), len(d.Numbers))
	}
	for i, c := range d.Classes {
		if c == "" || (i > 0 && d.Classes[i-1] >= c) {
			return fmt.Errorf("delta: class %q is empty or out of order", c)
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
	for i, block := range d.Numbers {
		if len(block) != len(d.Classes) {
			return fmt.Errorf("delta: numbers[%d] has %d classes of %d", i, len(block), len(d.Classes))
		}
	}
	return nil
}
