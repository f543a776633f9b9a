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

// Copy sets in to a copy of another document, in its own memory and that of clone, which returns a
// copy of a text that is not nil. Of Whole it copies what is read.
func (in *Input) Copy(of *Input, clone func(text []byte) []byte) {
	in.Segments = in.Segments[:0]
	for _, s := range of.Segments {
		if s.Text != nil {
			s.Text = clone(s.Text)
		}
		in.Segments = append(in.Segments, s)
	}
	in.Whole = nil
	if whole := of.Whole; whole != nil {
		in.Whole = clone(whole[:min(len(whole), MaxWhole)])
	}
	in.Numbers = append(in.Numbers[:0], of.Numbers...)
	in.Categories = in.Categories[:0]
	for _, c := range of.Categories {
		if c.Value != nil {
			c.Value = clone(c.Value)
		}
		in.Categories = append(in.Categories, c)
	}
}
