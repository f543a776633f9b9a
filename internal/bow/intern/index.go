package intern

import "math/bits"

// An Index finds numbers by hashes: open addressing with linear probing. The search for a hash
// begins at its share of all slots, so that any number of slots will do. A slot has the number, and
// as many bits of the low half of the hash as there is room for.
//
// It has no pointers and takes four bytes a slot, because counts has millions of terms and frees
// some: that is what Go's map costs several times as much for. The zero value has no slots: it
// finds nothing and is full.
//
// The index does not know what it finds: the owner compares the term of each [Index.First] and
// [Index.Next].
type Index struct {
	slots   []uint32 // 0 is empty; low bits: number+1, high bits: those of the low half of the hash
	numbers uint32   // mask of the low bits
}

// NewIndex returns an empty index with so many slots. It has room while [Index.Full] says so.
func NewIndex(slots int) Index {
	return Index{slots: make([]uint32, slots), numbers: 1<<bits.Len(uint(slots)) - 1}
}

// Slots returns how many slots the index has.
func (x *Index) Slots() int { return len(x.slots) }

// Full reports whether an index of n terms has no room for another one: three quarters of its slots
// are used.
func (x *Index) Full(n int) bool { return 3*len(x.slots) <= 4*(n+1) }

func (x *Index) clear() { clear(x.slots) }

// First returns the first number that may have the hash, -1 if there is none, and the slot it is
// in.
func (x *Index) First(hash uint64) (slot, number int) {
	if len(x.slots) == 0 {
		return 0, -1
	}
	return x.from(x.home(hash), hash)
}

// Next returns the number after the one in slot.
func (x *Index) Next(slot int, hash uint64) (next, number int) { return x.from(x.after(slot), hash) }

// from returns the first number from slot on that may have the hash.
func (x *Index) from(slot int, hash uint64) (found, number int) {
	for x.slots[slot] != 0 && (x.slots[slot]^uint32(hash))&^x.numbers != 0 {
		slot = x.after(slot)
	}
	return slot, x.number(slot)
}

// Enter adds a number. There must be room.
func (x *Index) Enter(hash uint64, number int) {
	i := x.home(hash)
	for x.slots[i] != 0 {
		i = x.after(i)
	}
	x.slots[i] = uint32(hash)&^x.numbers | uint32(number+1)
}

// Remove takes out a number that the index has, by shifting back what was displaced, so that a
// search may stop at the first empty slot (Knuth, The Art of Computer Programming 3, 6.4, algorithm
// R). hashOf returns the hash of a number.
func (x *Index) Remove(hash uint64, number int, hashOf func(number int) uint64) {
	i := x.home(hash)
	for x.number(i) != number {
		i = x.after(i)
	}
	for j := x.after(i); x.slots[j] != 0; j = x.after(j) {
		home := x.home(hashOf(x.number(j)))
		if x.distance(home, j) >= x.distance(i, j) {
			x.slots[i] = x.slots[j]
			i = j
		}
	}
	x.slots[i] = 0
}

// home returns the slot at which the search for a hash begins.
func (x *Index) home(hash uint64) int {
	slot, _ := bits.Mul64(hash, uint64(len(x.slots)))
	return int(slot)
}

func (x *Index) after(slot int) int {
	slot++
	if slot < len(x.slots) {
		return slot
	}
	return 0
}

// distance returns how many steps it is from one slot to another.
func (x *Index) distance(from, to int) int {
	if to >= from {
		return to - from
	}
	return to - from + len(x.slots)
}

// number returns the number in a slot, -1 for an empty one.
func (x *Index) number(slot int) int { return int(x.slots[slot]&x.numbers) - 1 }
