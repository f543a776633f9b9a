package counts

import (
	"fmt"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
)

// Found is where a table has the terms of a difference. To find them takes most of the time of
// adding; others may read the table meanwhile.
type Found struct {
	table    *Table
	removals int64 // of the table, as kept
	kept     int
	terms    []foundTerm
	read     uint64 // of readAhead
}

type foundTerm struct {
	hash   uint64
	weight digest.Sum
	row    int // -1: there is none
}

// block is of how many terms the places are read one after the other. Each is somewhere else in
// memory, and the processor waits for many of them at a time: with 1,000,000 terms a difference is
// found and added in two thirds of the time.
const block = 64

// Find looks for the terms of d, and makes room for those that are new. One goroutine at a time may
// call it, that of Apply.
func (t *Table) Find(d *Terms) *Found {
	f := &Found{table: t, removals: t.removals, kept: t.kept, terms: make([]foundTerm, d.Len())}
	var slots [block]int
	for from := 0; from < len(f.terms); from += block {
		terms := f.terms[from:min(from+block, len(f.terms))]
		for i := range terms {
			of, term := &terms[i], d.Term(from+i)
			of.hash = bow.Hash(term)
			of.weight = digest.Hash(term)
			slots[i], of.row = t.index.First(of.hash)
		}
		for i := range terms {
			of := &terms[i]
			of.row = t.search(slots[i], of.row, of.hash, d.Term(from+i))
		}
	}
	t.prepare(d, f)
	return f
}

// readAhead reads what Apply is about to change, one block of terms from i on. The sum is for the
// compiler, which leaves out what nobody needs.
func (f *Found) readAhead(i int) {
	for _, of := range f.terms[i:min(i+block, len(f.terms))] {
		if of.row < 0 {
			slot, _ := f.table.index.First(of.hash)
			f.read += uint64(slot)
		} else if p := &f.table.rows[of.row]; p.used > 0 {
			f.read += uint64(f.table.slab[p.cells])
		}
	}
}

// again finds the terms again that a table may have got or lost since they were found.
func (t *Table) again(f *Found, d *Terms) {
	if f.table != t || f.removals != t.removals {
		*f = *t.Find(d)
	}
	if f.kept == t.kept {
		return
	}
	f.kept = t.kept
	for i := range f.terms {
		if of := &f.terms[i]; of.row < 0 {
			of.row = t.Lookup(of.hash, d.Term(i))
		}
	}
}

// Fits reports whether d, which was found, can be added without a count below zero, or more than
// MaxCount tokens in a class. ids maps the classes of the delta to class numbers, -1 for a class that
// the table does not have.
func (t *Table) Fits(d *Terms, ids []int, f *Found) error {
	t.again(f, d)
	totals := make([]int64, len(ids)) // by class of the delta: N_c and what was added so far
	for class, id := range ids {
		totals[class] = t.Total(id)
	}
	for i := range d.Len() {
		row := f.terms[i].row
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			n, class := d.Count[j], d.Class[j]
			switch {
			case n > 0 && !t.isSigned: // the total bounds the counts
				if totals[class] > MaxCount-n {
					return fmt.Errorf("term %q: its class would have more than %d tokens", d.Term(i), int64(MaxCount))
				}
				totals[class] += n
				continue
			case row < 0 && t.isFrozen && !t.isSigned:
				continue // it was never counted
			}
			if err := t.checkCount(d.Term(i), t.Count(row, ids[class]), n); err != nil {
				return err
			}
		}
	}
	return nil
}

// LeftAfter returns, by class of d, which Fits, whether the table will count anything for it when d
// is added: of a signed table by the digest.
func (t *Table) LeftAfter(d *Terms, ids []int, f *Found) []bool {
	sums := make([]total, len(ids))
	for class, id := range ids {
		sums[class] = t.total(id)
	}
	for i := range d.Len() {
		if t.isFrozen && f.terms[i].row < 0 {
			continue // it will not be counted
		}
		begin, end := d.Range(i)
		for j := begin; j < end; j++ {
			of := &sums[d.Class[j]]
			of.count += d.Count[j]
			of.digest = of.digest.Plus(digest.Int(d.Count[j]).Times(f.terms[i].weight))
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
func (t *Table) Apply(d *Terms, ids []int, f *Found) error {
	t.enlarge()
	for i := range f.terms {
		if i%block == 0 {
			f.readAhead(i)
		}
		of := &f.terms[i]
		if of.row < 0 {
			continue
		}
		if err := t.hold(of.row, func() error { return t.applyRow(of, d, i, ids) }); err != nil {
			return err
		}
	}
	for i := range f.terms {
		of := &f.terms[i]
		if of.row >= 0 || t.isFrozen {
			continue
		}
		of.row = t.insertRow(of.hash, d.Term(i))
		if err := t.applyRow(of, d, i, ids); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) applyRow(of *foundTerm, d *Terms, i int, ids []int) error {
	begin, end := d.Range(i)
	for j := begin; j < end; j++ {
		if err := t.addRow(of.row, of.weight, ids[d.Class[j]], d.Count[j]); err != nil {
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

// Dirty returns an upper bound of the number of terms that changed since ClearChanges.
func (t *Table) Dirty() int {
	return len(t.changes.rows) + len(t.changes.removed)
}

// A Change is what became of a term: its cells as they are now, or Gone from the table. A term
// without counts in a frozen table is not gone: it has no cells and keeps its row.
type Change struct {
	Cells []Cell
	Gone  bool
}

// Changes yields every term that changed since ClearChanges, each once.
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

// ClearChanges forgets what changed, because it is on disk now.
func (t *Table) ClearChanges() {
	clear(t.changes.set)
	t.changes.rows = t.changes.rows[:0]
	t.changes.removed = t.changes.removed[:0]
}
