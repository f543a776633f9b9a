package counts

import "bayestream/internal/bow"

// changes is what changed in a table since ClearChanges.
type changes struct {
	rows    []uint32 // each once
	set     []uint64 // bit set of rows
	removed [][]byte // terms whose row was removed; a term may have come again since
}

func (c *changes) touch(row int) {
	for len(c.set) <= row/64 {
		c.set = append(c.set, 0)
	}
	bit := uint64(1) << (row % 64)
	if c.set[row/64]&bit == 0 {
		c.set[row/64] |= bit
		c.rows = append(c.rows, uint32(row))
	}
}

func (c *changes) remove(term []byte) {
	c.removed = append(c.removed, append([]byte(nil), term...))
}

// Dirty returns an upper bound of the number of terms that changed since ClearChanges. The table
// must track changes.
func (t *Table) Dirty() int {
	return len(t.changes.rows) + len(t.changes.removed)
}

// A Change is what became of a term: its cells as they are now, or Gone from the table. A term
// without counts in a frozen table is not gone: it has no cells and keeps its row.
type Change struct {
	Cells []Cell
	Gone  bool
}

// Changes yields every term that changed since ClearChanges, each once. The table must track
// changes.
func (t *Table) Changes(yield func(term []byte, c Change) bool) {
	gone := map[string]bool{}
	for _, term := range t.changes.removed {
		if gone[string(term)] || t.Lookup(bow.Hash(term), term) >= 0 {
			continue
		}
		gone[string(term)] = true
		if !yield(term, Change{Gone: true}) {
			return
		}
	}
	for _, row := range t.changes.rows {
		if t.rows[row].isFree() {
			continue
		}
		if !yield(t.term(int(row)), Change{Cells: t.Cells(int(row))}) {
			return
		}
	}
}

// ClearChanges forgets what changed, because it is on disk now. The table must track changes.
func (t *Table) ClearChanges() {
	clear(t.changes.set)
	t.changes.rows = t.changes.rows[:0]
	t.changes.removed = t.changes.removed[:0]
}
