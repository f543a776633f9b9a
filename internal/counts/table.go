package counts

import (
	"fmt"
	"math"

	"bayestream/internal/bow/intern"
)

// A Cell is one count of a row: class and n packed into 64 bits, so that rows hold no pointers.
type Cell uint64

const (
	countBits = 48
	// MaxCount is the largest magnitude of a count.
	MaxCount = 1<<(countBits-1) - 1
)

func cell(class int, n int64) Cell {
	return Cell(uint64(class)<<countBits | uint64(n)&(1<<countBits-1))
}

// Class returns the number of the class that is counted.
func (c Cell) Class() int { return int(c >> countBits) }

// Count returns n_tc.
func (c Cell) Count() int64 { return int64(c<<(64-countBits)) >> (64 - countBits) }

// row says where the bytes of a term lie in the arena and its cells in the slab.
type row struct {
	term  uint32
	cells uint32
	len   uint16 // bytes of the term
	used  uint16 // cells; there is room for the next power of two
}

// freeRow stands for the place of the term in a row that is to be used again.
const freeRow = math.MaxUint32

func (r *row) isFree() bool { return r.term == freeRow }

// Table holds the counts n_tc. The zero value is empty, without a cap, and ready for use.
type Table struct {
	index  intern.Index // of the rows by their terms
	rows   []row
	free   []uint32 // rows to use again
	arena  []byte   // the bytes of the terms
	waste  int      // bytes of the arena that belong to removed terms
	slab   []Cell
	spare  [17][]uint32 // freed runs of the slab by log2 of their length
	totals []int64      // N_c by class
	live   int          // rows with a cell: |V|
	cells  int          // cells in use
	kept   int          // rows in the index: |V|, and the terms at zero of a frozen or signed table

	removals int64 // rows that left the index, ever: those found before may be other ones since

	limit    int
	isFrozen bool
	signed   bool

	dirty   []uint32
	isDirty []uint64 // bit set of rows
	removed [][]byte
	track   bool
	byCount []map[int64]int64 // by class: how many terms have the count n; nil unless asked for
}

// Options of a Table.
type Options struct {
	Limit         int  // terms at which the vocabulary freezes; 0: none
	Signed        bool // counts may be negative: the table is a difference
	CountOfCounts bool // keep CountOfCounts up to date
	TrackChanges  bool // remember what changed, for Changes
}

// NewTable returns an empty table.
func NewTable(o Options) *Table {
	t := &Table{limit: o.Limit, signed: o.Signed, track: o.TrackChanges}
	if o.CountOfCounts {
		t.byCount = []map[int64]int64{}
	}
	return t
}

// Clear empties a table that tracks no changes and keeps its memory.
func (t *Table) Clear() {
	t.index.Clear()
	clear(t.totals)
	for i := range t.byCount {
		clear(t.byCount[i])
	}
	for i := range t.spare {
		t.spare[i] = t.spare[i][:0]
	}
	t.removals += int64(t.kept)
	t.rows, t.free, t.arena, t.slab = t.rows[:0], t.free[:0], t.arena[:0], t.slab[:0]
	t.waste, t.live, t.cells, t.kept, t.isFrozen = 0, 0, 0, 0, false
}

// Vocabulary returns |V|: the number of terms with a count in any class.
func (t *Table) Vocabulary() int { return t.live }

// Frozen reports whether the limit was reached: no new term is admitted and none leaves.
func (t *Table) Frozen() bool { return t.isFrozen }

// Admitted returns the number of terms that the table knows, those at zero in a frozen table included.
func (t *Table) Admitted() int { return t.kept }

// Total returns N_c, the sum of the counts of class.
func (t *Table) Total(class int) int64 {
	if class >= len(t.totals) {
		return 0
	}
	return t.totals[class]
}

// Cells returns the counts of a row, sorted by class number. The slice is a view.
func (t *Table) Cells(row int) []Cell {
	r := &t.rows[row]
	return t.slab[r.cells : r.cells+uint32(r.used) : r.cells+uint32(r.used)]
}

// Term returns the term of a row. The slice is a view.
func (t *Table) Term(row int) []byte {
	r := &t.rows[row]
	end := r.term + uint32(r.len)
	return t.arena[r.term:end:end]
}

// Count returns n_tc of a row.
func (t *Table) Count(row, class int) int64 {
	cells := t.Cells(row)
	if i, ok := find(cells, class); ok {
		return cells[i].Count()
	}
	return 0
}

