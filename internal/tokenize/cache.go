package tokenize

import (
	"encoding/binary"
	"math/bits"
)

// A stemCache remembers what became of the words of late, because the rules take a microsecond or two
// and some memory for each (English: a tenth of one), and the number of that term in a [bow.Lexicon],
// because hashing and comparing it takes as long as finding the word here. Whether a word is found
// changes no term.
//
// A table with open addressing says where in an arena the record of a word is. Both are kept small,
// because a word of the long tail costs the time of fetching them from memory: the table has four bytes
// for a word, and the records lie one behind the other, the frequent words, which come first, together.
// There are no pointers. When the arena or the table is full, the cache is emptied: the frequent words
// are back soon.
//
// The record of "happily", with the stem "happili", term 41 of the lexicon:
//
//	42 0 0 0  number of the term + 1; 0 while it has none
//	7         length of the word
//	7         length of the stem; 0 for a stop word
//	6         how many bytes the two have in common at their start
//	happily   the word
//	i         the rest of the stem
//	          up to three bytes, so that the next record starts at a multiple of four
type stemCache struct {
	slots []uint32 // a power of two; 0 is free, else tag<<placeBits | place of a record / 4
	arena []byte
	words int
	turn  uint32 // how often it was emptied

	maxSlots, maxArena int
}

const (
	lengths     = 4 // where they begin in a record
	recordHead  = 7
	recordSlack = 32 // zeros behind the last record, for comparisons sixteen bytes at a time
	placeBits   = 20
	placeMask   = 1<<placeBits - 1
)

// newStemCache returns a cache that grows to 128 Ki slots and 1 MiB of records, 1.5 MiB in all.
func newStemCache() *stemCache {
	return (&stemCache{maxSlots: 1 << 17, maxArena: 1 << 20}).withSlots(1 << 11)
}

// empty forgets everything.
func (c *stemCache) empty() {
	c.withSlots(len(c.slots))
	c.turn++
}

// withSlots empties the cache and gives it n slots.
func (c *stemCache) withSlots(n int) *stemCache {
	if n == len(c.slots) {
		clear(c.slots)
	} else {
		c.slots = make([]uint32, n)
	}
	c.arena = append(c.arena[:0], make([]byte, 4+recordSlack)...) // no record is at place 0
	c.words = 0
	return c
}

// find returns the record of a word, or nil.
func (c *stemCache) find(word []byte, hash uint32) []byte {
	last := len(c.slots) - 1
	for i := int(hash) & last; c.slots[i] != 0; i = (i + 1) & last {
		if (c.slots[i]^hash)>>placeBits != 0 {
			continue
		}
		if record := c.recordAt(c.slots[i], word); record != nil {
			return record
		}
	}
	return nil
}

// recordAt returns the record that a slot leads to, nil if it is not that of the word.
func (c *stemCache) recordAt(slot uint32, word []byte) []byte {
	record := c.arena[slot&placeMask*4:]
	if int(record[lengths]) != len(word) || !isSame(record[recordHead:], word) {
		return nil
	}
	return record
}

// A probe is where the record of a word is likely to be.
type probe struct {
	slot uint32 // the first one that its hash leads to; 0: nowhere
	turn uint32 // of the cache: places of another one mean nothing
}

func (c *stemCache) probe(word []byte) probe {
	hash := hashOf(word)
	slot := c.slots[int(hash)&(len(c.slots)-1)]
	if (slot^hash)>>placeBits != 0 {
		slot = 0
	}
	return probe{slot: slot, turn: c.turn}
}

// at returns the record of a word if a probe led to it.
func (c *stemCache) at(p probe, word []byte) []byte {
	if p.slot == 0 || p.turn != c.turn {
		return nil
	}
	return c.recordAt(p.slot, word)
}

