package counts

import (
	"bytes"
	"math/bits"

	"bayestream/internal/bow"
)

// An index finds rows by the hashes of their terms: open addressing with linear probing, in four bytes a slot.
// Where a row belongs is the hash as a share of all slots, so that any number of slots will do; the low half of
// the hash is compared before the term, as far as the number of the row leaves room for it.
type index struct {
	slots []uint32 // low bits: row+1, high bits: those of the low half of the hash; 0 is empty
	rows  uint32   // the low bits
}

// slotsFor returns how many slots an index of so many rows begins with. It becomes larger when three quarters of
// them are used; with three fifths a term that is not there is missed in half the time, for two bytes a term.
func slotsFor(rows int) int { return max(64, rows+2*rows/3) }

// newIndex returns an empty index.
func newIndex(slots int) index {
	return index{slots: make([]uint32, slots), rows: 1<<bits.Len(uint(slots)) - 1}
}

// isFull reports whether the index has no room for one more row than so many.
func (x *index) isFull(rows int) bool { return 3*len(x.slots) <= 4*(rows+1) }

// home returns the slot at which the search for a hash begins.
func (x *index) home(hash uint64) int {
	slot, _ := bits.Mul64(hash, uint64(len(x.slots)))
	return int(slot)
}

// next returns the slot after i.
func (x *index) next(i int) int {
	if i++; i < len(x.slots) {
		return i
	}
	return 0
}

// distance returns how many steps it is from one slot to another.
func (x *index) distance(from, to int) int {
	if to >= from {
		return to - from
	}
	return to - from + len(x.slots)
}

// row returns the row that a slot is of.
func (x *index) row(slot uint32) int { return int(slot&x.rows) - 1 }

// enter puts a row into the index, which has room.
func (x *index) enter(hash uint64, row int) {
	i := x.home(hash)
	for x.slots[i] != 0 {
		i = x.next(i)
	}
	x.slots[i] = uint32(hash)&^x.rows | uint32(row+1)
}

// Lookup returns the row of a term with its hash (bow.Hash), or -1.
func (t *Table) Lookup(hash uint64, term []byte) int {
	x := &t.index
	if len(x.slots) == 0 {
		return -1
	}
	for i := x.home(hash); ; i = x.next(i) {
		slot := x.slots[i]
		if slot == 0 {
			return -1
		}
		if (slot^uint32(hash))&^x.rows == 0 {
			if row := x.row(slot); bytes.Equal(t.Term(row), term) {
				return row
			}
		}
	}
}

// reindex makes the index anew. The hashes of some rows come before their places in the index, so that the
// processor waits for many places at a time: each is somewhere else in memory.
func (t *Table) reindex(slots int) {
	t.index = newIndex(slots)
	var hashes [64]uint64
	for from := 0; from < len(t.rows); from += len(hashes) {
		rows := t.rows[from:min(from+len(hashes), len(t.rows))]
		for i := range rows {
			if !rows[i].isFree() {
				hashes[i] = bow.Hash(t.Term(from + i))
			}
		}
		for i := range rows {
			if !rows[i].isFree() {
				t.index.enter(hashes[i], from+i)
			}
		}
	}
}

// unindex removes a row from the index by shifting back what was displaced, so that a lookup may
// stop at the first empty slot (Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
func (t *Table) unindex(hash uint64, row int) {
	x := &t.index
	i := x.home(hash)
	for x.row(x.slots[i]) != row {
		i = x.next(i)
	}
	for j := x.next(i); x.slots[j] != 0; j = x.next(j) {
		home := x.home(bow.Hash(t.Term(x.row(x.slots[j]))))
		if x.distance(home, j) >= x.distance(i, j) {
			x.slots[i] = x.slots[j]
			i = j
		}
	}
	x.slots[i] = 0
}
