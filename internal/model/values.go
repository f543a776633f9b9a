package model

import (
	"fmt"
	"slices"

	"bayestream/internal/categorical"
	"bayestream/internal/counts"
	"bayestream/internal/spec"
)

// values finds the value of a document in each block of values: the categorical fields, then the
// histograms, whose values are bins.
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

// of returns the value in block i, empty if the document has none, and the scratch, which the value may be a
// slice of.
func (v *values) of(f *Features, i int, scratch []byte) (value, grown []byte) {
	if i < v.categories {
		c := &f.Categories[i]
		if !c.Present {
			return nil, scratch
		}
		return c.Value, scratch
	}
	x := f.Numbers[v.fields[i-v.categories]]
	if !x.Present {
		return nil, scratch
	}
	key := categorical.AppendKey(scratch[:0], v.bins[i-v.categories].Index(x.Value))
	return key, key
}

// valueModel is a likelihood of one value, categorical or histogram, over the table of a block.
type valueModel interface {
	// Prepare brings what depends on the counts up to date.
	Prepare()
	// Set sets dst, indexed by class number, to ln p(value | c) for each live class. It reports false, and
	// leaves dst alone, when the value does not vote.
	Set(dst []float64, value []byte) bool
	// Unknown reports whether it can say nothing of a class, so that no value votes.
	Unknown(class int) bool
}

// valueBlock is a table of values with the likelihood that reads it.
type valueBlock struct {
	name  string   // in evidence
	names []string // of the field
	table *counts.Table
	like  valueModel
}

// rescoreValues gives the tables the likelihoods of a spec.
func (m *Model) rescoreValues(s *spec.Spec) {
	m.finder = newValues(s)
	for i := range s.Categories {
		f := &s.Categories[i]
		b := &m.values[i]
		b.name = fmt.Sprintf("categories[%d]", i)
		b.names = []string{f.Field}
		b.like = categorical.New(f.Alpha, f.Values, b.table, &m.classes)
	}
	for i := range s.Histograms {
		h := &s.Histograms[i]
		b := &m.values[len(s.Categories)+i]
		b.name = fmt.Sprintf("histograms[%d]", i)
		b.names = []string{h.Field}
		b.like = categorical.NewHistogram(m.finder.bins[i], h.Alpha, s.Digits(), b.table, &m.classes)
	}
}
