package counts

import (
	"fmt"
	"math"

	"bayestream/internal/bow"
	"bayestream/internal/bow/intern"
	"bayestream/internal/core/digest"
)

// A Cell is one count n_tc of a row: the class in the upper 16 bits, the count in the lower 48,
// signed. Cells hold no pointers, which keeps millions of them out of the garbage collector's
// sight.
type Cell uint64

const (
	countBits = 48
	// MaxCount is the largest magnitude of a count.
	MaxCount = 1<<(countBits-1) - 1
)

// NewCell returns the cell of a class below MaxClasses and a count of at most MaxCount.
func NewCell(class int, n int64) Cell {
	return Cell(uint64(class)<<countBits | uint64(n)&(1<<countBits-1))
}

// Class returns the number of the class that is counted.
func (c Cell) Class() int { return int(c >> countBits) }

// Count returns n_tc.
func (c Cell) Count() int64 { return int64(c<<(64-countBits)) >> (64 - countBits) }

// A place is where the term of a row lies in the arena and its cells in the slab.
type place struct {
	term  uint32 // begin in the arena; freeRow: the row is free
	cells uint32 // begin in the slab
	len   uint16 // bytes of the term
	used  uint16 // cells; there is room for the next power of two
}

// freeRow in a place marks a row to use again.
const freeRow = math.MaxUint32

func (p *place) isFree() bool { return p.term == freeRow }

// arrays grow with the terms of a table.
type arrays struct {
	index intern.Index // of the rows, by their terms
	rows  []place
	arena []byte // the bytes of the terms
	slab  []Cell
}

// Table holds the counts n_tc, none of them negative unless it is signed. The zero value is empty,
// has no limit, and is ready for use.
type Table struct {
	arrays
	free     []uint32     // rows to use again
	waste    int          // bytes of the arena that belong to removed terms
	spare    [17][]uint32 // freed runs of the slab, by log2 of their length
	totals   []total      // by class
	live     int          // rows with a cell: |V|
	kept     int          // rows with a term: |V|, and in a frozen table the terms at zero
	cells    int          // in all rows
	writes   int64        // of counts since the table exists
	removals int64        // rows removed since the table exists: a row found before may belong to another term
	limit    int
	isFrozen bool
	isSigned bool
	isHeld   bool // a row stays when its last cell goes
	changes  changes
	larger   *larger           // for the next Apply; nil: there is room, or nobody has looked
	byCount  []map[int64]int64 // by class: how many terms have the count n; nil: not kept
}

// A total is what the counts of a class add up to.
type total struct {
	count  int64      // N_c
	digest digest.Sum // each count times the weight of its term
}

// Options of a Table.
type Options struct {
	Limit         int  // number of terms at which the vocabulary freezes; 0: none
	CountOfCounts bool // keep CountOfCounts up to date
	Signed        bool // counts may be negative
}

// NewTable returns an empty table.
func NewTable(o Options) *Table {
	t := &Table{limit: o.Limit, isSigned: o.Signed}
	if o.CountOfCounts {
		t.byCount = []map[int64]int64{}
	}
	return t
}

// Vocabulary returns |V|: the number of terms with a count in any class.
func (t *Table) Vocabulary() int { return t.live }

// Frozen reports whether the limit was reached: no new term is admitted and none leaves.
func (t *Table) Frozen() bool { return t.isFrozen }

// Admitted returns the number of terms with a row, including those without counts in a frozen
// table.
func (t *Table) Admitted() int { return t.kept }

// Width returns the number of cells of all rows.
func (t *Table) Width() int { return t.cells }

// Total returns N_c, the sum of the counts of class.
func (t *Table) Total(class int) int64 { return t.total(class).count }

// Digest returns the digest of the counts of class: the sum of n_tc times digest.Hash of t.
func (t *Table) Digest(class int) digest.Sum { return t.total(class).digest }

// total returns the total of a class; nothing of one without a number, which is -1.
func (t *Table) total(class int) (of total) {
	if class >= 0 && class < len(t.totals) {
		of = t.totals[class]
	}
	return of
}

// Cells returns the counts of a row, sorted by class number. The slice is a view.
func (t *Table) Cells(row int) []Cell {
	p := &t.rows[row]
	end := p.cells + uint32(p.used)
	return t.slab[p.cells:end:end]
}

// term returns the term of a row. The slice is a view.
func (t *Table) term(row int) []byte {
	p := &t.rows[row]
	end := p.term + uint32(p.len)
	return t.arena[p.term:end:end]
}

// Count returns n_tc of a row; 0 of a term that has none, whose row is -1.
func (t *Table) Count(row, class int) int64 {
	if row < 0 {
		return 0
	}
	cells := t.Cells(row)
	if at, ok := findCell(cells, class); ok {
		return cells[at].Count()
	}
	return 0
}

// Rows yields every term with a count and its cells, in no particular order.
func (t *Table) Rows(yield func(term []byte, cells []Cell) bool) {
	for row := range t.rows {
		if t.rows[row].used > 0 && !yield(t.term(row), t.Cells(row)) {
			return
		}
	}
}

