package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/core/categorical"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
)

// inspectedTable is the counts of a category, of the bins of a histogram, or of the shapes and the
// words at the ends of texts.
type inspectedTable struct {
	Table  string           `json:"table"` // categories[0], histograms[0], or one of model.TextBlocks
	Field  string           `json:"field"`
	Alpha  float64          `json:"alpha"`
	Totals map[string]int64 `json:"totals"` // by class: documents that have the field
	Known  int              `json:"known"`  // values that were seen
	Values []inspectedValue `json:"values"` // the most frequent of them

	classes []string
	of      string // what the values are, for people
}

type inspectedValue struct {
	Value  string           `json:"value"`
	Counts map[string]int64 `json:"counts"` // by class
	total  int64
}

// inspectValues returns the counts of the top most frequent values of a table.
func inspectValues(m *model.Model, i, top int) inspectedTable {
	t := m.Values(i)
	out := inspectedTable{Table: m.ValuesName(i), Totals: map[string]int64{}, Known: t.Vocabulary(),
		Values: []inspectedValue{}}
	out.describe(m.Spec(), i)
	for _, c := range m.Classes().Live() {
		name := m.Classes().Name(c)
		out.classes = append(out.classes, name)
		out.Totals[name] = t.Total(c)
	}
	for value, cells := range t.Sorted {
		x := inspectedValue{Value: string(value), Counts: map[string]int64{}}
		for _, c := range m.Classes().Live() {
			x.Counts[m.Classes().Name(c)] = 0
		}
		for _, c := range cells {
			x.Counts[m.Classes().Name(c.Class())] = c.Count()
			x.total += c.Count()
		}
		out.Values = append(out.Values, x)
	}
	slices.SortStableFunc(out.Values, func(a, b inspectedValue) int { return cmp.Compare(b.total, a.total) })
	out.Values = out.Values[:min(top, len(out.Values))]
	if model.IsShape(out.Table) {
		slices.SortFunc(out.Values, func(a, b inspectedValue) int { return categorical.CompareSizes(a.Value, b.Value) })
	}
	return out
}

// describe sets the name and the smoothing of the i-th table of values.
func (t *inspectedTable) describe(s *spec.Spec, i int) {
	switch c, h := s.ValueTable(i); {
	case c != nil:
		t.Field, t.Alpha = c.Field, c.Alpha
		t.of = t.Field
	case h != nil:
		t.Field, t.Alpha = h.Field, h.Alpha
		t.of = fmt.Sprintf("%s in %d bins from %s to %s", h.Field, h.Bins, short(h.From), short(h.To))
	default:
		t.Field, t.Alpha = strings.Join(s.TextFields(), ", "), model.EdgesAlpha
		t.of = "documents by " + model.TextTitles[i-s.FieldTables()]
		if model.IsShape(t.Table) {
			t.Alpha = categorical.SizeAlpha
		}
	}
}

func (t *inspectedTable) write(out *printer) {
	out.f("\n%s, counts of %s, alpha %s\n", t.Table, t.of, short(t.Alpha))
	out.f("  %-24s", "")
	for _, class := range t.classes {
		out.f("%s", classHeading(class, 13))
	}
	row := func(name string, counts map[string]int64) {
		out.f("\n  %-24s", name)
		for _, class := range t.classes {
			out.f("%13d", counts[class])
		}
	}
	for _, v := range t.Values {
		row(v.Value, v.Counts)
	}
	if n := t.Known - len(t.Values); n > 0 {
		out.f("\n  values not shown: %d", n)
	}
	row("all", t.Totals)
	out.f("\n")
}
