package model

import (
	"slices"

	"bayestream/internal/counts"
)

// Plus returns what d and o add together, in canonical form. Both are of one spec, and stay as they
// are.
func (d *Delta) Plus(o *Delta) *Delta {
	classes := slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.Classes, o.Classes))))
	corrects := d.Corrected != nil || o.Corrected != nil // one without classes does not tell
	a, b := d.over(classes, corrects), o.over(classes, corrects)
	for i, n := range b.Documents {
		a.Documents[i] += n
	}
	for i, n := range b.Corrected {
		a.Corrected[i] += n
	}
	a.Text = a.Text.Plus(&b.Text)
	a.Corrections = a.Corrections.Plus(&b.Corrections)
	for i := range a.Categories {
		a.Categories[i] = a.Categories[i].Plus(&b.Categories[i])
	}
	for i, block := range a.Numbers {
		for class := range block {
			block[class] = block[class].Plus(b.Numbers[i][class])
		}
	}
	a.dropUnchanged()
	return a
}

// over returns a copy of d that has more classes, in which nothing changes.
func (d *Delta) over(classes []string, corrects bool) *Delta {
	index := make([]uint32, len(d.Classes)) // by class of d
	for i, name := range d.Classes {
		at, _ := slices.BinarySearch(classes, name)
		index[i] = uint32(at)
	}
	out := &Delta{Classes: slices.Clone(classes), Documents: spread(d.Documents, index, len(classes))}
	if corrects {
		out.Corrected = spread(d.Corrected, index, len(classes))
	}
	terms := func(t counts.Terms) counts.Terms {
		t.Class = slices.Clone(t.Class)
		renumber(t.Class, index)
		return t
	}
	out.Text = terms(d.Text)
	out.Corrections = terms(d.Corrections)
	for _, t := range d.Categories {
		out.Categories = append(out.Categories, terms(t))
	}
	for _, block := range d.Numbers {
		out.Numbers = append(out.Numbers, spread(block, index, len(classes)))
	}
	return out
}

// spread returns values at the places of an index, among n.
func spread[T any](values []T, index []uint32, n int) []T {
	out := make([]T, n)
	for i, v := range values {
		out[index[i]] = v
	}
	return out
}
