package tokenize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// punctuationRunes is how many characters of a run of punctuation make its term: "!!!!!!" says what
// "!!!" does.
const punctuationRunes = 3

// ordinary is the punctuation that most texts have, whatever they say. One such character makes no
// term.
const ordinary = ".,:;'\"()[]-/、。「」"

// addPunctuation puts the runs of punctuation and symbols among the tokens, between which they
// stand.
func (s *Scanner) addPunctuation() {
	s.tokens, s.between = s.between[:0], s.tokens
	pos := 0
	for _, t := range s.between {
		s.addRuns(pos, int(t.start))
		s.tokens = append(s.tokens, t)
		pos = max(pos, int(t.end)) // a host ends before its address does
	}
	s.addRuns(pos, len(s.text))
}

// addRuns adds the runs in text[pos:limit], where no word is.
func (s *Scanner) addRuns(pos, limit int) {
	for pos < limit {
		r, size := utf8.DecodeRune(s.text[pos:])
		if !isPunctuation(r) {
			pos += size
			continue
		}
		first := r
		begin := pos
		kept := pos
		n := 0
		for pos < limit && isPunctuation(r) {
			pos += size
			n++
			if n <= punctuationRunes {
				kept = pos
			}
			r, size = utf8.DecodeRune(s.text[pos:])
		}
		if n > 1 || !strings.ContainsRune(ordinary, first) {
			s.addToken(begin, kept, punctuation)
		}
	}
}

// isPunctuation reports whether a character is punctuation or a symbol. Bytes that are no UTF-8 are
// neither.
func isPunctuation(r rune) bool {
	return (unicode.IsPunct(r) || unicode.IsSymbol(r)) && r != utf8.RuneError
}
