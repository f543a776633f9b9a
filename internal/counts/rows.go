package counts

import "math/bits"

// insert gives term a row without cells.
func (t *Table) insert(hash uint64, term []byte) int {
	if t.index.Full(t.kept) {
		t.reindex(max(minSlots, 2*t.index.Slots()))
	}
	r := row{term: uint32(len(t.arena)), len: uint16(len(term))}
	t.arena = append(t.arena, term...)
	id := len(t.rows)
	if n := len(t.free); n > 0 {
		id, t.free = int(t.free[n-1]), t.free[:n-1]
		t.rows[id] = r
	} else {
		t.rows = append(t.rows, r)
	}
	t.index.Enter(hash, id)
	t.kept++
	return id
}

// remove takes a row without cells out of the table.
func (t *Table) remove(id int) {
	term := t.Term(id)
	if t.track {
		t.removed = append(t.removed, append([]byte(nil), term...))
	}
	t.index.Remove(t.hash(id), id, t.hash)
	r := &t.rows[id]
	t.waste += int(r.len)
	*r = row{term: freeRow}
	t.free = append(t.free, uint32(id))
	t.removals++
	t.kept--
	if t.waste > 1<<16 && 2*t.waste > len(t.arena) {
		t.compact()
	}
}

// compact rewrites the arena without the bytes of removed terms.
func (t *Table) compact() {
	arena := make([]byte, 0, len(t.arena)-t.waste)
	for i := range t.rows {
		r := &t.rows[i]
		if r.isFree() {
			continue
		}
		begin := uint32(len(arena))
		arena = append(arena, t.Term(i)...)
		r.term = begin
	}
	t.arena, t.waste = arena, 0
}

func (t *Table) insertCell(id, at int, c Cell) {
	r := &t.rows[id]
	t.resize(r, int(r.used)+1)
	cells := t.slab[r.cells : r.cells+uint32(r.used)+1]
	copy(cells[at+1:], cells[at:])
	cells[at] = c
	if r.used == 0 {
		t.live++
		t.freezeAtLimit()
	}
	r.used++
	t.cells++
}

func (t *Table) removeCell(id, at int) {
	r := &t.rows[id]
	cells := t.slab[r.cells : r.cells+uint32(r.used)]
	copy(cells[at:], cells[at+1:])
	t.resize(r, len(cells)-1)
	r.used--
	t.cells--
	if r.used > 0 {
		return
	}
	t.live--
	if !t.isFrozen && !t.signed { // in a difference the same terms come and go
		t.remove(id)
	}
}

func (t *Table) freezeAtLimit() {
	if t.limit > 0 && t.live >= t.limit {
		t.isFrozen = true
	}
}

// resize gives a row, before it has n cells, a run of the length for n cells. Runs come in powers of two and
// are used again, so that the slab does not grow when counts come and go.
func (t *Table) resize(r *row, n int) {
	was, room := roomFor(int(r.used)), roomFor(n)
	if was == room {
		return
	}
	from, kept := r.cells, min(int(r.used), n)
	if room != noRoom {
		r.cells = t.run(room)
		copy(t.slab[r.cells:], t.slab[from:from+uint32(kept)])
	}
	if was != noRoom {
		t.spare[was] = append(t.spare[was], from)
	}
}

// noRoom is the room of a row without cells, which has no run.
const noRoom = -1

// roomFor returns log2 of the shortest run for n cells.
func roomFor(n int) int {
	if n == 0 {
		return noRoom
	}
	return bits.Len(uint(n - 1))
}

// run returns where a run begins that is free.
func (t *Table) run(room int) uint32 {
	if s := t.spare[room]; len(s) > 0 {
		t.spare[room] = s[:len(s)-1]
		return s[len(s)-1]
	}
	at := uint32(len(t.slab))
	for range 1 << room {
		t.slab = append(t.slab, 0)
	}
	return at
}
