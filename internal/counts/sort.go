package counts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// sortByTerm sorts numbers or rows by the bytes of their terms. It compares the first eight bytes,
// which decide nearly always, before it looks at the term.
func sortByTerm(ids []uint32, term func(id uint32) []byte) {
	type sorted struct {
		start uint64
		id    uint32
	}
	order := make([]sorted, len(ids))
	for i, id := range ids {
		order[i] = sorted{firstEight(term(id)), id}
	}
	slices.SortFunc(order, func(a, b sorted) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return bytes.Compare(term(a.id), term(b.id))
	})
	for i := range order {
		ids[i] = order[i].id
	}
}

// firstEight returns a number that orders terms by their first eight bytes, a shorter one as if it
// ended in zeros.
func firstEight(term []byte) uint64 {
	var eight [8]byte
	copy(eight[:], term)
	return binary.BigEndian.Uint64(eight[:])
}
