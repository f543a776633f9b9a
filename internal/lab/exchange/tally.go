package exchange

import (
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/model"
	"bayestream/internal/spec"
)

// maxTerm is the longest term or value, in bytes: the longest key that a model file can keep.
const maxTerm = 32 << 10

// tally adds up counts that come one by one, and gives them as a delta.
type tally struct {
	spec      *spec.Spec
	ids       map[string]int
	names     []string
	documents []int64
	tables    []*counts.Table    // as Model.Tables: the text, if the spec has one, then the values
	sums      [][]*gaussian.Sums // by block of numbers, then by class
	size      int                // upper bound of the encoded delta
}

func newTally(s *spec.Spec) *tally {
	t := &tally{spec: s, ids: map[string]int{}, sums: make([][]*gaussian.Sums, len(s.Numbers))}
	n := s.ValueTables()
	if s.Text != nil {
		n++
	}
	for range n {
		t.tables = append(t.tables, counts.NewTable(counts.Options{Signed: true}))
	}
	return t
}

func (t *tally) class(name string) int {
	id, ok := t.ids[name]
	if !ok {
		id = len(t.names)
		t.ids[name] = id
		t.names, t.documents = append(t.names, name), append(t.documents, 0)
		t.size += len(name) + 32 + 4*len(t.spec.Numbers)
	}
	return id
}

// addDocuments adds n documents to a class.
func (t *tally) addDocuments(class string, n int64) error {
	id := t.class(class)
	if n > counts.MaxCount-t.documents[id] {
		return fmt.Errorf("%d documents are more than can be counted", n)
	}
	t.documents[id] += n
	return nil
}

// add adds n to the count of a term in a class.
func (t *tally) add(table int, term []byte, class string, n int64) error {
	if len(term) == 0 || len(term) > maxTerm {
		return fmt.Errorf("a term of %d bytes: want 1 to %d", len(term), maxTerm)
	}
	t.size += len(term) + 19
	return t.tables[table].Add(bow.Hash(term), term, t.class(class), n)
}

// addSums adds the sums of a block of numbers to a class.
func (t *tally) addSums(block int, class string, s *gaussian.Sums) {
	id := t.class(class)
	for len(t.sums[block]) <= id {
		t.sums[block] = append(t.sums[block], nil)
	}
	if t.sums[block][id] == nil {
		n := &t.spec.Numbers[block]
		t.sums[block][id] = gaussian.NewSums(len(n.Fields), n.Full())
	}
	t.sums[block][id].Add(s)
	t.size += 10*len(s.N) + 25*(len(s.Sum)+len(s.Products))
}

// delta returns what was added, in canonical form.
func (t *tally) delta() *model.Delta {
	order := make([]int, len(t.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(t.names[a], t.names[b]) })
	rank := make([]int, len(order))
	d := &model.Delta{}
	for i, id := range order {
		rank[id] = i
		d.Classes, d.Documents = append(d.Classes, t.names[id]), append(d.Documents, t.documents[id])
	}
	values := t.tables
	if t.spec.Text != nil {
		d.Text, values = t.tables[0].Flatten(rank), t.tables[1:]
	}
	for _, table := range values {
		d.Categories = append(d.Categories, table.Flatten(rank))
	}
	for _, block := range t.sums {
		ordered := make([]*gaussian.Sums, len(order))
		for i, id := range order {
			if id < len(block) {
				ordered[i] = block[id]
			}
		}
		d.Numbers = append(d.Numbers, ordered)
	}
	return d
}

// fits says why the counts of d cannot be added to a model, nil if they can: more classes than the spec
// allows, or a count beyond what a table holds.
func fits(m *model.Model, d *model.Delta) error {
	live := len(m.Classes().Live())
	ids := make([]int, len(d.Classes))
	for i, name := range d.Classes {
		id, ok := m.Classes().ID(name)
		if !ok {
			id = -1
			live++
		} else if m.Classes().Documents(id) > counts.MaxCount-d.Documents[i] {
			return fmt.Errorf("class %q would have more documents than can be counted", name)
		}
		ids[i] = id
	}
	if limit := m.Spec().Limits.Classes; live > limit {
		return &model.TooManyClassesError{Limit: limit}
	}
	tables := d.Categories
	if m.Text() != nil {
		tables = slices.Concat([]counts.Terms{d.Text}, d.Categories)
	}
	for i, table := range m.Tables() {
		if err := termsFit(table, &tables[i], ids); err != nil {
			return err
		}
	}
	return nil
}

// termsFit bounds the counts of a class by their sum, as the table does.
func termsFit(table *counts.Table, d *counts.Terms, ids []int) error {
	sums := make([]int64, len(ids))
	for i, id := range ids {
		if id >= 0 {
			sums[i] = table.Total(id)
		}
	}
	for j, class := range d.Class {
		if sums[class] > counts.MaxCount-d.Count[j] {
			return fmt.Errorf("a class would have more than %d tokens", int64(counts.MaxCount))
		}
		sums[class] += d.Count[j]
	}
	return nil
}