// Pair returns the counts of a row in two classes.
func (t *Table) Pair(row, a, b int) (ofA, ofB int64) {
	cells := t.Cells(row)
	if len(cells) > 8 {
		return t.Count(row, a), t.Count(row, b)
	}
	for _, c := range cells { // no branches: which class a row has is nothing that a processor could guess
		n := c.Count()
		ofA += n & same(c.Class(), a)
		ofB += n & same(c.Class(), b)
	}
	return ofA, ofB
}

// same returns all ones if two classes are one, else zero.
func same(a, b int) int64 { return (int64(a^b) - 1) >> 63 }

// Rows calls yield for every term with a count, in no particular order.
func (t *Table) Rows(yield func(term []byte, cells []Cell) bool) {
	for i := range t.rows {
		if t.rows[i].used > 0 && !yield(t.Term(i), t.Cells(i)) {
			return
		}
	}
}

// Sorted calls yield for every term with a count in the order of its bytes.
func (t *Table) Sorted(yield func(term []byte, cells []Cell) bool) {
	var rows []uint32
	for i := range t.rows {
		if t.rows[i].used > 0 {
			rows = append(rows, uint32(i))
		}
	}
	sortByTerm(rows, func(row uint32) []byte { return t.Term(int(row)) })
	for _, row := range rows {
		if !yield(t.Term(int(row)), t.Cells(int(row))) {
			return
		}
	}
}

// find returns where the cell of a class is, or would be.
func find(cells []Cell, class int) (int, bool) {
	low, high := 0, len(cells)
	for high-low > 8 {
		if middle := (low + high) / 2; cells[middle].Class() < class {
			low = middle + 1
		} else {
			high = middle + 1
		}
	}
	for ; low < high; low++ {
		if k := cells[low].Class(); k >= class {
			return low, k == class
		}
	}
	return high, false
}

// Add adds n to the count of term (hash is its bow.Hash) in class. A new term is ignored when the
// table is frozen; then and when n is 0 nothing changes. A count that would become negative in a
// table that is not signed leaves the table unchanged and is an error.
func (t *Table) Add(hash uint64, term []byte, class int, n int64) error {
	if n == 0 {
		return nil
	}
	r := t.Lookup(hash, term)
	if r < 0 {
		if t.isFrozen {
			return nil
		}
		if n < 0 && !t.signed {
			return fmt.Errorf("term %q: 0 less %d: %w", term, -n, ErrNegative)
		}
		r = t.insert(hash, term)
	}
	return t.AddRow(r, class, n)
}

// AddRow is Add for a row that Lookup returned.
func (t *Table) AddRow(row, class int, n int64) error {
	i, ok := find(t.Cells(row), class)
	var old int64
	if ok {
		old = t.Cells(row)[i].Count()
	}
	sum := old + n
	if sum < 0 && !t.signed {
		return fmt.Errorf("term %q: %d less %d: %w", t.Term(row), old, -n, ErrNegative)
	}
	if sum > MaxCount || sum < -MaxCount {
		return fmt.Errorf("term %q: count %d does not fit %d bits", t.Term(row), sum, countBits)
	}
	t.touch(row)
	t.recount(class, old, sum)
	switch {
	case ok && sum != 0:
		t.slab[t.rows[row].cells+uint32(i)] = cell(class, sum)
	case ok:
		t.removeCell(row, i)
	case sum != 0:
		t.insertCell(row, i, cell(class, sum))
	}
	return nil
}

// recount keeps the sums over rows: N_c and the count of counts.
func (t *Table) recount(class int, old, sum int64) {
	for len(t.totals) <= class {
		t.totals = append(t.totals, 0)
	}
	t.totals[class] += sum - old
	if t.byCount == nil {
		return
	}
	for len(t.byCount) <= class {
		t.byCount = append(t.byCount, map[int64]int64{})
	}
	m := t.byCount[class]
	if old != 0 {
		if m[old]--; m[old] == 0 {
			delete(m, old)
		}
	}
	if sum != 0 {
		m[sum]++
	}
}

// CountOfCounts returns, for class, how many terms have the count n, keyed by n (n > 0). It is kept
// only if Options asked for it. The map is a view.
func (t *Table) CountOfCounts(class int) map[int64]int64 {
	if class >= len(t.byCount) {
		return nil
	}
	return t.byCount[class]
}

// Has reports whether any term has a count in class. It visits all rows.
func (t *Table) Has(class int) bool {
	if t.Total(class) != 0 {
		return true
	}
	for i := range t.rows {
		if t.rows[i].used == 0 {
			continue
		}
		if _, ok := find(t.Cells(i), class); ok {
			return true
		}
	}
	return false
}

// Size returns an upper bound of the bytes that Flatten's result takes when it is encoded.
func (t *Table) Size() int { return len(t.arena) - t.waste + 8*t.kept + 11*t.cells }
