package counts_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"bayestream/internal/counts"
)

// load does what store does with a bucket.
func load(tab *counts.Table, disk map[string][]counts.Cell, frozen bool) error {
	l := counts.NewLoader(tab)
	for term, cells := range disk {
		l.Measure([]byte(term), len(cells))
	}
	for _, term := range slices.Sorted(maps.Keys(disk)) {
		if err := l.Restore([]byte(term), disk[term]); err != nil {
			return err
		}
	}
	l.Finish(frozen)
	return nil
}

// Terms that are out of order, or come twice, are not those of a checkpoint.
func TestLoaderWantsTermsInOrder(t *testing.T) {
	for _, terms := range [][]string{{"b", "a"}, {"a", "a"}, {"ab", "a"}} {
		l := counts.NewLoader(counts.NewTable(counts.Options{}))
		if err := l.Restore([]byte(terms[0]), []counts.Cell{counts.NewCell(0, 1)}); err != nil {
			t.Fatal(err)
		}
		if err := l.Restore([]byte(terms[1]), []counts.Cell{counts.NewCell(0, 1)}); err == nil {
			t.Errorf("%q after %q is no error", terms[1], terms[0])
		}
	}
}

func TestLoaderWantsCellsInOrder(t *testing.T) {
	for name, cells := range map[string][]counts.Cell{
		"descending": {counts.NewCell(1, 1), counts.NewCell(0, 1)},
		"twice":      {counts.NewCell(1, 1), counts.NewCell(1, 1)},
		"zero":       {counts.NewCell(1, 0)},
		"negative":   {counts.NewCell(1, -1)},
	} {
		if counts.NewLoader(counts.NewTable(counts.Options{})).Restore([]byte("term"), cells) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A row may count as many classes as there can be, and not one more: their number must fit.
func TestLoaderOfAllClasses(t *testing.T) {
	cells := make([]counts.Cell, counts.MaxClasses)
	for class := range cells {
		cells[class] = counts.NewCell(class, 1)
	}
	most := cells[:len(cells)-1]
	for _, x := range []struct {
		cells []counts.Cell
		fails bool
	}{{most, false}, {cells, true}} {
		tab := counts.NewTable(counts.Options{})
		err := load(tab, map[string][]counts.Cell{"term": x.cells}, false)
		if (err != nil) != x.fails {
			t.Errorf("%d classes: error %v", len(x.cells), err)
		}
		if err == nil && (tab.Vocabulary() != 1 || len(tab.Cells(0)) != len(x.cells)) {
			t.Errorf("%d classes became %d", len(x.cells), len(tab.Cells(0)))
		}
	}
}

// Loading makes each piece of a table once, of the right size.
func TestLoaderAllocates(t *testing.T) {
	var terms [][]byte
	var rows [][]counts.Cell
	for i := range 10_000 {
		terms = append(terms, fmt.Appendf(nil, "term%04d", i))
		rows = append(rows, []counts.Cell{counts.NewCell(1, 7), counts.NewCell(2, 300), counts.NewCell(9, 1)}[:i%4])
	}
	n := testing.AllocsPerRun(5, func() {
		l := counts.NewLoader(counts.NewTable(counts.Options{}))
		for i := range terms {
			l.Measure(terms[i], len(rows[i]))
		}
		for i := range terms {
			if err := l.Restore(terms[i], rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		l.Finish(true)
	})
	if n > 12 { // the table, the loader, rows, arena, slab, index, and the totals of ten classes
		t.Errorf("%v allocations for %d rows, want no more than there are pieces", n, len(terms))
	}
}
