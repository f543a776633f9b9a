package model

import (
	"slices"

	"bayestream/internal/core/spec"
	"bayestream/internal/tokenize"
)

// Coverage tells which fields of a spec no document has had so far, and whether the language of the
// texts is another one. It is for one goroutine.
type Coverage struct {
	text                       *spec.Text
	read                       tokenize.Census
	texts, numbers, categories []string
	missing                    []field
}

// field is a field of a spec, by its kind and its place among those of the kind.
type field struct {
	kind fieldKind
	at   int
}

type fieldKind int

const (
	textField fieldKind = iota
	numberField
	categoryField
)

// NewCoverage returns the coverage by no document.
func NewCoverage(s *spec.Spec) *Coverage {
	c := &Coverage{text: s.Text, texts: s.TextFields(), numbers: s.NumberFields(), categories: s.CategoryFields()}
	for i := range c.texts {
		c.missing = append(c.missing, field{textField, i})
	}
	for i := range c.numbers {
		c.missing = append(c.missing, field{numberField, i})
	}
	for i := range c.categories {
		c.missing = append(c.missing, field{categoryField, i})
	}
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
		c.missing = slices.DeleteFunc(c.missing, func(f field) bool { return c.has(in, f) })
	}
}

// has reports whether a document has a field. The text of a document that is one as a whole has all
// of its fields.
func (c *Coverage) has(in *Input, f field) bool {
	switch f.kind {
	case numberField:
		return in.Numbers[f.at].Present
	case categoryField:
		return in.Categories[f.at].Present
	}
	return len(in.Segments) != len(c.texts) || in.Segments[f.at].Text != nil
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
	written, _ := c.read.Tongue()
	return t.Suit(written)
}

// Missing returns the names of the fields that no document has had.
func (c *Coverage) Missing() []string {
	var out []string
	for _, f := range c.missing {
		names := [...][]string{c.texts, c.numbers, c.categories}[f.kind]
		if name := names[f.at]; !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
