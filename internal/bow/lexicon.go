package bow

import (
	"unsafe"

	"bayestream/internal/bow/intern"
)

// Hash returns the hash of a term, the same for all tables of the process, so that it is computed
// once.
func Hash(term []byte) uint64 { return intern.Hash(term) }

// A Lexicon numbers terms, from 0. A term is hashed and compared once, and is known by its number
// afterwards: tokenize keeps the number beside the word it made the term of, and counts keeps the
// row of a table beside the number.
//
// A Lexicon only grows. One that is [Lexicon.Full] is not used for further documents; the bags that
// were filled from it keep it alive for as long as they need it.
type Lexicon struct {
	terms intern.Table[uint64] // with the hashes of what is counted

	mask   Mask   // nil: terms are counted as they are
	masked []byte // what is counted instead of each, one behind the other, all of one length

	// Where the bag that is being filled has its entry for a term, by number: fill<<32 | index.
	at   []uint64
	fill uint32
}

// A lexicon is full when it has so many terms or bytes: enough for the frequent words, and a few
// megabytes.
const (
	fullTerms = 1 << 17
	fullBytes = 1 << 21
)

// A Mask appends to dst what is counted instead of a term. All that it appends is of one length.
type Mask func(dst, term []byte) []byte

// NewLexicon returns an empty lexicon.
func NewLexicon() *Lexicon { return &Lexicon{} }

// NewMasked returns an empty lexicon whose terms are counted under a mask, which is called once for
// each. With nil it is NewLexicon.
func NewMasked(mask Mask) *Lexicon { return &Lexicon{mask: mask} }

// Empty returns an empty lexicon with the same mask.
func (l *Lexicon) Empty() *Lexicon { return NewMasked(l.mask) }

// Full reports whether the next document should begin with a new lexicon.
func (l *Lexicon) Full() bool { return l.terms.Len() >= fullTerms || l.terms.Bytes() >= fullBytes }

// Len returns how many terms have a number.
func (l *Lexicon) Len() int { return l.terms.Len() }

// Term returns the term with a number, as it is counted.
func (l *Lexicon) Term(number uint32) []byte {
	if l.mask == nil {
		return l.terms.Term(int(number))
	}
	length := len(l.masked) / l.Len()
	begin := int(number) * length
	return l.masked[begin : begin+length : begin+length]
}

// Name returns the term with a number, as it was read. It shares the memory, which is not written
// again.
func (l *Lexicon) Name(number uint32) string {
	term := l.terms.Term(int(number))
	return unsafe.String(unsafe.SliceData(term), len(term))
}

// Hash returns Hash(Term(number)) without computing it again.
func (l *Lexicon) Hash(number uint32) uint64 { return *l.terms.Value(int(number)) }

// Number returns the number of a term, a new one if it has none.
func (l *Lexicon) Number(term []byte) uint32 {
	number := l.terms.Find(term)
	if number < 0 {
		counted := term
		if l.mask != nil {
			begin := len(l.masked)
			l.masked = l.mask(l.masked, term)
			counted = l.masked[begin:]
		}
		number = l.terms.Add(term, Hash(counted))
		l.at = append(l.at, 0)
	}
	return uint32(number)
}

// begin starts to fill another bag.
func (l *Lexicon) begin() (fill uint32) {
	l.fill++
	if l.fill == 0 { // wrapped: the entries of old bags would count again
		clear(l.at)
		l.fill = 1
	}
	return l.fill
}
