package counts

import (
	"bytes"
	"math/bits"

	"bayestream/internal/bow"
	"bayestream/internal/bow/intern"
)

// insertRow gives term a row without cells.
func (t *Table) insertRow(hash uint64, term []byte) (row int) {
	if t.index.Full(t.kept) {
		t.index = t.indexed(max(minSlots, 2*t.index.Slots()))
	}
	p := place{term: uint32(len(t.arena)), len: uint16(len(term))}
	t.arena = append(t.arena, term...)
	if last := len(t.free) - 1; last >= 0 {
		row = int(t.free[last])
		t.free = t.free[:last]
		t.rows[row] = p
	} else {
		row = len(t.rows)
		t.rows = append(t.rows, p)
	}
	t.index.Enter(hash, row)
	t.kept++
	return row
}

// removeRow takes a row without cells out of the table.
func (t *Table) removeRow(row int) {
	term := t.term(row)
	t.changes.remove(term)
	t.index.Remove(t.hash(row), row, t.hash)
	t.waste += len(term)
	t.rows[row] = place{term: freeRow}
	t.free = append(t.free, uint32(row))
	t.removals++
	t.kept--
	if t.waste > 1<<16 && 2*t.waste > len(t.arena) {
		t.compact()
	}
}

// compact rewrites the arena without the bytes of removed terms.
func (t *Table) compact() {
	arena := make([]byte, 0, len(t.arena)-t.waste)
	for row := range t.rows {
		p := &t.rows[row]
		if p.isFree() {
			continue
		}
		begin := uint32(len(arena))
		arena = append(arena, t.term(row)...)
		p.term = begin
	}
	t.arena = arena
	t.waste = 0
}

func (t *Table) insertCell(row, at int, c Cell) {
	p := &t.rows[row]
	t.resize(p, int(p.used)+1)
	cells := t.slab[p.cells : p.cells+uint32(p.used)+1]
	copy(cells[at+1:], cells[at:])
	cells[at] = c
	if p.used == 0 {
		t.live++
		t.freezeAtLimit()
	}
	p.used++
	t.cells++
}

// removeCell removes the cell at a position of a row, and the row with its last one unless the
// table is frozen.
func (t *Table) removeCell(row, at int) {
	p := &t.rows[row]
	cells := t.slab[p.cells : p.cells+uint32(p.used)]
	copy(cells[at:], cells[at+1:])
	t.resize(p, len(cells)-1)
	p.used--
	t.cells--
	if p.used > 0 {
		return
	}
	t.live--
	if !t.isFrozen && !t.isHeld {
		t.removeRow(row)
	}
}

// hold calls f, which changes the counts of a row. The row is removed behind f if it has no count
// left, and not between: a term that moves from one class to another stays in the vocabulary.
func (t *Table) hold(row int, f func() error) error {
	t.isHeld = true
	err := f()
	t.isHeld = false
	if t.rows[row].used == 0 && !t.isFrozen {
		t.removeRow(row)
	}
	return err
}

func (t *Table) freezeAtLimit() {
	if t.limit > 0 && t.live >= t.limit {
		t.isFrozen = true
	}
}

// resize gives a row that will have n cells a run of the right length. Runs have powers of two as
// lengths and are used again, so that the slab does not grow when counts come and go.
func (t *Table) resize(p *place, n int) {
	was := roomFor(int(p.used))
	room := roomFor(n)
	if was == room {
		return
	}
	from := p.cells
	if room != noRoom {
		kept := uint32(min(int(p.used), n))
		p.cells = t.run(room)
		copy(t.slab[p.cells:], t.slab[from:from+kept])
	}
	if was != noRoom {
		t.spare[was] = append(t.spare[was], from)
	}
}

// noRoom is the room of a row without cells, which has no run.
const noRoom = -1

// roomFor returns log2 of the length of the shortest run for n cells.
func roomFor(n int) int {
	if n == 0 {
		return noRoom
	}
	return bits.Len(uint(n - 1))
}

// run returns where a free run of 1<<room cells begins in the slab.
func (t *Table) run(room int) uint32 {
	if last := len(t.spare[room]) - 1; last >= 0 {
		begin := t.spare[room][last]
		t.spare[room] = t.spare[room][:last]
		return begin
	}
	begin := len(t.slab)
	for range 1 << room {
		t.slab = append(t.slab, 0)
	}
	return uint32(begin)
}

