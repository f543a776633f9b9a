package tokenize

import (
	"unicode/utf8"

	"bayestream/internal/bow"
)

// A Scanner turns texts into terms, one text after the other. It owns the memory this takes, so it
// belongs to one goroutine, and in steady state a text costs no allocation.
type Scanner struct {
	options Options
	chars   bool
	normal  *normaliser
	reducer reducer
	numbers *bow.Lexicon      // which the numbers in the cache belong to
	bag     *bow.Bag          // that Count is filling
	addTerm func(term []byte) // adds to it; made once, for a closure a text would be garbage
	terms   []uint32          // the numbers of its terms, as they come

	// The text at hand.
	visible   []byte  // what it shows, when it is HTML
	text      []byte  // its normal form; stems are written over their words as they are found
	tokens    []token // its words
	addresses addresses

	// The terms at hand.
	recent [maxNGrams - 1][]byte // words before the last one, oldest first
	count  int                   // how many of them there are
	run    charRun
	term   []byte
}

// Scan calls emit with each term of text, in order. Every term begins with mark ("subject:"), is
// valid UTF-8, neither empty nor longer than Options.TermBytes, and only valid until emit returns.
func (s *Scanner) Scan(text []byte, mark string, emit func(term []byte)) {
	s.read(text)
	s.split()
	s.count = 0
	for _, t := range s.tokens {
		word := s.reducer.reduce(t, s.textOf(t))
		switch {
		case s.chars:
			s.addChars(t, word, mark, emit)
		case word == nil:
		case s.options.NGrams == 1:
			s.put(word, mark, emit)
		default:
			s.addWord(word, mark, emit)
		}
	}
	if s.chars {
		s.endChars(mark, emit)
	}
}

// Count adds the terms of text, which are those that Scan emits, to bag.
func (s *Scanner) Count(text []byte, mark string, bag *bow.Bag) {
	s.bag = bag
	if s.chars || s.options.NGrams > 1 || mark != "" {
		s.Scan(text, mark, s.addTerm)
		return
	}
	if lexicon := bag.Lexicon(); lexicon != s.numbers {
		s.reducer.cache.empty()
		s.numbers = lexicon
	}
	s.read(text)
	s.split()
	s.number()
	bag.AddNumbers(s.terms)
}

// number finds the numbers of all terms of the text.
func (s *Scanner) number() {
	s.terms = s.terms[:0]
	padded := s.text[:len(s.text)+keyBytes]
	for _, t := range s.tokens {
		if n := int(t.end - t.start); n <= keyBytes && t.kind < hostWord {
			if number, ok := s.reducer.cache.number(keyAt(padded, int(t.start), n)); ok {
				s.terms = append(s.terms, number) // neither stemmed nor hashed again
				continue
			}
		}
		s.numberNew(t)
	}
}

// numberNew finds the number of a word whose term may have none yet.
func (s *Scanner) numberNew(t token) {
	word := s.textOf(t)
	if !isCached(t, word) {
		if word = s.reducer.reduce(t, word); word != nil {
			s.terms = append(s.terms, s.numbers.Number(s.shorten(word)))
		}
		return
	}
	e := s.reducer.entry(t, word)
	if e.isStop() {
		return
	}
	if e.number == 0 {
		e.number = s.numbers.Number(s.shorten(s.reducer.cache.apply(e, word))) + 1
	}
	s.terms = append(s.terms, e.number-1)
}

// read makes the normal form of a text.
func (s *Scanner) read(text []byte) {
	if s.options.HTML {
		s.visible = appendVisible(s.visible[:0], text)
		text = s.visible
	}
	s.text = s.normal.append(s.text[:0], text)
}

// put emits one term, with its mark and cut to length.
func (s *Scanner) put(term []byte, mark string, emit func(term []byte)) {
	if mark != "" {
		s.term = append(append(s.term[:0], mark...), term...)
		term = s.term
	}
	term = s.shorten(term)
	emit(term[:len(term):len(term)])
}

// shorten cuts a term that is too long before the character that goes beyond the limit.
func (s *Scanner) shorten(term []byte) []byte {
	limit := s.options.TermBytes
	if len(term) <= limit {
		return term
	}
	for !utf8.RuneStart(term[limit]) {
		limit--
	}
	return term[:limit]
}
