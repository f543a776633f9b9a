package model

import (
	"fmt"
	"slices"

	"bayestream/internal/categorical"
	"bayestream/internal/counts"
	"bayestream/internal/spec"
)

// values finds the value of a document in each table of values: the categorical fields, then the
// histograms, whose values are bins.
type values struct {
	categories int
	fields     []int // by histogram: index into Features.Numbers
	bins       []categorical.Bins
}

func newValues(s *spec.Spec) *values {
	v := &values{categories: len(s.Categories)}
	all := s.NumberFields()
	for i := range s.Histograms {
		h := &s.Histograms[i]
		bins, err := h.FixedBins(s.Digits())
		must(err) // the spec was checked
		v.fields, v.bins = append(v.fields, slices.Index(all, h.Field)), append(v.bins, bins)
	}
	return v
}

// of returns the value in table i, empty if the document has none, and the scratch it may lie in.
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

// valueModel is what the model asks of a likelihood of values: categorical and histogram provide it.
type valueModel interface {
	Prepare()
	Set(dst []float64, value []byte) bool
}

// valueBlock is a table of values with the likelihood that reads it.
type valueBlock struct {
	name  string
	names []string // the field
	table *counts.Table
	like  valueModel
}

// rescoreValues gives the tables the likelihoods of a spec.
func (m *Model) rescoreValues(s *spec.Spec) {
	m.values = newValues(s)
	for i := range s.Categories {
		b, f := &m.blocks[i], &s.Categories[i]
		b.name, b.names, b.like = fmt.Sprintf("categories[%d]", i), []string{f.Field}, categorical.New(f.Alpha, f.Values, b.table, &m.classes)
	}
	for i := range s.Histograms {
		b, h := &m.blocks[len(s.Categories)+i], &s.Histograms[i]
		b.name, b.names, b.like = fmt.Sprintf("histograms[%d]", i), []string{h.Field}, categorical.NewHistogram(m.values.bins[i], h.Alpha, s.Digits(), b.table, &m.classes)
	}
}