// Sorted yields every term with a count and its cells, in the order of the terms' bytes.
func (t *Table) Sorted(yield func(term []byte, cells []Cell) bool) {
	var rows []uint32
	for row := range t.rows {
		if t.rows[row].used > 0 {
			rows = append(rows, uint32(row))
		}
	}
	SortByTerm(rows, func(row uint32) []byte { return t.term(int(row)) })
	for _, row := range rows {
		if !yield(t.term(int(row)), t.Cells(int(row))) {
			return
		}
	}
}

// findCell returns the position of a class among the cells of a row, or where it would be inserted:
// by halving down to eight cells, then one after the other.
func findCell(cells []Cell, class int) (at int, ok bool) {
	low := 0
	high := len(cells)
	for high-low > 8 {
		middle := (low + high) / 2
		if cells[middle].Class() < class {
			low = middle + 1
		} else {
			high = middle + 1
		}
	}
	for ; low < high; low++ {
		if c := cells[low].Class(); c >= class {
			return low, c == class
		}
	}
	return high, false
}

// Add adds n to the count of term (hash is its bow.Hash) in class. A new term is ignored when the
// table is frozen. With an error (a count below zero or above MaxCount) the table is unchanged.
func (t *Table) Add(hash uint64, term []byte, class int, n int64) error {
	if n == 0 {
		return nil
	}
	row := t.Lookup(hash, term)
	if row < 0 {
		if t.isFrozen {
			return nil
		}
		if err := t.checkCount(term, 0, n); err != nil {
			return err
		}
		row = t.insertRow(hash, term)
	}
	return t.addRow(row, digest.Hash(term), class, n)
}

// addRow is Add for a row that Lookup returned, of a term of that weight.
func (t *Table) addRow(row int, weight digest.Sum, class int, n int64) error {
	cells := t.Cells(row)
	at, ok := findCell(cells, class)
	var old int64
	if ok {
		old = cells[at].Count()
	}
	if err := t.checkCount(t.term(row), old, n); err != nil {
		return err
	}
	sum := old + n
	t.changes.touch(row)
	t.writes++
	t.recount(weight, class, old, sum)
	switch {
	case ok && sum != 0:
		cells[at] = NewCell(class, sum)
	case ok:
		t.removeCell(row, at)
	case sum != 0:
		t.insertCell(row, at, NewCell(class, sum))
	}
	return nil
}

// checkCount reports whether n can be added to the count old of a term.
func (t *Table) checkCount(term []byte, old, n int64) error {
	if old+n < 0 && !t.isSigned {
		return fmt.Errorf("term %q: %d less %d: %w", term, old, -n, ErrNegative)
	}
	if n > MaxCount-old || n < -MaxCount-old {
		return fmt.Errorf("term %q: count %d does not fit %d bits", term, old+n, countBits)
	}
	return nil
}

// isCount reports whether a cell of the table may hold n.
func (t *Table) isCount(n int64) bool { return n > 0 || n < 0 && t.isSigned }

// recount keeps the sums over rows, N_c, the digest and the count of counts, when the count of a
// term with that weight changes.
func (t *Table) recount(weight digest.Sum, class int, old, sum int64) {
	for len(t.totals) <= class {
		t.totals = append(t.totals, total{})
	}
	of := &t.totals[class]
	of.count += sum - old
	of.digest = of.digest.Plus(digest.Int(sum - old).Times(weight))
	if t.byCount == nil {
		return
	}
	for len(t.byCount) <= class {
		t.byCount = append(t.byCount, map[int64]int64{})
	}
	m := t.byCount[class]
	if old != 0 {
		m[old]--
		if m[old] == 0 {
			delete(m, old)
		}
	}
	if sum != 0 {
		m[sum]++
	}
}

// CountOfCounts returns, by count n > 0, how many terms class has with that count; nil unless
// Options asked for it. The map is a view.
func (t *Table) CountOfCounts(class int) map[int64]int64 {
	if class >= len(t.byCount) {
		return nil
	}
	return t.byCount[class]
}

// Check recomputes the sums and returns an error for the first invariant of the package comment
// that does not hold.
func (t *Table) Check() error {
	live := 0
	kept := 0
	cells := 0
	totals := make([]total, len(t.totals))
	for row := range t.rows {
		p := &t.rows[row]
		if p.isFree() {
			continue
		}
		kept++
		cells += int(p.used)
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
	if live != t.live || kept != t.kept || cells != t.cells {
		return fmt.Errorf("vocabulary is %d of %d terms with %d cells, counted %d of %d with %d", t.live, t.kept, t.cells,
			live, kept, cells)
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
		if c.Class() <= last || !t.isCount(c.Count()) {
			return fmt.Errorf("term %q: class %d after %d with count %d", t.term(row), c.Class(), last, c.Count())
		}
		last = c.Class()
		of := &totals[last]
		of.count += c.Count()
		of.digest = of.digest.Plus(digest.Int(c.Count()).Times(weight))
	}
	return nil
}
