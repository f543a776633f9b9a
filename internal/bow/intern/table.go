package intern

import "bytes"

// A Table numbers terms in the order in which they are added, and keeps a value with each. The zero
// value is empty and ready for use.
type Table[V any] struct {
	index   Index
	entries []entry[V] // by number
	ends    []int      // by number: where the term ends in the arena, which is where the next one begins
	arena   []byte
}

type entry[V any] struct {
	key   key
	value V
}

// minSlots is how many slots a table begins with.
const minSlots = 64

// Len returns how many terms have a number.
func (t *Table[V]) Len() int { return len(t.entries) }

// Bytes returns the length of all terms together.
func (t *Table[V]) Bytes() int { return len(t.arena) }

// Term returns the term with a number. The slice stays as it is until [Table.Clear].
func (t *Table[V]) Term(number int) []byte {
	begin := 0
	if number > 0 {
		begin = t.ends[number-1]
	}
	end := t.ends[number]
	return t.arena[begin:end:end]
}

// Value returns the value of the term with a number. It is valid until the next term is added.
func (t *Table[V]) Value(number int) *V { return &t.entries[number].value }

// Find returns the number of a term, -1 if it has none.
func (t *Table[V]) Find(term []byte) int {
	k := keyOf(term)
	hash := k.hash()
	for slot, number := t.index.First(hash); number >= 0; slot, number = t.index.Next(slot, hash) {
		if t.entries[number].key == k && (!k.isLong() || bytes.Equal(t.Term(number), term)) {
			return number
		}
	}
	return -1
}

// Add gives the next number to a term that has none.
func (t *Table[V]) Add(term []byte, value V) int {
	number := len(t.entries)
	if t.index.Slots() < 2*(number+1) {
		t.grow()
	}
	k := keyOf(term)
	t.index.Enter(k.hash(), number)
	t.entries = append(t.entries, entry[V]{k, value})
	t.arena = append(t.arena, term...)
	t.ends = append(t.ends, len(t.arena))
	return number
}

func (t *Table[V]) grow() {
	t.index = NewIndex(max(minSlots, 2*t.index.Slots()))
	for number := range t.entries {
		t.index.Enter(t.entries[number].key.hash(), number)
	}
}

// Clear forgets all terms and keeps the memory.
func (t *Table[V]) Clear() {
	clear(t.entries)
	t.index.clear()
	t.entries = t.entries[:0]
	t.ends = t.ends[:0]
	t.arena = t.arena[:0]
}
