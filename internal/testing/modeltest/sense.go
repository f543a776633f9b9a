package modeltest

import (
	"math"
	"testing"

	"bayestream/internal/core/model"
)

// CheckTables checks the digest of a model and each of its tables.
func CheckTables(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, m *model.Model) {
	t.Helper()
	if got, want := m.Digest(), PlainDigest(m); got != want {
		t.Fatalf("the digest is %x, that of the counts %x", got, want)
	}
	for i, table := range m.Tables() {
		if err := table.Check(); err != nil {
			t.Fatalf("table %d: %v", i, err)
		}
		for term, cells := range table.Rows {
			for _, c := range cells {
				if c.Count() < 0 {
					t.Fatalf("table %d, term %q, class %d: count %d", i, term, c.Class(), c.Count())
				}
			}
		}
	}
	of := m.Corrections()
	if of == nil {
		return
	}
	if err := of.Table.Check(); err != nil {
		t.Fatalf("corrections: %v", err)
	}
	for term, cells := range of.Table.Rows {
		for _, c := range cells {
			if of.Classes.Documents(c.Class()) == 0 {
				t.Fatalf("corrections of %q: class %d, which no document corrects", term, c.Class())
			}
		}
	}
}

// MustMakeSense checks that every count belongs to a class that is there, and that decisions are
// numbers.
func MustMakeSense(tb testing.TB, m *model.Model) {
	tb.Helper()
	CheckTables(tb, m)
	total := int64(0)
	for _, c := range m.Classes().Live() {
		if total += m.Classes().Documents(c); total < 0 {
			tb.Errorf("the documents of all classes do not fit a number")
		}
	}
	for i, table := range m.Tables() {
		for term, cells := range table.Rows {
			for _, c := range cells {
				if c.Class() >= m.Classes().Cap() || m.Classes().Name(c.Class()) == "" {
					tb.Errorf("table %d, term %q counts class %d, which is not there", i, term, c.Class())
				}
			}
		}
	}
	for c := range m.Classes().Cap() {
		for i := range m.Spec().Numbers {
			if m.Classes().Name(c) == "" && m.Numbers(i).Sums(c) != nil {
				tb.Errorf("numbers[%d] has sums of class %d, which is not there", i, c)
			}
		}
	}
	var d model.Decision
	f := &model.Features{Numbers: make([]model.Number, 4), Categories: make([]model.Category, 2)}
	f.Bag.Add([]byte("word"))
	for i := range f.Numbers {
		f.Numbers[i] = model.Number{Value: 1e9, Present: true}
	}
	model.NewScorer().Decide(&d, m, f, "", model.Options{})
	for _, c := range d.Classes {
		isShare := c.Posterior >= 0 && c.Posterior <= 1
		if math.IsNaN(c.LogPosterior) || math.IsInf(c.LogPosterior, 0) && c.Posterior != 0 || !isShare {
			tb.Errorf("decision: class %q has the posterior %v, ln %v", c.Name, c.Posterior, c.LogPosterior)
		}
	}
}
