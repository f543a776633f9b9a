package tokenize

import "bayestream/internal/bow/intern"

// A wordCache remembers the terms of words: the rules for stems take a microsecond or two for a
// word and some memory, and a stream has the same words again and again. With each term it
// remembers the number that it has in a [bow.Lexicon]. Whether a word is remembered changes no
// term.
//
// When it is full, it forgets all words: the frequent ones are back soon.
type wordCache struct {
	stemmer  stemmer
	stemmed  intern.Table[wordTerm] // plain words
	others   intern.Table[wordTerm] // all other words, which are not stemmed
	stems    []byte
	maxWords int
	maxBytes int
}

// A wordTerm is the term of a word, without mark and not cut.
type wordTerm struct {
	begin, end uint32 // in wordCache.stems; nothing is between them for a stop word
	number     uint32 // in the lexicon, +1; 0: not known
}

// newWordCache returns a cache of up to some five megabytes.
func newWordCache(s stemmer) wordCache {
	return wordCache{stemmer: s, maxWords: 1 << 16, maxBytes: 1 << 20}
}

// of returns the term of a word of some kind. It is valid until the next call; its stem stays as it
// is.
func (c *wordCache) of(word []byte, k kind) *wordTerm {
	table := &c.others
	if k == plainWord && len(word) <= maxStemmed {
		table = &c.stemmed
	}
	number := table.Find(word)
	if number < 0 {
		number = c.learn(table, word)
	}
	return table.Value(number)
}

// learn adds a word to a table.
func (c *wordCache) learn(table *intern.Table[wordTerm], word []byte) (number int) {
	if c.stemmed.Len()+c.others.Len() == c.maxWords || c.stemmed.Bytes()+c.others.Bytes() > c.maxBytes {
		c.stemmed.Clear()
		c.others.Clear()
		c.stems = nil // not reused: the stems of words before this one are still needed
	}
	begin := len(c.stems)
	switch {
	case c.stemmer.stops(word):
	case table == &c.stemmed:
		c.stems = append(c.stems, c.stemmer.stem(word)...)
	default:
		c.stems = append(c.stems, word...)
	}
	return table.Add(word, wordTerm{begin: uint32(begin), end: uint32(len(c.stems))})
}

// stem returns the term of a word, nothing for a stop word.
func (c *wordCache) stem(w *wordTerm) []byte { return c.stems[w.begin:w.end] }

// forgetNumbers forgets the numbers of all terms, for another lexicon.
func (c *wordCache) forgetNumbers() {
	for _, table := range []*intern.Table[wordTerm]{&c.stemmed, &c.others} {
		for i := range table.Len() {
			table.Value(i).number = 0
		}
	}
}
