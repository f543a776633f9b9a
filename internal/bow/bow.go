// Package bow holds bags of words: the terms of one document with how often each occurs.
//
// A Bag is a sparse vector x, as in docs/mathematics.md: x_t = number of occurrences of term t. Its
// terms are numbers of a Lexicon, which a goroutine keeps from document to document, so that in
// steady state a document costs no hash, no copy and no allocation.
//
// Caveats: a Lexicon and the bag that is being filled from it belong to one goroutine, and one bag
// of a lexicon is filled at a time. Other goroutines may read a filled bag while its lexicon does
// not change.
package bow

import (
	"cmp"
	"math"
	"slices"
)

type entry struct {
	number uint32 // of the term
	count  uint32
}

// Bag counts the terms of one document. The zero value is an empty bag with a lexicon of its own.
type Bag struct {
	lexicon *Lexicon
	entries []entry // in order of first occurrence
	fill    uint32  // what its entries are marked with in the lexicon
	total   int
	apart   int    // of total, what a reader does not see
	first   uint32 // number of the first word and 1; 0: there is none
	last    uint32 // of the last one, likewise

	longest  int // bytes of the longest token
	nonwords int // tokens that are no words

	bounds Bounds
	cut    bool
}

// Bounds say how much of a document counts. The zero value has none.
type Bounds struct {
	Terms int    // distinct terms: those that occur first; 0: all
	Count uint32 // occurrences of a term: the first ones; 0: all
}

// Clone returns a copy that is not filled further. It has the same lexicon.
func (b *Bag) Clone() Bag {
	out := *b
	out.entries = slices.Clone(b.entries)
	return out
}

// Limit bounds what counts of the next document; it is called after Use.
func (b *Bag) Limit(bounds Bounds) {
	bounds.Count = cmp.Or(bounds.Count, math.MaxUint32)
	b.bounds = bounds
}

// Use empties the bag; the terms that it is filled with are numbered by l, and there are no bounds.
func (b *Bag) Use(l *Lexicon) {
	b.lexicon = l
	b.Limit(Bounds{})
	b.cut = false
	b.fill = l.begin()
	b.entries = b.entries[:0]
	b.total = 0
	b.apart = 0
	b.first = 0
	b.last = 0
	b.longest = 0
	b.nonwords = 0
}

// Lexicon returns the lexicon that numbers the terms of the bag.
func (b *Bag) Lexicon() *Lexicon {
	if b.lexicon == nil {
		b.Use(NewLexicon())
	}
	return b.lexicon
}

// Add counts one occurrence of term.
func (b *Bag) Add(term []byte) { b.AddN(term, 1) }

// AddN counts n occurrences of term; n of 0 does nothing.
func (b *Bag) AddN(term []byte, n uint32) {
	for range n {
		b.AddNumbers([]uint32{b.Lexicon().Number(term)})
	}
}

// AddNumbers counts one occurrence of the term of each of the lexicon's numbers.
func (b *Bag) AddNumbers(numbers []uint32) {
	places := b.lexicon.at
	for _, number := range numbers {
		at := places[number]
		if uint32(at>>32) != b.fill {
			b.addNew(number)
			continue
		}
		if e := &b.entries[uint32(at)]; e.count < b.bounds.Count {
			e.count++
			b.total++
		}
	}
}

// AddApart is AddNumbers for terms of text that a reader does not see: they do not make the document
// longer.
func (b *Bag) AddApart(numbers []uint32) {
	before := b.total
	b.AddNumbers(numbers)
	b.apart += b.total - before
}

// SetEdges says which words a part of the document begins and ends with, by their numbers in the
// lexicon: those of all parts are the first word of the first one and the last word of the last
// one. They need not be terms of the bag.
func (b *Bag) SetEdges(first, last uint32) {
	if b.first == 0 {
		b.first = first + 1
	}
	b.last = last + 1
}

// AddShape says how many bytes the longest token of a part of the document has, and how many of its
// tokens are no words: those of all parts are the longest of the longest ones, and the sum. No
// bounds apply.
func (b *Bag) AddShape(longest, nonwords int) {
	b.longest = max(b.longest, longest)
	b.nonwords += nonwords
}

// addNew counts the first occurrence of a term, within the bounds.
func (b *Bag) addNew(number uint32) {
	if b.bounds.Terms > 0 && len(b.entries) == b.bounds.Terms {
		b.cut = true
		return
	}
	b.lexicon.at[number] = uint64(b.fill)<<32 | uint64(len(b.entries))
	b.entries = append(b.entries, entry{number, 1})
	b.total++
}

// Len returns the number of distinct terms.
func (b *Bag) Len() int { return len(b.entries) }

// Cut reports whether terms were left out, because the document has more than the bounds allow.
func (b *Bag) Cut() bool { return b.cut }

// Total returns the number of tokens that count: the sum of all counts.
func (b *Bag) Total() int { return b.total }

// Length returns the number of tokens that a reader sees.
func (b *Bag) Length() int { return b.total - b.apart }

// Longest returns how many bytes the longest token of the document has.
func (b *Bag) Longest() int { return b.longest }

// Nonwords returns how many of the tokens of the document are no words.
func (b *Bag) Nonwords() int { return b.nonwords }

// Edges returns the numbers of the words that the document begins and ends with in the lexicon, -1
// for a word that is not there.
func (b *Bag) Edges() (first, last int) { return int(b.first) - 1, int(b.last) - 1 }

// Term returns the i-th distinct term as it is counted, 0 <= i < Len, in order of first occurrence.
func (b *Bag) Term(i int) []byte { return b.lexicon.Term(b.entries[i].number) }

// Name returns the i-th distinct term as it was read, without a copy.
func (b *Bag) Name(i int) string { return b.lexicon.Name(b.entries[i].number) }

// Count returns how often the i-th distinct term occurs.
func (b *Bag) Count(i int) uint32 { return b.entries[i].count }

// Hash returns Hash(Term(i)) without computing it again.
func (b *Bag) Hash(i int) uint64 { return b.lexicon.Hash(b.entries[i].number) }

// Number returns the number of the i-th distinct term in the lexicon.
func (b *Bag) Number(i int) uint32 { return b.entries[i].number }
