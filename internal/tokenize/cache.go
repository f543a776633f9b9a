package tokenize

import (
	"encoding/binary"
	"math/bits"

	"bayestream/internal/bow"
)

// A wordCache remembers what became of the words of late, because the rules for stems take a microsecond or
// two and some memory for each (English: a tenth of one), and the number of that term in a [bow.Lexicon],
// because hashing and comparing it takes as long as finding the word here. Whether a word is found
// changes no term.
//
// A table with open addressing, four bytes for a word, says where its entry is; the entries lie one behind the
// other, the frequent words, which come first, together. There are no pointers. When there is no room for
// another word, the cache is emptied: the frequent words are back soon.
type wordCache struct {
	slots   []uint32 // a power of two; 0 is free, else tag<<placeBits | 1 + index of an entry
	entries []entry
	arena   []byte    // of each word its stem, after the word itself where that is longer than its key
	seeds   [2]uint64 // of the hashes of keys

	maxWords, maxArena int
}

// An entry is what is known of a word.
type entry struct {
	key    key
	number uint32 // of the term + 1; 0 while it has none
	stem   uint32 // where it begins in the arena<<lengthBits | its length, 0 for a stop word
}

const (
	placeBits  = 18
	placeMask  = 1<<placeBits - 1
	lengthBits = 8
	lengthMask = 1<<lengthBits - 1
)

// newWordCache returns a cache that grows to 64 Ki words: 1 MiB of slots, 1.5 MiB of entries and 1 MiB of
// stems at most.
func newWordCache() *wordCache {
	return (&wordCache{maxWords: 1 << 16, maxArena: 1 << 20, seeds: wordSeeds}).withSlots(1 << 11)
}

// wordSeeds are others in each process, so that nobody can send words that are known to collide: a text of a
// megabyte of those would take seconds.
var wordSeeds = [2]uint64{bow.Hash([]byte("first half of a key")), bow.Hash([]byte("second half"))}

// empty forgets everything.
func (c *wordCache) empty() { c.withSlots(len(c.slots)) }

// withSlots empties the cache and gives it n slots.
func (c *wordCache) withSlots(n int) *wordCache {
	if n == len(c.slots) {
		clear(c.slots)
	} else {
		c.slots = make([]uint32, n)
	}
	c.entries, c.arena = c.entries[:0], c.arena[:0]
	return c
}

// A key is what a word is found by: the word itself, filled up with zeros, which stand in no word, up to
// sixteen bytes; of a longer one its first eight bytes, and its length and a hash marked as such.
type key struct{ first, second uint64 }

const (
	keyBytes = 16
	longMark = 0xFF << 56 // a byte that no word has
)

// keyOf returns the key of a word.
func keyOf(word []byte) key {
	var padded [keyBytes]byte
	if copy(padded[:], word) < len(word) {
		return key{binary.LittleEndian.Uint64(padded[:]), longMark | uint64(len(word))<<48 | bow.Hash(word)>>16}
	}
	return keyAt(padded[:], 0, len(word))
}

// keyAt returns the key of the word of up to sixteen bytes at text[at:at+n]. The text goes on for sixteen
// bytes at least.
func keyAt(text []byte, at, n int) key {
	mask := &sixteenMasks[n]
	return key{binary.LittleEndian.Uint64(text[at:]) & mask[0], binary.LittleEndian.Uint64(text[at+8:]) & mask[1]}
}

// sixteenMasks keep the first n of sixteen bytes, without the branches that a processor guesses worst:
// those that depend on the length of a word.
var sixteenMasks = func() (masks [keyBytes + 1][2]uint64) {
	for n := range masks {
		for i := range n {
			masks[n][i/8] |= 0xFF << (i % 8 * 8)
		}
	}
	return masks
}()

func (k key) isLong() bool { return k.second >= longMark }

// hash returns the hash of a key: the product of its halves, folded, as wyhash has it.
func (c *wordCache) hash(k key) uint32 {
	high, low := bits.Mul64(k.first^c.seeds[0], k.second^c.seeds[1])
	return uint32(high ^ low)
}

// number returns the number of the term of a word that is no longer than its key, if it is found where it is
// looked for first.
func (c *wordCache) number(k key) (number uint32, ok bool) {
	hash := c.hash(k)
	slot := c.slots[int(hash)&(len(c.slots)-1)]
	if (slot^hash)>>placeBits != 0 || slot == 0 {
		return 0, false
	}
	e := &c.entries[slot&placeMask-1]
	return e.number - 1, e.key == k && e.number != 0
}

// find returns the entry of a word, or nil.
func (c *wordCache) find(k key, word []byte) *entry {
	hash, last := c.hash(k), len(c.slots)-1
	for i := int(hash) & last; c.slots[i] != 0; i = (i + 1) & last {
		if (c.slots[i]^hash)>>placeBits != 0 {
			continue
		}
		e := &c.entries[c.slots[i]&placeMask-1]
		if e.key == k && (!k.isLong() || c.spells(e, word)) {
			return e
		}
	}
	return nil
}

// spells reports whether the entry of a word longer than its key is that of word.
func (c *wordCache) spells(e *entry, word []byte) bool {
	end := int(e.stem >> lengthBits)
	return string(c.arena[end-len(word):end]) == string(word) // keys know the length
}

// apply writes the stem of a word over it, and returns it: nil for a stop word.
func (c *wordCache) apply(e *entry, word []byte) []byte {
	if e.isStop() {
		return nil
	}
	begin := int(e.stem >> lengthBits)
	return word[:copy(word, c.arena[begin:begin+int(e.stem&lengthMask)])]
}

// isStop reports whether the word makes no term.
func (e *entry) isStop() bool { return e.stem&lengthMask == 0 }

// add remembers the stem of a word that is not here yet, nil for a stop word, and returns its entry, which is
// valid until the next word is added.
func (c *wordCache) add(k key, word, stem []byte) *entry {
	if len(c.arena)+len(word)+len(stem) > c.maxArena || len(c.entries) == c.maxWords {
		c.empty()
	}
	if 4*(len(c.entries)+1) > len(c.slots) {
		c.grow()
	}
	if k.isLong() {
		c.arena = append(c.arena, word...)
	}
	at := len(c.arena)
	c.arena = append(c.arena, stem...)
	c.entries = append(c.entries, entry{key: k, stem: uint32(at<<lengthBits | len(stem))})
	c.place(len(c.entries) - 1)
	return &c.entries[len(c.entries)-1]
}

// place puts an entry into the table, which has room.
func (c *wordCache) place(index int) {
	hash, last := c.hash(c.entries[index].key), len(c.slots)-1
	i := int(hash) & last
	for c.slots[i] != 0 {
		i = (i + 1) & last
	}
	c.slots[i] = hash&^placeMask | uint32(index+1)
}

// grow doubles the table.
func (c *wordCache) grow() {
	c.slots = make([]uint32, 2*len(c.slots))
	for i := range c.entries {
		c.place(i)
	}
}
