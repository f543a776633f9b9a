package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/mail"
	"bayestream/internal/tools/cli"
)

// inspectedWord is the output of inspect --term: the counts of the terms of a word, and the totals
// of the classes.
type inspectedWord struct {
	Word       string                     `json:"word"`
	Terms      []wordTerm                 `json:"terms"`
	Classes    map[string]inspectedTotals `json:"classes"`
	Vocabulary int                        `json:"vocabulary"`
}

type wordTerm struct {
	Term   string           `json:"term"`
	Counts map[string]int64 `json:"counts"` // by class
	known  bool
}

type inspectedTotals struct {
	Documents int64 `json:"documents"`
	Tokens    int64 `json:"tokens"`
}

func (f *inspectFlags) inspectTerm(p cli.Process, m *model.Model) error {
	if m.Text() == nil {
		return cli.WrongInput(errors.New("the model reads no text, so it has no words"))
	}
	terms, err := markedTerms(m.Spec(), f.Term)
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		return cli.WrongInput(fmt.Errorf("%q contains no word that the model counts; bayestream tokenize --spec=FILE shows "+
			"the terms of a text", f.Term))
	}
	w := inspectedWord{Word: f.Term, Classes: map[string]inspectedTotals{}, Vocabulary: m.Text().Vocabulary()}
	for _, marked := range terms {
		if err := w.add(m, marked); err != nil {
			return err
		}
	}
	for _, c := range m.Classes().Live() {
		w.Classes[m.Classes().Name(c)] = inspectedTotals{m.Classes().Documents(c), m.Text().Total(c)}
	}
	return result(p, f.JSON, w, func(out *printer) { w.write(out, m) })
}

// marksOf returns what the terms of a model begin with.
func marksOf(s *spec.Spec) []string {
	if s.Format == wire.FormatMail {
		return mail.Marks()
	}
	return slices.Compact(s.TextMarks())
}

// markedTerms returns the terms that the words of a text may be counted as: for each the term under
// each mark. A text that begins with a mark is of that one alone.
func markedTerms(s *spec.Spec, text string) ([][]string, error) {
	marks := marksOf(s)
	for _, mark := range marks {
		if rest, ok := strings.CutPrefix(text, mark); ok && mark != "" {
			marks = []string{mark}
			text = rest
			break
		}
	}
	terms, err := termsOf(s, text)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, term := range terms {
		var marked []string
		for _, mark := range marks {
			marked = append(marked, mark+term)
		}
		out = append(out, marked)
	}
	return out, nil
}

// add adds the counts of the terms that are in the vocabulary; if there are none, the
// first one with no counts.
func (w *inspectedWord) add(m *model.Model, terms []string) error {
	none := len(w.Terms)
	for _, term := range terms {
		key, err := m.Spec().CountedTerm([]byte(term))
		if err != nil {
			return err
		}
		row := m.Text().Lookup(bow.Hash(key), key)
		if row >= 0 {
			w.Terms = append(w.Terms, wordTermOf(m, term, row))
		}
	}
	if len(w.Terms) == none {
		w.Terms = append(w.Terms, wordTermOf(m, terms[0], -1))
	}
	return nil
}

// wordTermOf returns the counts in a row; -1: the term is not in the vocabulary.
func wordTermOf(m *model.Model, term string, row int) wordTerm {
	found := wordTerm{Term: term, Counts: map[string]int64{}, known: row >= 0}
	for _, c := range m.Classes().Live() {
		n := int64(0)
		if found.known {
			n = m.Text().Count(row, c)
		}
		found.Counts[m.Classes().Name(c)] = n
	}
	return found
}

func (w *inspectedWord) write(out *printer, m *model.Model) {
	for _, t := range w.Terms {
		if !t.known {
			out.f("%-24s is not in the vocabulary\n", t.Term)
			continue
		}
		for _, c := range m.Classes().Live() {
			name := m.Classes().Name(c)
			total := w.Classes[name]
			out.f("%-24s %-16s %8d of %s of %s\n", t.Term, name, t.Counts[name], counted(total.Tokens, "token"),
				counted(total.Documents, "document"))
		}
	}
}

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
		t.Field, t.Alpha = strings.Join(s.TextFields(), ", "), model.TextAlpha
		t.of = "documents by " + model.TextTitles[i-s.FieldTables()]
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
