package counts

import "bayestream/internal/bow"

// insert gives term a row without cells.
func (t *Table) insert(hash uint64, term []byte) int {
	if 3*len(t.index) <= 4*(t.kept+1) {
		t.reindex(max(64, 2*len(t.index)))
	}
	r := row{term: uint32(len(t.arena)), len: uint16(len(term)), room: noRoom}
	t.arena = append(t.arena, term...)
	id := len(t.rows)
	if n := len(t.free); n > 0 {
		id, t.free = int(t.free[n-1]), t.free[:n-1]
		r.dirty = t.rows[id].dirty // still in the list of dirty rows
		t.rows[id] = r
	} else {
		t.rows = append(t.rows, r)
	}
	t.enter(hash, id)
	t.kept++
	return id
}

// enter puts a row into the index, which has room.
func (t *Table) enter(hash uint64, id int) {
	mask := uint64(len(t.index) - 1)
	i := hash & mask
	for t.index[i] != 0 {
		i = (i + 1) & mask
	}
	t.index[i] = hash>>32<<32 | uint64(id+1)
}

// reindex makes the index anew. The hashes of some rows come before their places in the index, so that the
// processor waits for many places at a time: each is somewhere else in memory.
func (t *Table) reindex(size int) {
	t.index = make([]uint64, size)
	var hashes [64]uint64
	for from := 0; from < len(t.rows); from += len(hashes) {
		rows := t.rows[from:min(from+len(hashes), len(t.rows))]
		for i := range rows {
			hashes[i] = bow.Hash(t.Term(from + i))
		}
		for i := range rows {
			if !rows[i].free {
				t.enter(hashes[i], from+i)
			}
		}
	}
}

// remove takes a row without cells out of the table.
func (t *Table) remove(id int) {
	term := t.Term(id)
	if t.track {
		t.removed = append(t.removed, append([]byte(nil), term...))
	}
	t.unindex(bow.Hash(term), id)
	r := &t.rows[id]
	t.release(r)
	t.waste += int(r.len)
	*r = row{free: true, room: noRoom, dirty: r.dirty}
	t.free = append(t.free, uint32(id))
	t.removals++
	t.kept--
	if t.waste > 1<<16 && 2*t.waste > len(t.arena) {
		t.compact()
	}
}

// unindex removes a row from the index by shifting back what was displaced, so that a lookup may
// stop at the first empty slot (Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
func (t *Table) unindex(hash uint64, id int) {
	mask := uint64(len(t.index) - 1)
	i := hash & mask
	for uint32(t.index[i]) != uint32(id+1) {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; t.index[j] != 0; j = (j + 1) & mask {
		home := bow.Hash(t.Term(int(uint32(t.index[j]))-1)) & mask
		if (j-home)&mask >= (j-i)&mask {
			t.index[i] = t.index[j]
			i = j
		}
	}
	t.index[i] = 0
}

// compact rewrites the arena without the bytes of removed terms.
func (t *Table) compact() {
	arena := make([]byte, 0, len(t.arena)-t.waste)
	for i := range t.rows {
		r := &t.rows[i]
		if r.free {
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
	if r.room == noRoom || int(r.used) == 1<<r.room {
		t.widen(r)
	}
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

// widen moves the cells of a row to a run of twice the length. Runs come in powers of two and are
// used again, so that the slab does not grow when counts come and go.
func (t *Table) widen(r *row) {
	room := uint8(0)
	if r.room != noRoom {
		room = r.room + 1
	}
	to := t.run(room)
	copy(t.slab[to:], t.slab[r.cells:r.cells+uint32(r.used)])
	t.release(r)
	r.cells, r.room = to, room
}

func (t *Table) run(room uint8) uint32 {
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

func (t *Table) release(r *row) {
	if r.room != noRoom {
		t.spare[r.room] = append(t.spare[r.room], r.cells)
	}
}
