package fold_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"
)

// hostile returns deltas that no writer makes, and that can be written into the log all the same:
// well formed, and at odds with what counts are. Each is for a state that has learned `before`.
func hostile(t storetest.Fataler, sp *spec.Spec) (before *model.Delta, after map[string]*model.Delta) {
	t.Helper()
	documents := func(n int64, classes ...string) *model.Delta {
		d := &model.Delta{Classes: classes, Categories: make([]counts.Terms, sp.ValueTables()), Numbers: make([][]*gaussian.Sums, len(sp.Numbers))}
		for range classes {
			d.Documents = append(d.Documents, n)
			for i := range d.Numbers {
				d.Numbers[i] = append(d.Numbers[i], nil)
			}
		}
		return d
	}
	word := func(d *model.Delta, class uint32, n int64) *model.Delta {
		d.Text = counts.Terms{Bytes: []byte("word"), Ends: []uint32{4}, Cells: []uint32{1}, Class: []uint32{class}, Count: []int64{n}}
		return d
	}
	sums := func(d *model.Delta, block int, s *gaussian.Sums) *model.Delta {
		d.Numbers[block][0] = s
		return d
	}
	noRows := func(full bool, fields int) *gaussian.Sums {
		s := gaussian.NewSums(fields, full)
		s.Sum[0], s.Products[0] = gaussian.Int192{5}, gaussian.Int192{7}
		return s
	}
	many := documents(0)
	for i := range 70000 {
		many.Classes = append(many.Classes, fmt.Sprintf("%06d", i))
		many.Documents = append(many.Documents, 0)
	}
	for i := range many.Numbers {
		many.Numbers[i] = make([]*gaussian.Sums, len(many.Classes))
	}
	return word(documents(5, "a"), 0, 9), map[string]*model.Delta{
		"counts for a class without documents":       word(documents(0, "b"), 0, 3),
		"numbers for a class without documents":      sums(documents(0, "b"), 0, noRows(false, 2)),
		"a class that ends and leaves its counts":    documents(-5, "a"),
		"70000 classes, the last with a count":       word(many, 69999, 1),
		"the largest count there is, on top":         word(documents(1, "a"), 0, counts.MaxCount),
		"more documents than can be added up":        documents(math.MaxInt64/2, "b", "c", "d"),
		"sums of no rows, naive":                     sums(documents(1, "a"), 0, noRows(false, 2)),
		"sums of no rows, with all products":         sums(documents(1, "a"), 1, noRows(true, 3)),
		"more rows than documents, with no products": sums(documents(1, "a"), 1, &gaussian.Sums{N: []int64{math.MaxInt64}, Sum: make([]gaussian.Int192, 3), Products: make([]gaussian.Int192, 6)}),
	}
}

// What is at odds with the counts is refused and changes nothing, or is taken and leaves a state
// that can be checked, decided with, and taken out again. Nothing panics: a record that did would
// stop every worker for ever.
func TestHostileDeltas(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	before, deltas := hostile(t, sp)
	for name, d := range deltas {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			s := newState(t, sp)
			storetest.Fold(t, s, entry(s, 0, before), fold.Accepted)
			was := contents(t, s)
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("panic: %v", p)
				}
			}()
			outcome, err := s.Fold(entry(s, 1, d))
			if err != nil {
				t.Fatal(err)
			}
			if outcome != fold.Accepted {
				if now := contents(t, s); now != was || outcome != fold.Invalid {
					t.Errorf("outcome %q; the state was\n%s\nand is\n%s", outcome, was, now)
				}
				return
			}
			s.Settle()
			modeltest.MustMakeSense(t, s.Model())
		})
	}
}

// entry is the next entry of the log: a delta of one record that was built on the state.
func entry(s *fold.State, start int64, d *model.Delta) fold.Entry {
	p, _ := s.Progress(training)
	delta := &fold.Delta{Ranges: []fold.Range{{Source: training, Previous: p.Previous, Start: start, End: start + 1}},
		Counting: s.Counting(),
		Counts:   d}
	return fold.Entry{Offset: s.Next(), Delta: delta}
}
