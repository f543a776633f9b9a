package model

import (
	"slices"

	"bayestream/internal/gaussian"
	"bayestream/internal/tokenize"
)

// A Segment is a piece of text.
type Segment = tokenize.Segment

// A Number is one numeric feature in fixed point, or absent.
type Number = gaussian.Number

// A Category is the value of one categorical field, or absent.
type Category struct {
	Value   []byte
	Present bool
}

// Input is one document as a model takes it. Numbers and Categories are in the order of the spec's
// NumberFields and CategoryFields.
type Input struct {
	Segments   []Segment
	Whole      []byte // the text as it came, or more than MaxWhole bytes of it; nil: that of the segments
	Numbers    []Number
	Categories []Category
}

// HasField reports whether a number or a category is there.
func (in *Input) HasField() bool {
	return slices.ContainsFunc(in.Numbers, func(n Number) bool { return n.Present }) ||
		slices.ContainsFunc(in.Categories, func(c Category) bool { return c.Present })
}
