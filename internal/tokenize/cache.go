package tokenize

import "math/bits"

// A stemCache remembers what became of the words of late, because the rules take a microsecond or two
// and some memory for each (English: a tenth of one). Whether a word is found changes no term.
//
// It is a table with open addressing. An entry fills one cache line, so that a word costs one access to
// memory, and has no pointers. The table doubles until it is 4 MiB large; when it is full then, it is
// emptied: the frequent words are back soon.
type stemCache struct {
	entries []stemEntry // a power of two
	used    int
	most    int // entries that it may grow to
}

// A stemEntry holds a word and its stem: the first same bytes are those of the word, the others are in
// rest. A stop word has a stem of no bytes, a free entry a word of none.
type stemEntry struct {
	word                       [5]uint64
	wordBytes, stemBytes, same uint8
	rest                       [21]byte
}

const maxCached = 5 * 8 // bytes of the longest word that fits

func newStemCache() *stemCache {
	return &stemCache{entries: make([]stemEntry, 1<<10), most: 1 << 16}
}

// at returns the entry where the search for a word of some hash starts.
func (c *stemCache) at(hash uint32) *stemEntry { return &c.entries[int(hash)&(len(c.entries)-1)] }

// find returns the entry of a word, or the free one where it belongs.
func (c *stemCache) find(word []byte, hash uint32) *stemEntry {
	first, second := sixteenOf(word)
	for ; ; hash++ {
		e := c.at(hash)
		if e.wordBytes == 0 {
			return e
		}
		if int(e.wordBytes) == len(word) && e.word[0] == first && e.word[1] == second && (len(word) <= 16 || e.isLong(word)) {
			return e
		}
	}
}

// isLong compares the rest of a word of more than sixteen bytes.
func (e *stemEntry) isLong(word []byte) bool {
	for i := 2; 8*i < len(word); i++ {
		if e.word[i] != eightAt(word, 8*i)&lowBytes(len(word)-8*i) {
			return false
		}
	}
	return true
}

// apply writes the stem over its word, and returns it: nil for a stop word.
func (e *stemEntry) apply(word []byte) []byte {
	if e.stemBytes == 0 {
		return nil
	}
	stem := word[:e.stemBytes]
	if e.same < e.stemBytes {
		copy(stem[e.same:], e.rest[:])
	}
	return stem
}

// add remembers the stem of a word that is not here yet. Few stems are too different to fit.
func (c *stemCache) add(word, stem []byte, hash uint32) {
	same := 0
	for same < len(stem) && stem[same] == word[same] {
		same++
	}
	e := stemEntry{wordBytes: uint8(len(word)), stemBytes: uint8(len(stem)), same: uint8(same)}
	if copy(e.rest[:], stem[same:]) < len(stem)-same {
		return
	}
	for i := range e.word {
		e.word[i] = eightAt(word, 8*i) & lowBytes(len(word)-8*i)
	}
	if 4*(c.used+1) > 3*len(c.entries) { // a free entry ends every search
		c.makeRoom()
	}
	*c.find(word, hash) = e
	c.used++
}

// makeRoom doubles the table or, at its full size, empties it.
func (c *stemCache) makeRoom() {
	if len(c.entries) >= c.most {
		clear(c.entries)
		c.used = 0
		return
	}
	old := c.entries
	c.entries = make([]stemEntry, 2*len(old))
	var word [maxCached]byte
	for _, e := range old {
		if e.wordBytes > 0 {
			word := e.appendWord(word[:0])
			*c.find(word, hashWord(word)) = e
		}
	}
}

func (e *stemEntry) appendWord(dst []byte) []byte {
	for i := range int(e.wordBytes) {
		dst = append(dst, byte(e.word[i/8]>>(i%8*8)))
	}
	return dst
}

// hashWord mixes the sixteen bytes that tell most words apart, and the last eight of longer ones.
func hashWord(word []byte) uint32 {
	const odd, other = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	first, second := sixteenOf(word)
	if len(word) > 16 {
		second ^= eightAt(word, len(word)-8) * other
	}
	high, low := bits.Mul64(first*odd^second, other)
	return uint32(high ^ low)
}