// isSame compares a word with the start of b, which goes on for sixteen bytes at least.
func isSame(b, word []byte) bool {
	if len(word) > 16 || cap(word) < 16 {
		return string(b[:len(word)]) == string(word)
	}
	mask := &sixteenMasks[len(word)]
	return (binary.LittleEndian.Uint64(b[:8])^binary.LittleEndian.Uint64(word[:8]))&mask[0] == 0 &&
		(binary.LittleEndian.Uint64(b[8:16])^binary.LittleEndian.Uint64(word[8:16]))&mask[1] == 0
}

// apply writes the stem of a record over its word, and returns it: nil for a stop word.
func apply(record, word []byte) []byte {
	stem, same := int(record[lengths+1]), int(record[lengths+2])
	if stem == 0 {
		return nil
	}
	if same < stem {
		copy(word[same:stem], record[recordHead+len(word):])
	}
	return word[:stem]
}

// numberOf returns the number of the term, if it has one.
func numberOf(record []byte) (number uint32, ok bool) {
	n := binary.LittleEndian.Uint32(record)
	return n - 1, n != 0
}

// isStop reports whether the word makes no term.
func isStop(record []byte) bool { return record[lengths+1] == 0 }

// setNumber remembers the number of the term of a record.
func setNumber(record []byte, number uint32) { binary.LittleEndian.PutUint32(record, number+1) }

// add remembers the stem of a word that is not here yet, nil for a stop word, and returns its record.
func (c *stemCache) add(word, stem []byte, hash uint32) (record []byte) {
	if len(c.arena)+recordHead+len(word)+len(stem)+4 > c.maxArena || 2*(c.words+1) > c.maxSlots {
		c.empty()
	}
	if 2*(c.words+1) > len(c.slots) {
		c.grow()
	}
	same := 0
	for same < len(stem) && stem[same] == word[same] {
		same++
	}
	at := len(c.arena) - recordSlack
	c.place(hash, at)
	c.arena = append(c.arena[:at], 0, 0, 0, 0, byte(len(word)), byte(len(stem)), byte(same))
	c.arena = append(c.arena, word...)
	c.arena = append(c.arena, stem[same:]...)
	c.arena = append(c.arena, make([]byte, -len(c.arena)&3+recordSlack)...)
	c.words++
	return c.arena[at:]
}

func (c *stemCache) place(hash uint32, at int) {
	last := len(c.slots) - 1
	i := int(hash) & last
	for c.slots[i] != 0 {
		i = (i + 1) & last
	}
	c.slots[i] = hash&^placeMask | uint32(at/4)
}

// grow doubles the table.
func (c *stemCache) grow() {
	old := c.slots
	c.slots = make([]uint32, 2*len(old))
	for _, slot := range old {
		if slot != 0 {
			at := int(slot & placeMask * 4)
			c.place(hashOf(c.arena[at+recordHead:][:c.arena[at+lengths]]), at)
		}
	}
}

// sixteenMasks keep the first n of sixteen bytes, without the branches that a processor guesses worst:
// those that depend on the length of a word.
var sixteenMasks = func() (masks [17][2]uint64) {
	for n := range masks {
		for i := range n {
			masks[n][i/8] |= 0xFF << (i % 8 * 8)
		}
	}
	return masks
}()

// hashOf returns the hash of a word. It reads sixteen bytes, also of a shorter word, where its memory has
// them: see normaliser.append.
func hashOf(word []byte) uint32 {
	if cap(word) < 16 {
		word = append(make([]byte, 0, 16), word...)
	}
	mask := &sixteenMasks[min(len(word), 16)]
	first, mixed := binary.LittleEndian.Uint64(word[:8])&mask[0], binary.LittleEndian.Uint64(word[8:16])&mask[1]
	const odd, other = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	if len(word) > 16 {
		mixed ^= binary.LittleEndian.Uint64(word[len(word)-8:]) * other
	}
	high, low := bits.Mul64(first*odd^mixed, other)
	return uint32(high ^ low)
}
