package counts

import (
	"fmt"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
)

// Check recomputes the sums and returns an error for the first invariant of the package comment
// that does not hold.
func (t *Table) Check() error {
	live := 0
	kept := 0
	totals := make([]total, len(t.totals))
	for row := range t.rows {
		p := &t.rows[row]
		if p.isFree() {
			continue
		}
		kept++
		if p.used > 0 {
			live++
		}
		term := t.term(row)
		if got := t.Lookup(bow.Hash(term), term); got != row {
			return fmt.Errorf("term %q: row %d found as %d", term, row, got)
		}
		if p.used == 0 && !t.isFrozen {
			return fmt.Errorf("term %q has a row without counts", term)
		}
		if err := t.checkCells(row, totals); err != nil {
			return err
		}
	}
	if live != t.live || kept != t.kept {
		return fmt.Errorf("vocabulary is %d of %d terms, counted %d of %d", t.live, t.kept, live, kept)
	}
	for class, counted := range totals {
		if of := t.totals[class]; of != counted {
			return fmt.Errorf("class %d: total is %d with the digest %x, counted %d with %x", class, of.count, of.digest,
				counted.count, counted.digest)
		}
	}
	return nil
}

// checkCells checks the cells of a row and adds them to totals.
func (t *Table) checkCells(row int, totals []total) error {
	weight := digest.Hash(t.term(row))
	last := -1
	for _, c := range t.Cells(row) {
		if c.Class() <= last || c.Count() <= 0 {
			return fmt.Errorf("term %q: class %d after %d with count %d", t.term(row), c.Class(), last, c.Count())
		}
		last = c.Class()
		of := &totals[last]
		of.count += c.Count()
		of.digest = of.digest.Plus(digest.Int(c.Count()).Times(weight))
	}
	return nil
}