// The table of rows is an intern.Index with terms and rows of its own, and no intern.Table: rows
// leave it and are used again, and with millions of terms the hash and the key that a Table keeps
// of each would be a third more memory.

// minSlots is the smallest number of slots.
const minSlots = 64

// slotsFor returns how many slots an index of so many rows begins with. It becomes larger when
// three quarters of them are used; with three fifths the search for an unknown term takes half the
// time, for two bytes a term.
func slotsFor(rows int) int { return max(minSlots, rows+2*rows/3) }

// Lookup returns the row of a term with its hash (bow.Hash), or -1.
func (t *Table) Lookup(hash uint64, term []byte) int {
	slot, row := t.index.First(hash)
	return t.search(slot, row, hash, term)
}

// search returns the row of a term from what Index.First has returned on, or -1.
func (t *Table) search(slot, row int, hash uint64, term []byte) int {
	for row >= 0 && !bytes.Equal(t.term(row), term) {
		slot, row = t.index.Next(slot, hash)
	}
	return row
}

// AppendRows appends the rows of some of the distinct terms of a bag, -1 for one that the table does
// not have. It reads them in blocks.
func (t *Table) AppendRows(dst []int32, bag *bow.Bag, terms []int32) []int32 {
	var slots, rows [block]int
	for len(terms) > 0 {
		n := min(len(terms), block)
		for k, i := range terms[:n] {
			slots[k], rows[k] = t.index.First(bag.Hash(int(i)))
		}
		for k, i := range terms[:n] {
			dst = append(dst, int32(t.search(slots[k], rows[k], bag.Hash(int(i)), bag.Term(int(i)))))
		}
		terms = terms[n:]
	}
	return dst
}

// indexed returns an index of all rows with so many slots. The hashes of some rows come before their
// places in the index, so that the processor waits for many places at a time: each is somewhere
// else in memory.
func (t *Table) indexed(slots int) intern.Index {
	index := intern.NewIndex(slots)
	var hashes [block]uint64
	for from := 0; from < len(t.rows); from += len(hashes) {
		rows := t.rows[from:min(from+len(hashes), len(t.rows))]
		for i := range rows {
			if !rows[i].isFree() {
				hashes[i] = t.hash(from + i)
			}
		}
		for i := range rows {
			if !rows[i].isFree() {
				index.Enter(hashes[i], from+i)
			}
		}
	}
	return index
}

func (t *Table) hash(row int) uint64 { return bow.Hash(t.term(row)) }

// A Finder finds the rows of terms in a table and keeps them by the terms' numbers in a lexicon, so
// that a term that comes again costs neither hash nor comparison. It is scratch of one goroutine,
// for one table and one lexicon at a time; with another one it starts again. The zero value is
// ready for use.
type Finder struct {
	table    *Table
	removals int64 // of the table, when rows was empty
	lexicon  *bow.Lexicon
	rows     []int32 // by number: row + 1; 0: not known
}

// Row returns the row in t of the term with a number in a lexicon, or -1 where no class has counted
// it. That it has none is not kept: the term may be added at any time.
func (f *Finder) Row(t *Table, l *bow.Lexicon, number uint32) int {
	f.use(t, l)
	row := int(f.rows[number]) - 1
	if row < 0 {
		row = t.Lookup(l.Hash(number), l.Term(number))
		f.rows[number] = int32(row + 1)
	}
	if row >= 0 && t.rows[row].used == 0 { // as a frozen table may have
		return -1
	}
	return row
}

// use forgets the rows if they are not of this table and this lexicon, or if a row was removed:
// until then a term keeps its row.
func (f *Finder) use(t *Table, l *bow.Lexicon) {
	if f.table != t || f.lexicon != l || f.removals != t.removals {
		f.table = t
		f.lexicon = l
		f.removals = t.removals
		clear(f.rows)
	}
	if n := l.Len(); len(f.rows) < n {
		f.rows = append(f.rows, make([]int32, n-len(f.rows))...)
	}
}
