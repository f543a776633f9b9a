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
// that starts with www goes on beyond it. It looks at 64 characters at a time: bitmaps say where in
// them letters are, and what else belongs to words. A run of ASCII letters is a word when no character
// behind it joins it to more; whatever else there is goes to splitOther.
func (s *Scanner) splitWords(pos, limit int) int {
	text := s.text[:limit]
	tokens := s.tokens
	for pos < limit {
		letters, others := bitmaps(text, pos)
		next := min(pos+64, limit)
		for words := letters | others; words != 0; {
			start := bits.TrailingZeros64(words)
			length := bits.TrailingZeros64(^(words >> start))
			end := start + length
			if end == 64 && pos+64 < limit && start > 0 {
				next = pos + start // it goes on: look at the 64 from there
				break
			}
			run := words >> start << start &^ (^uint64(0) << end)
			if others&run == 0 && endsWord(text, pos+end) {
				tokens = append(tokens, token{start: uint32(pos + start), end: uint32(pos + end)})
				words &^= run
				continue
			}
			s.tokens = tokens
			done := s.splitOther(pos+start, limit)
			tokens = s.tokens
			words = words >> (done - pos) << (done - pos)
			next = max(next, done)
		}
		pos = next
	}
	s.tokens = tokens
	return pos
}

// bitmaps returns where in the 64 characters from pos on are ASCII letters, and where other characters
// that belong to words or may do so: digits, underscores and those beyond ASCII.
func bitmaps(text []byte, pos int) (letters, others uint64) {
	for i := 0; i < 64 && pos+i < len(text); i += 8 {
		eight := eightAt(text, pos+i)
		letters |= bitmap(lettersIn(eight)) << i
		others |= bitmap(digitsIn(eight)|eight&highBits) << i
	}
	if left := len(text) - pos; left < 64 {
		letters &= 1<<left - 1
		others &= 1<<left - 1
	}
	return letters, others
}

// endsWord reports whether a word of ASCII letters that reach up to end is whole. It may err on the
// side of no.
func endsWord(text []byte, end int) bool {
	if end == len(text) {
		return true
	}
	at := ascii[text[end]]
	if at&(inWord|inner|beyond) == 0 {
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
