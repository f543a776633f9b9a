package tokenize

import "unicode/utf8"

// A Scanner turns texts into terms, one text after the other. It owns the memory this takes, so it
// belongs to one goroutine, and in steady state a text costs no allocation.
type Scanner struct {
	options Options
	chars   bool
	normal  *normaliser
	reducer reducer

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
	if len(term) > s.options.TermBytes {
		term = cut(term, s.options.TermBytes)
	}
	emit(term[:len(term):len(term)])
}

// cut returns the longest start of text that has at most limit bytes and ends with a whole character.
func cut(text []byte, limit int) []byte {
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
