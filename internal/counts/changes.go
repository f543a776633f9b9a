package counts

import (
	"encoding/binary"
	"errors"
	"fmt"

	"bayestream/internal/bow"
)

func (t *Table) touch(id int) {
	if !t.track {
		return
	}
	for len(t.isDirty) <= id/64 {
		t.isDirty = append(t.isDirty, 0)
	}
	if word, bit := &t.isDirty[id/64], uint64(1)<<(id%64); *word&bit == 0 {
		*word |= bit
		t.dirty = append(t.dirty, uint32(id))
	}
}

// Dirty returns about how many rows changed since ClearChanges.
func (t *Table) Dirty() int { return len(t.dirty) + len(t.removed) }

// A Change is what became of a term: its cells as they are now, or Gone from the table. A term at
// zero in a frozen table is not gone: it has no cells and is still admitted.
type Change struct {
	Cells []Cell
	Gone  bool
}

// Changes calls yield for every term that changed since ClearChanges. No term comes twice.
func (t *Table) Changes(yield func(term []byte, c Change) bool) {
	gone := map[string]bool{}
	for _, term := range t.removed {
		if gone[string(term)] || t.Lookup(bow.Hash(term), term) >= 0 {
			continue
		}
		gone[string(term)] = true
		if !yield(term, Change{Gone: true}) {
			return
		}
	}
	for _, id := range t.dirty {
		if t.rows[id].isFree() {
			continue
		}
		if !yield(t.Term(int(id)), Change{Cells: t.Cells(int(id))}) {
			return
		}
	}
}

// ClearChanges forgets what changed: it is on disk now.
func (t *Table) ClearChanges() {
	clear(t.isDirty)
	t.dirty, t.removed = t.dirty[:0], t.removed[:0]
}

// MaxCellBytes is how many bytes of a row a cell takes at most: a class of 16 bits and a count of 47.
const MaxCellBytes = 3 + 7

// AppendRow appends the bytes of a row: for each cell the class and its count as unsigned varints,
// the class as the distance from the one before.
func AppendRow(dst []byte, cells []Cell) []byte {
	last := 0
	for _, c := range cells {
		dst = binary.AppendUvarint(dst, uint64(c.Class()-last))
		dst = binary.AppendUvarint(dst, uint64(c.Count()))
		last = c.Class()
	}
	return dst
}

var errRow = errors.New("a row of counts is damaged")

// pair reads two unsigned varints; rest is nil when there are none.
func pair(b []byte) (first, second uint64, rest []byte) {
	first, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, nil
	}
	second, m := binary.Uvarint(b[n:])
	if m <= 0 {
		return 0, 0, nil
	}
	return first, second, b[n+m:]
}

// Check recomputes the sums and reports the first invariant of the package comment that does not hold.
func (t *Table) Check() error {
	live, kept := 0, 0
	totals := make([]int64, len(t.totals))
	for i := range t.rows {
		if t.rows[i].isFree() {
			continue
		}
		kept++
		term := t.Term(i)
		if got := t.Lookup(bow.Hash(term), term); got != i {
			return fmt.Errorf("term %q: row %d found as %d", term, i, got)
		}
		if t.rows[i].used == 0 && !t.isFrozen && !t.signed {
			return fmt.Errorf("term %q has no counts and is still there", term)
		}
		if t.rows[i].used > 0 {
			live++
		}
		if err := t.checkCells(i, totals); err != nil {
			return err
		}
	}
	if live != t.live || kept != t.kept {
		return fmt.Errorf("vocabulary is said to be %d of %d terms, counted %d of %d", t.live, t.kept, live, kept)
	}
	for c, n := range totals {
		if n != t.totals[c] {
			return fmt.Errorf("class %d: total is said to be %d, counted %d", c, t.totals[c], n)
		}
	}
	return nil
}

func (t *Table) checkCells(id int, totals []int64) error {
	last := -1
	for _, c := range t.Cells(id) {
		if c.Class() <= last || c.Count() == 0 || (c.Count() < 0 && !t.signed) {
			return fmt.Errorf("term %q: class %d after %d with count %d", t.Term(id), c.Class(), last, c.Count())
		}
		last = c.Class()
		totals[last] += c.Count()
	}
	return nil
}
