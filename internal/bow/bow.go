// Package bow holds bags of words: the terms of one document with how often each occurs.
//
// A Bag is the sparse vector x of the lectures: x_t = number of occurrences of term t. Its terms are
// numbers of a Lexicon, which a goroutine keeps from document to document, so that in steady state a
// document costs no hash, no copy and no allocation.
//
// Caveats: a Lexicon and the bag that is being filled from it belong to one goroutine, and one bag of a
// lexicon is filled at a time. Other goroutines may read a filled bag while its lexicon does not change.
package bow

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
}

// Reset empties the bag and keeps its memory.
func (b *Bag) Reset() {
	switch {
	case b.lexicon == nil:
		b.lexicon = NewLexicon()
	case b.lexicon.Full():
		b.lexicon = b.lexicon.Empty()
	}
	b.Use(b.lexicon)
}

// Use empties the bag; the terms that it is filled with are numbered by l.
func (b *Bag) Use(l *Lexicon) {
	b.lexicon = l
	b.fill = l.begin()
	b.entries = b.entries[:0]
	b.total = 0
}

// Lexicon returns the lexicon that numbers the terms of the bag.
func (b *Bag) Lexicon() *Lexicon {
	if b.lexicon == nil {
		b.Reset()
	}
	return b.lexicon
}

// Add counts one occurrence of term.
func (b *Bag) Add(term []byte) { b.AddN(term, 1) }

// AddN counts n occurrences of term; n of 0 does nothing.
func (b *Bag) AddN(term []byte, n uint32) {
	if n > 0 {
		b.add(b.Lexicon().Number(term), n)
	}
}

// AddNumbers counts one occurrence of the term of each of the lexicon's numbers.
func (b *Bag) AddNumbers(numbers []uint32) {
	for _, number := range numbers {
		b.add(number, 1)
	}
}

func (b *Bag) add(number, n uint32) {
	b.total += int(n)
	at := b.lexicon.at[number]
	if uint32(at>>32) == b.fill {
		b.entries[uint32(at)].count += n
		return
	}
	b.lexicon.at[number] = uint64(b.fill)<<32 | uint64(len(b.entries))
	b.entries = append(b.entries, entry{number, n})
}

// Len returns the number of distinct terms.
func (b *Bag) Len() int { return len(b.entries) }

// Total returns the number of tokens: the sum of all counts.
func (b *Bag) Total() int { return b.total }

// Term returns the i-th distinct term as it is counted, 0 <= i < Len, in order of first occurrence.
func (b *Bag) Term(i int) []byte { return b.lexicon.Term(b.entries[i].number) }

// Name returns the i-th distinct term as it was read, without a copy.
func (b *Bag) Name(i int) string { return b.lexicon.name(b.entries[i].number) }

// Count returns how often the i-th distinct term occurs.
func (b *Bag) Count(i int) uint32 { return b.entries[i].count }

// Hash returns Hash(Term(i)) without computing it again.
func (b *Bag) Hash(i int) uint64 { return b.lexicon.hash(b.entries[i].number) }

// Number returns the number of the i-th distinct term in the lexicon.
func (b *Bag) Number(i int) uint32 { return b.entries[i].number }
