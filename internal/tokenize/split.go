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
// them that belongs to no word: those it takes by itself, the others go to splitOther. It looks at blocks
// of 64 characters, each of which begins where the last word of the one before did.
func (s *Scanner) splitWords(pos, limit int) int {
	text := s.text[:limit]
	for pos < limit {
		letters, starts := masks(text, pos)
		pos = s.splitBlock(text, pos, letters, starts)
	}
	return pos
}

// splitBlock adds the words that begin in the 64 characters from block on, and returns where to go on.
func (s *Scanner) splitBlock(text []byte, block int, letters, starts uint64) (pos int) {
	behind := min(block+64, len(text))
	for at := 0; at < 64; {
		at += bits.TrailingZeros64(starts >> at)
		if at >= 64 {
			break
		}
		length := bits.TrailingZeros64(^(letters >> at))
		begin, end := block+at, block+at+length
		switch {
		case at+length < 64 && length > 0 && endsWord(text, end):
			s.tokens = append(s.tokens, token{start: uint32(begin), end: uint32(end)})
			at += length
		case at+length == 64 && at > 0:
			return begin // what is behind the block decides
		default:
			if end = s.splitOther(begin, len(text)); end > behind {
				return end
			}
			at = end - block
		}
	}
	return behind
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
