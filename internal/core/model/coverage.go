package model

import (
	"slices"

	"bayestream/internal/core/spec"
	"bayestream/internal/tokenize"
)

// Coverage tells which fields of a spec no document has had so far, and whether the language of the
// texts is another one. It is for one goroutine.
type Coverage struct {
	text    *spec.Text
	read    tokenize.Census
	missing []field
}

// field is a field of a spec, and whether a document has it.
type field struct {
	name string
	isIn func(*Input) bool
}

// NewCoverage returns the coverage by no document.
func NewCoverage(s *spec.Spec) *Coverage {
	c := &Coverage{text: s.Text}
	add := func(names []string, isIn func(in *Input, i int) bool) {
		for i, name := range names {
			c.missing = append(c.missing, field{name, func(in *Input) bool { return isIn(in, i) }})
		}
	}
	texts := s.TextFields()
	// the text of a document that is one as a whole has all of its fields
	add(texts, func(in *Input, i int) bool { return len(in.Segments) != len(texts) || in.Segments[i].Text != nil })
	add(s.NumberFields(), func(in *Input, i int) bool { return in.Numbers[i].Present })
	add(s.CategoryFields(), func(in *Input, i int) bool { return in.Categories[i].Present })
	return c
}

// Add notes the fields that a document has, and what its text is written in.
func (c *Coverage) Add(in *Input) {
	for i := range in.Segments {
		if s := &in.Segments[i]; !s.Lines {
			c.read.Add(s.Text)
		}
	}
	if len(c.missing) > 0 {
		c.missing = slices.DeleteFunc(c.missing, func(f field) bool { return f.isIn(in) })
	}
}

// Language returns a setting of text that would suit the language of the texts better than the spec
// does, nil if there is none.
func (c *Coverage) Language() *spec.Setting {
	if c.text == nil {
		return nil
	}
	text := *c.text
	return c.Suit(&text)
}

// Suit changes a spec to the language of the texts, and returns the change; nil: there is none.
func (c *Coverage) Suit(t *spec.Text) *spec.Setting {
	return t.Suit(c.read.Tongue())
}

// Missing returns the names of the fields that no document has had.
func (c *Coverage) Missing() []string {
	var out []string
	for _, f := range c.missing {
		if !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}
