package counts

import (
	"bytes"
	"fmt"

	"bayestream/internal/core/digest"
)

// A Loader fills an empty table with the rows of a checkpoint: Measure every row, Restore every row
// in the order of the terms' bytes, then Finish. Measuring first gives the memory its final size at
// once, and because of the order no term has to be looked up.
type Loader struct {
	table *Table
	terms int // measured rows
	bytes int // of their terms
	cells int // room for their cells
}

// lastClass is the largest class number of a row, which counts its cells in 16 bits.
const lastClass = MaxClasses - 2

// NewLoader returns a loader of t, which is empty.
func NewLoader(t *Table) *Loader { return &Loader{table: t} }

// Measure announces a row with so many cells.
func (l *Loader) Measure(term []byte, cells int) {
	l.terms++
	l.bytes += len(term)
	if cells > 0 {
		l.cells += 1 << roomFor(cells)
	}
}

// reserve makes room for what was measured, and 3 % more: the first new term should not copy
// everything.
func (l *Loader) reserve() {
	more := func(n int) int { return n + n/32 }
	l.table.rows = make([]place, 0, more(l.terms))
	l.table.arena = make([]byte, 0, more(l.bytes))
	l.table.slab = make([]Cell, 0, more(l.cells))
}

// Restore adds a row; one without cells is a term at zero of a frozen table. Terms must ascend, and
// so must the classes of the cells. After an error the table must not be used.
func (l *Loader) Restore(term []byte, cells []Cell) error {
	t := l.table
	if t.rows == nil {
		l.reserve()
	}
	if len(term) == 0 || len(term) > 1<<16-1 {
		return fmt.Errorf("term of %d bytes", len(term))
	}
	if n := len(t.rows); n > 0 && bytes.Compare(t.term(n-1), term) >= 0 {
		return fmt.Errorf("term %q follows %q", term, t.term(n-1))
	}
	weight := digest.Hash(term)
	last := -1
	for _, c := range cells {
		if c.Class() <= last || c.Class() > lastClass || !t.isCount(c.Count()) {
			return fmt.Errorf("term %q: class %d after %d with count %d", term, c.Class(), last, c.Count())
		}
		last = c.Class()
		t.recount(weight, last, 0, c.Count())
	}
	p := place{term: uint32(len(t.arena)), cells: uint32(len(t.slab)), len: uint16(len(term)), used: uint16(len(cells))}
	if len(cells) > 0 {
		t.slab = append(t.slab, cells...)
		for range 1<<roomFor(len(cells)) - len(cells) {
			t.slab = append(t.slab, 0)
		}
		t.live++
		t.cells += len(cells)
	}
	t.arena = append(t.arena, term...)
	t.rows = append(t.rows, p)
	t.kept++
	return nil
}

// Finish makes the table ready for use; frozen says whether its vocabulary was.
func (l *Loader) Finish(frozen bool) {
	l.table.isFrozen = frozen
	if l.table.kept > 0 {
		l.table.index = l.table.indexed(slotsFor(l.table.kept))
	}
}
