package counts

import (
	"fmt"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
)

// Fits reports whether d can be added without a count below zero, or more than MaxCount tokens in a
// class. ids maps the classes of the delta to class numbers, -1 for a class that the table does not
// have.
func (t *Table) Fits(d *Terms, ids []int) error {
	if t.isSigned {
		return t.fitSigned(d, ids)
	}
	totals := make([]int64, len(ids)) // by class of the delta: N_c and what was added so far
	for class, id := range ids {
		if id >= 0 {
			totals[class] = t.Total(id)
		}
	}
	for i := range d.Len() {
		begin, end := d.Range(i)
		removes := false
		for j := begin; j < end; j++ {
			n := d.Count[j]
			if n < 0 {
				removes = true
				continue
			}
			class := d.Class[j]
			if totals[class] > MaxCount-n {
				return fmt.Errorf("term %q: its class would have more than %d tokens", d.Term(i), int64(MaxCount))
			}
			totals[class] += n
		}
		if removes {
			if err := t.canRemove(d, i, ids); err != nil {
				return err
			}
		}
	}
	return nil
}

// fitSigned is Fits for a table in which counts may be below zero.
func (t *Table) fitSigned(d *Terms, ids []int) error {
	for i := range d.Len() {
		row := t.Lookup(bow.Hash(d.Term(i)), d.Term(i))
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			old := int64(0)
			if id := ids[d.Class[j]]; row >= 0 && id >= 0 {
				old = t.Count(row, id)
			}
			if err := t.checkCount(d.Term(i), old, d.Count[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// canRemove reports whether the table has what the i-th term of d takes out.
func (t *Table) canRemove(d *Terms, i int, ids []int) error {
	term := d.Term(i)
	row := t.Lookup(bow.Hash(term), term)
	if row < 0 && t.isFrozen {
		return nil // it was never counted
	}
	begin, end := d.Range(i)
	for j := begin; j < end; j++ {
		if d.Count[j] > 0 {
			continue
		}
		id := ids[d.Class[j]]
		if row < 0 || id < 0 || t.Count(row, id)+d.Count[j] < 0 {
			return fmt.Errorf("term %q: %w", term, ErrNegative)
		}
	}
	return nil
}

// LeftAfter returns, by class of d, whether the table will count anything for it when d is added: of a
// signed table by the digest.
func (t *Table) LeftAfter(d *Terms, ids []int) []bool {
	sums := make([]total, len(ids))
	for class, id := range ids {
		if id >= 0 && id < len(t.totals) {
			sums[class] = t.totals[id]
		}
	}
	for i := range d.Len() {
		if t.isFrozen && t.Lookup(bow.Hash(d.Term(i)), d.Term(i)) < 0 {
			continue // it will not be counted
		}
		weight := digest.Hash(d.Term(i))
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			of := &sums[d.Class[j]]
			of.count += d.Count[j]
			of.digest = of.digest.Plus(digest.Int(d.Count[j]).Times(weight))
		}
	}
	left := make([]bool, len(ids))
	for class := range left {
		left[class] = sums[class] != total{}
	}
	return left
}

// Apply adds d, which Fits. Known terms come first and new ones after them, in byte order until the
// limit is reached, so that the vocabulary freezes only if it really grew.
func (t *Table) Apply(d *Terms, ids []int) error {
	var added []int
	for i := range d.Len() {
		row := t.Lookup(bow.Hash(d.Term(i)), d.Term(i))
		if row < 0 {
			added = append(added, i)
			continue
		}
		if err := t.hold(row, func() error { return t.applyRow(row, d, i, ids) }); err != nil {
			return err
		}
	}
	for _, i := range added {
		hash := bow.Hash(d.Term(i))
		weight := digest.Hash(d.Term(i))
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			if err := t.add(hash, weight, d.Term(i), ids[d.Class[j]], d.Count[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyRow adds the counts of the i-th term of d to its row.
func (t *Table) applyRow(row int, d *Terms, i int, ids []int) error {
	weight := digest.Hash(d.Term(i))
	begin, end := d.Range(i)
	for j := begin; j < end; j++ {
		if err := t.addRow(row, weight, ids[d.Class[j]], d.Count[j]); err != nil {
			return err
		}
	}
	return nil
}

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
