package counts

import (
	"bytes"
	"fmt"
)

// A Loader fills an empty table with the rows of a checkpoint, as AppendRow wrote them: Measure every row,
// Restore every row in the order of the terms' bytes, then Finish. Measured before, the memory has the right
// size at once, and because of the order no term has to be looked for.
type Loader struct {
	t                 *Table
	terms, arena, run int // measured: rows, their bytes, the cells that there is room for
}

// lastClass is the largest class number of a row, which counts its cells in 16 bits.
const lastClass = MaxClasses - 2

// NewLoader returns a loader of t, which is empty.
func NewLoader(t *Table) *Loader { return &Loader{t: t} }

// Measure takes note of a row that will be restored.
func (l *Loader) Measure(term, packed []byte) {
	l.terms++
	l.arena += len(term)
	if n := numbersIn(packed) / 2; n > 0 {
		l.run += 1 << roomFor(n)
	}
}

// numbersIn returns how many varints end in b.
func numbersIn(b []byte) (n int) {
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

// reserve makes room for what was measured, and a little more: the first new term must not copy everything.
func (l *Loader) reserve() {
	more := func(n int) int { return n + n/32 }
	l.t.rows = make([]row, 0, more(l.terms))
	l.t.arena = make([]byte, 0, more(l.arena))
	l.t.slab = make([]Cell, 0, more(l.run))
}

// Restore adds a row. An empty one is a term at zero of a frozen table. After an error the table must not
// be used.
func (l *Loader) Restore(term, packed []byte) error {
	t := l.t
	if t.rows == nil {
		l.reserve()
	}
	if len(term) == 0 || len(term) > 1<<16-1 {
		return fmt.Errorf("term of %d bytes: %w", len(term), errRow)
	}
	if n := len(t.rows); n > 0 && bytes.Compare(t.Term(n-1), term) >= 0 {
		return fmt.Errorf("term %q stands behind %q: %w", term, t.Term(n-1), errRow)
	}
	r := row{term: uint32(len(t.arena)), cells: uint32(len(t.slab)), len: uint16(len(term))}
	class := -1
	for len(packed) > 0 {
		step, n, rest := pair(packed)
		if rest == nil || n == 0 || n > MaxCount || step > lastClass || (class >= 0 && step == 0) {
			return fmt.Errorf("term %q: %w", term, errRow)
		}
		class = max(class, 0) + int(step)
		if class > lastClass {
			return fmt.Errorf("term %q: %w", term, errRow)
		}
		t.recount(class, 0, int64(n))
		t.slab = append(t.slab, cell(class, int64(n)))
		r.used++
		packed = rest
	}
	if r.used > 0 {
		for range 1<<roomFor(int(r.used)) - int(r.used) {
			t.slab = append(t.slab, 0)
		}
		t.live++
		t.cells += int(r.used)
	}
	t.arena = append(t.arena, term...)
	t.rows = append(t.rows, r)
	t.kept++
	return nil
}

// Finish makes the table ready for use; frozen says whether its vocabulary was.
func (l *Loader) Finish(frozen bool) {
	l.t.isFrozen = frozen
	if l.t.kept > 0 {
		l.t.reindex(slotsFor(l.t.kept))
	}
}
