package counts

import "math/bits"

// insertRow gives term a row without cells.
func (t *Table) insertRow(hash uint64, term []byte) (row int) {
	if t.index.Full(t.kept) {
		t.reindex(max(minSlots, 2*t.index.Slots()))
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
	if t.changes != nil {
		t.changes.remove(term)
	}
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

// insertCell inserts a cell at a position of a row.
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
}

// removeCell removes the cell at a position of a row, and the row with its last one unless the
// table is frozen.
func (t *Table) removeCell(row, at int) {
	p := &t.rows[row]
	cells := t.slab[p.cells : p.cells+uint32(p.used)]
	copy(cells[at:], cells[at+1:])
	t.resize(p, len(cells)-1)
	p.used--
	if p.used > 0 {
		return
	}
	t.live--
	if !t.isFrozen {
		t.removeRow(row)
	}
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
