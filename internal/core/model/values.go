package model

import (
	"fmt"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// values finds the value of a document in each block of values: the categorical fields, then the
// histograms, whose values are bins, then the shape of the text and the words at its ends.
type values struct {
	categories int
	fields     []int              // by histogram: index into Features.Numbers
	bins       []categorical.Bins // by histogram
}

func newValues(s *spec.Spec) *values {
	v := &values{categories: len(s.Categories)}
	all := s.NumberFields()
	for i := range s.Histograms {
		h := &s.Histograms[i]
		bins, err := h.FixedBins(s.Digits())
		must(err) // the spec was checked
		v.fields = append(v.fields, slices.Index(all, h.Field))
		v.bins = append(v.bins, bins)
	}
	return v
}

// of returns the value in block i, empty if the document has none, and the scratch, which the value
// may be a slice of.
func (v *values) of(f *Features, i int, scratch []byte) (value, grown []byte) {
	if i < v.categories {
		c := &f.Categories[i]
		if !c.Present {
			return nil, scratch
		}
		return c.Value, scratch
	}
	i -= v.categories
	if i >= len(v.bins) {
		values, number, ok := textValue(&f.Bag, i-len(v.bins))
		if !ok {
			return nil, scratch
		}
		return values.Term(number), scratch
	}
	x := f.Numbers[v.fields[i]]
	if !x.Present {
		return nil, scratch
	}
	key := categorical.AppendKey(scratch[:0], v.bins[i].Index(x.Value))
	return key, key
}

// textValue returns what the i-th of spec.TextTables counts of a text, by its number in a lexicon: a
// size of its shape, or a word at its ends. ok is false for a word that the text does not have.
func textValue(bag *bow.Bag, i int) (values *bow.Lexicon, number uint32, ok bool) {
	first, last := bag.Edges()
	switch i {
	case firstTable:
		return bag.Lexicon(), uint32(first), first >= 0
	case lastTable:
		return bag.Lexicon(), uint32(last), last >= 0
	}
	size := [spec.ShapeTables]int{
		lengthTable: bag.Length(), longestTable: bag.Longest(), nonwordsTable: bag.Nonwords(),
	}[i]
	return categorical.Sizes, categorical.SizeNumber(size), true
}

// Value returns the value in block i as it was read, "" if the document has none, and what the table
// counts it as.
func (m *Model) Value(f *Features, i int) (read string, counted []byte) {
	counted, _ = m.finder.of(f, i, nil)
	return m.valueOf(f, i), counted
}

// valueOf returns the value in block i as it was read, "" if the document has none.
func (m *Model) valueOf(f *Features, i int) string {
	k := i - m.finder.categories
	switch {
	case k < 0 && f.Categories[i].Present:
		return string(f.Categories[i].Value)
	case k < 0:
		return ""
	case k >= len(m.finder.bins):
		values, number, ok := textValue(&f.Bag, k-len(m.finder.bins))
		if !ok {
			return ""
		}
		return values.Name(number)
	}
	x := f.Numbers[m.finder.fields[k]]
	if !x.Present {
		return ""
	}
	return gaussian.FormatFixed(x.Value, m.spec.Digits())
}

// TextAlpha smooths the counts of spec.TextTables.
const TextAlpha = 1

// valueBlock is a table of values with the likelihood that reads it.
type valueBlock struct {
	name  string   // in evidence
	names []string // of the field
	table *counts.Table
	like  *categorical.Likelihood // over the table
}

// fields returns how many of the blocks of values are of fields; behind them are those of the text,
// if the spec has one.
func (m *Model) fields() int { return m.spec.FieldTables() }

// rescoreValues gives the tables the likelihoods of a spec.
func (m *Model) rescoreValues(s *spec.Spec) {
	m.finder = newValues(s)
	for i := range m.values {
		b := &m.values[i]
		switch c, h := s.ValueTable(i); {
		case c != nil:
			b.name = fmt.Sprintf("categories[%d]", i)
			b.names = []string{c.Field}
			b.like = categorical.New(c.Alpha, c.Values, b.table, &m.classes)
		case h != nil:
			at := i - len(s.Categories)
			b.name = fmt.Sprintf("histograms[%d]", at)
			b.names = []string{h.Field}
			b.like = categorical.New(h.Alpha, m.finder.bins[at].Keys(), b.table, &m.classes)
		default:
			at := i - m.fields()
			b.name = TextBlocks[at]
			b.names = s.TextFields()
			b.like = categorical.New(TextAlpha, nil, b.table, &m.classes)
		}
	}
}
