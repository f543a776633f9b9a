// Package bow holds bags of words: the terms of one document with how often each occurs.
//
// A Bag is the sparse vector x of the lectures: x_t = number of occurrences of term t. It is made
// once per goroutine and reused for every document; after the first documents nothing is allocated.
//
// Caveats: a Bag is not safe for concurrent use, and the slices that Term returns are valid until Reset.
package bow

import (
	"bytes"
	"hash/maphash"
)

// seed is one for the process: a Bag and a counts.Table must agree on it, and a fresh one for every
// process means that nobody can send terms that are known to collide. Nothing that is stored or
// printed depends on it.
var seed = maphash.MakeSeed()

// Hash returns the hash of a term that Bag and counts.Table share, so that it is computed once per token.
func Hash(term []byte) uint64 { return maphash.Bytes(seed, term) }

type entry struct {
	hash  uint64
	begin uint32
	end   uint32
	count uint32
}

// Bag counts the terms of one document. The zero value is an empty bag ready for use.
type Bag struct {
	arena   []byte   // the bytes of all distinct terms
	entries []entry  // in order of first occurrence
	slots   []uint64 // open addressing: generation<<32 | index into entries
	gen     uint32   // a slot of another generation is empty, so that Reset does not clear them
	total   int
}

// Reset empties the bag and keeps its memory.
func (b *Bag) Reset() {
	b.arena, b.entries, b.total = b.arena[:0], b.entries[:0], 0
	b.gen++
	if b.gen == 0 { // wrapped: old generations would come alive again
		clear(b.slots)
		b.gen = 1
	}
}

// Add counts one occurrence of term.
func (b *Bag) Add(term []byte) { b.AddN(term, 1) }

// AddN counts n occurrences of term; n of 0 does nothing.
func (b *Bag) AddN(term []byte, n uint32) {
	if n == 0 {
		return
	}
	if 4*(len(b.entries)+1) > 3*len(b.slots) {
		b.grow()
	}
	h := Hash(term)
	b.total += int(n)
	mask := uint64(len(b.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := b.slots[i]
		if uint32(s>>32) != b.gen {
			b.slots[i] = uint64(b.gen)<<32 | uint64(len(b.entries))
			b.insert(h, term, n)
			return
		}
		e := &b.entries[uint32(s)]
		if e.hash == h && bytes.Equal(b.arena[e.begin:e.end], term) {
			e.count += n
			return
		}
	}
}

func (b *Bag) insert(h uint64, term []byte, n uint32) {
	begin := len(b.arena)
	b.arena = append(b.arena, term...)
	b.entries = append(b.entries, entry{hash: h, begin: uint32(begin), end: uint32(len(b.arena)), count: n})
}

func (b *Bag) grow() {
	size := max(64, 2*len(b.slots))
	b.slots, b.gen = make([]uint64, size), 1
	mask := uint64(size - 1)
	for i, e := range b.entries {
		j := e.hash & mask
		for b.slots[j] != 0 {
			j = (j + 1) & mask
		}
		b.slots[j] = uint64(b.gen)<<32 | uint64(i)
	}
}

// Len returns the number of distinct terms.
func (b *Bag) Len() int { return len(b.entries) }

// Total returns the number of tokens: the sum of all counts.
func (b *Bag) Total() int { return b.total }

// Term returns the i-th distinct term, 0 <= i < Len, in order of first occurrence. Valid until Reset.
func (b *Bag) Term(i int) []byte {
	e := &b.entries[i]
	return b.arena[e.begin:e.end:e.end]
}

// Count returns how often the i-th distinct term occurs.
func (b *Bag) Count(i int) uint32 { return b.entries[i].count }

// Hash returns Hash(Term(i)) without computing it again.
func (b *Bag) Hash(i int) uint64 { return b.entries[i].hash }
