package model

import (
	"slices"

	"bayestream/internal/gaussian"
)

// A Segment is a piece of text; every term of it is marked by the prefix Mark ("subject:"), so that
// the same word counts apart in the subject of a mail and in its body. Plain text has no mark. The
// text is nil where it stands for a field that the document does not have.
type Segment struct {
	Mark  string
	Text  []byte
	Lines bool // each line is a term as it stands, like the host of a link
	Apart bool // a reader does not see it: it is counted, and has no part in the shape of the text
}

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
	Numbers    []Number
	Categories []Category
}

// HasField reports whether a number or a category is there.
func (in *Input) HasField() bool {
	return slices.ContainsFunc(in.Numbers, func(n Number) bool { return n.Present }) ||
		slices.ContainsFunc(in.Categories, func(c Category) bool { return c.Present })
}
