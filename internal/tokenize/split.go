package tokenize

import (
	"bytes"
	"math/bits"
)

// A kind says what a token is, and so what may still happen to it.
type kind uint8

const (
	plainWord kind = iota // letters: may be a stop word, may be stemmed
	oddWord               // a short number, a code: may be a stop word
	emojiWord             // like oddWord, and whole even among character n-grams
	hostWord              // the host of the URL or mail address before it: like oddWord
	urlClass              // from here on a class term stands for what is there: see classTerms
	mailClass
	numClass // and the number of digits
)

// A token is a word or a host in the normalised text, or the class that replaces one.
type token struct {
	start, end uint32
	kind       kind
}

// textOf returns a token as it goes on to become a term.
func (s *Scanner) textOf(t token) []byte {
	if t.kind >= urlClass {
		return classTerms[t.kind-urlClass]
	}
	return s.text[t.start:t.end]
}

// split cuts the normalised text into tokens. The text between two addresses is cut by itself.
func (s *Scanner) split() {
	s.tokens = s.tokens[:0]
	s.addresses.reset(s.text)
	for pos := 0; ; {
		a := s.addresses.from(pos)
		pos = s.splitWords(pos, a.start)
		switch {
		case pos > a.start: // it met an address of its own that goes beyond this one
		case pos == len(s.text):
			return
		default:
			pos = s.addAddress(a)
		}
	}
}

// splitWords adds the words of text[pos:limit] and returns limit, or what is after it when an address
// that starts with www goes on beyond it. Most words are ASCII letters with an ASCII character behind
// them that belongs to no word: those it takes by itself, the others go to splitOther.
func (s *Scanner) splitWords(pos, limit int) int {
	text := s.text[:limit]
	tokens := s.tokens
	for {
		for pos < limit && ascii[text[pos]]&(inWord|beyond) == 0 {
			pos++
		}
		if pos >= limit {
			break
		}
		others := lettersIn(eightAt(text, pos)) ^ highBits
		end := pos + bits.TrailingZeros64(others)/8
		if others == 0 {
			end = lettersEnd(text, end)
		}
		if end = min(end, limit); end > pos && endsWord(text, end) {
			tokens = append(tokens, token{start: uint32(pos), end: uint32(end)})
			pos = end
			continue
		}
		s.tokens = tokens
		pos = s.splitOther(pos, limit)
		tokens = s.tokens
	}
	s.tokens = tokens
	return pos
}

// lettersEnd returns the end of the folded ASCII letters that start at pos.
func lettersEnd(text []byte, pos int) int {
	for pos < len(text) && ascii[text[pos]] == letter {
		pos++
	}
	return pos
}

// endsWord reports whether a word of ASCII letters that reach up to end is whole. It may err on the
// side of no.
func endsWord(text []byte, end int) bool {
	if end == len(text) {
		return true
	}
	at := ascii[text[end]]
	if at&(digit|join|inner|beyond) == 0 {
		return true
	}
	return at&inner != 0 && (end+1 == len(text) || ascii[text[end+1]] == 0)
}

// splitOther adds the word that starts at pos, whatever it is made of, and returns its end.
func (s *Scanner) splitOther(pos, limit int) int {
	if s.text[pos] == 'w' && bytes.HasPrefix(s.text[pos:], www) {
		if a, ok := wwwAt(s.text, pos); ok {
			return s.addAddress(a)
		}
	}
	end, made := wordAt(s.text[:limit], pos)
	if made&(letter|digit|emoji) != 0 {
		s.add(pos, end, classify(s.text[pos:end], made))
	}
	return end
}

// addAddress adds the class of an address and its host, and returns its end.
func (s *Scanner) addAddress(a address) int {
	if a.mail {
		s.add(a.start, a.end, mailClass)
	} else {
		s.add(a.start, a.end, urlClass)
	}
	if a.hostStart < a.hostEnd {
		s.add(a.hostStart, a.hostEnd, hostWord)
	}
	return a.end
}

func (s *Scanner) add(start, end int, k kind) {
	s.tokens = append(s.tokens, token{start: uint32(start), end: uint32(end), kind: k})
}
