package counts

import (
	"bytes"

	"bayestream/internal/bow"
	"bayestream/internal/bow/intern"
)

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
	for slot, row := t.index.First(hash); row >= 0; slot, row = t.index.Next(slot, hash) {
		if bytes.Equal(t.term(row), term) {
			return row
		}
	}
	return -1
}

// reindex enters all rows into an index of so many slots. The hashes of some rows come before their
// places in the index, so that the processor waits for many places at a time: each is somewhere
// else in memory.
func (t *Table) reindex(slots int) {
	t.index = intern.NewIndex(slots)
	var hashes [64]uint64
	for from := 0; from < len(t.rows); from += len(hashes) {
		rows := t.rows[from:min(from+len(hashes), len(t.rows))]
		for i := range rows {
			if !rows[i].isFree() {
				hashes[i] = t.hash(from + i)
			}
		}
		for i := range rows {
			if !rows[i].isFree() {
				t.index.Enter(hashes[i], from+i)
			}
		}
	}
}

// hash returns the hash of the term of a row.
func (t *Table) hash(row int) uint64 { return bow.Hash(t.term(row)) }
