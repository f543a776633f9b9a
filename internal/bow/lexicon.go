package bow

import (
	"bytes"
	"hash/maphash"
	"unsafe"
)

// seed is one for the process: a Lexicon and a counts.Table must agree on it, and a fresh one for every
// process means that nobody can send terms that are known to collide. Nothing that is stored or
// printed depends on it.
var seed = maphash.MakeSeed()

// Hash returns the hash of a term that Lexicon and counts.Table share, so that it is computed once.
func Hash(term []byte) uint64 { return maphash.Bytes(seed, term) }

// A Lexicon numbers the terms that it meets, from 0. A term is hashed and compared when it is met, and
// goes by its number from then on: tokenize keeps the number beside the word it made the term of, and
// counts keeps the row of a table beside the number.
//
// A Lexicon only grows. One that is [Lexicon.Full] is not used for further documents; the bags that
// were filled from it keep it alive for as long as they need it.
type Lexicon struct {
	arena []byte
	terms []place
	slots []uint64 // open addressing: high half of the hash | number+1; 0 is empty

	// Where the bag that is being filled has its entry for a term, by number: fill<<32 | index.
	at   []uint64
	fill uint32
}

// A place is where a term ends in the arena, which is where the next one begins.
type place struct {
	hash uint64
	end  uint32
}

// full is how many terms and bytes a Lexicon may have when a document begins: enough for the words that
// come back, and a few megabytes.
const (
	fullTerms = 1 << 16
	fullBytes = 1 << 20
)

// NewLexicon returns an empty lexicon.
func NewLexicon() *Lexicon { return &Lexicon{slots: make([]uint64, 64)} }

// Full reports whether the next document should begin with a new lexicon.
func (l *Lexicon) Full() bool { return len(l.terms) >= fullTerms || len(l.arena) >= fullBytes }

// Len returns how many terms have a number.
func (l *Lexicon) Len() int { return len(l.terms) }

// Term returns the term with a number.
func (l *Lexicon) Term(number uint32) []byte {
	begin := uint32(0)
	if number > 0 {
		begin = l.terms[number-1].end
	}
	end := l.terms[number].end
	return l.arena[begin:end:end]
}

// name is Term as a string. It shares the memory, which nobody writes to once a term is there.
func (l *Lexicon) name(number uint32) string {
	term := l.Term(number)
	return unsafe.String(unsafe.SliceData(term), len(term))
}

// Hash returns Hash(Term(number)) without computing it again.
func (l *Lexicon) Hash(number uint32) uint64 { return l.terms[number].hash }

// Number returns the number of a term, a new one if it has none.
func (l *Lexicon) Number(term []byte) uint32 {
	if 4*(len(l.terms)+1) > 3*len(l.slots) {
		l.grow()
	}
	h := Hash(term)
	mask := uint64(len(l.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := l.slots[i]
		if s == 0 {
			l.slots[i] = h>>32<<32 | uint64(len(l.terms)+1)
			l.arena = append(l.arena, term...)
			l.terms = append(l.terms, place{hash: h, end: uint32(len(l.arena))})
			l.at = append(l.at, 0)
			return uint32(len(l.terms) - 1)
		}
		if number := uint32(s) - 1; s>>32 == h>>32 && bytes.Equal(l.Term(number), term) {
			return number
		}
	}
}

func (l *Lexicon) grow() {
	l.slots = make([]uint64, 2*len(l.slots))
	mask := uint64(len(l.slots) - 1)
	for number, p := range l.terms {
		i := p.hash & mask
		for l.slots[i] != 0 {
			i = (i + 1) & mask
		}
		l.slots[i] = p.hash>>32<<32 | uint64(number+1)
	}
}

// begin starts to fill another bag.
func (l *Lexicon) begin() (fill uint32) {
	if l.fill++; l.fill == 0 { // wrapped: the entries of old bags would come alive again
		clear(l.at)
		l.fill = 1
	}
	return l.fill
}
