package tokenize

import (
	"bytes"
	"math/bits"
	"unicode/utf8"

	"bayestream/internal/tokenize/swar"
)

// A kind says what a token is, and so which rules apply to it.
type kind uint8

const (
	plainWord   kind = iota // letters: may be a stop word, may be stemmed
	oddWord                 // a short number, a code: may be a stop word
	emojiWord               // like oddWord, and whole even among character n-grams
	punctuation             // a run of punctuation: like emojiWord
	hostWord                // the host of the URL or mail address before it: like oddWord
	urlClass                // from here on a class term stands for the text: see classTerms
	mailClass
	numClass // and the number of digits
)

// isNonword reports whether it is a number, a code, a host, or a class: something with letters or
// digits that is no word.
func (k kind) isNonword() bool { return k == oddWord || k >= hostWord }

// A token is a word, a run of punctuation or a host in the normalised text, or the class that
// replaces one.
type token struct {
	start, end uint32
	kind       kind
}

// textOf returns the text of a token, or the term of its class.
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
			if s.options.Punctuation {
				s.addPunctuation()
			}
			return
		default:
			pos = s.addAddress(a)
		}
	}
}

// splitWords adds the words of text[pos:limit] and returns limit, or what is after it when an
// address that starts with www goes on beyond it.
func (s *Scanner) splitWords(pos, limit int) int {
	text := s.text[:limit]
	for pos < limit {
		pos = s.splitBlock(text, pos)
	}
	return pos
}

// splitBlock adds the words that begin in the 64 characters from block on, and returns where to go
// on. Most words are ASCII letters, with an ASCII character behind them that belongs to no word:
// what is said of the characters by one bit each says where those begin and end. The others go to
// splitOther.
func (s *Scanner) splitBlock(text []byte, block int) (pos int) {
	letters, words := swar.Masks(text, block)
	behind := min(block+64, len(text))
	begins, ends := runs(words)
	plain := plainUpTo(words &^ letters)
	for begins != 0 {
		begin := bits.TrailingZeros64(begins)
		end := bits.TrailingZeros64(ends)
		if end <= plain && endsWord(text, block+end) && !mayHaveSign(text, block+begin, block+end) {
			s.tokens = append(s.tokens, token{start: uint32(block + begin), end: uint32(block + end)})
			begins &= begins - 1
			ends &= ends - 1
			continue
		}
		if end >= 63 && begin > 0 && behind < len(text) {
			return block + begin // what is behind the block decides
		}
		after := s.splitOther(block+begin, len(text))
		if after > behind {
			return after
		}
		rest := ^uint64(0) << (after - block)
		plain = plainUpTo(words &^ letters & rest)
		begins, ends = runs(words & rest)
	}
	return behind
}

// plainUpTo returns up to where words may end that are whole in the block and of letters alone;
// other are those characters of words that are none.
func plainUpTo(other uint64) int { return min(bits.TrailingZeros64(other), 62) }

// runs returns the first of each run of ones, and what is behind each run that ends in the word.
func runs(ones uint64) (begins, ends uint64) {
	return ones &^ (ones << 1), ones << 1 &^ ones
}

// endsWord reports whether a word of ASCII letters is whole that reaches up to end, with a
// character behind it that is in no word, or none. It may err on the side of no.
func endsWord(text []byte, end int) bool {
	return end == len(text) || ascii[text[end]]&inner == 0 || end+1 == len(text) || ascii[text[end+1]] == 0
}

// mayHaveSign reports whether hasSign must look: it is short, so that most words cost no call.
func mayHaveSign(text []byte, begin, end int) bool {
	return end-begin == 1 && end < len(text) && text[end] != ' ' || end-begin == 3 && text[begin] == 'n'
}

// hasSign reports whether a sign belongs to the word text[begin:end]: c#, c++, .net.
func hasSign(text []byte, begin, end int) bool {
	switch end - begin {
	case 1:
		return end < len(text) && (text[end] == '#' || text[end] == '+') && signEnd(text, end) > end &&
			ascii[text[begin]] == letter
	case 3:
		return begin > 0 && text[begin-1] == '.' && string(text[begin:end]) == "net" &&
			(begin == 1 || ascii[text[begin-2]] == 0)
	}
	return false
}

// withSign returns the bounds of such a word with its sign.
func withSign(text []byte, begin, end int) (from, to int) {
	if end-begin == 1 {
		return begin, signEnd(text, end)
	}
	return begin - 1, end
}

// signEnd returns the end of "#" or "++" at pos, pos itself if more signs, letters or digits follow.
func signEnd(text []byte, pos int) int {
	end := pos + 1
	if text[pos] == '+' {
		end++
	}
	if end > len(text) || text[end-1] != text[pos] {
		return pos
	}
	if end < len(text) && (text[end] == text[pos] || text[end] < utf8.RuneSelf && ascii[text[end]]&inWord != 0) {
		return pos
	}
	return end
}

// splitOther adds the word that starts at pos, whatever it is made of, and returns its end.
func (s *Scanner) splitOther(pos, limit int) int {
	if s.text[pos] == 'w' && bytes.HasPrefix(s.text[pos:], www) {
		if a, ok := wwwAt(s.text, pos); ok {
			return s.addAddress(a)
		}
	}
	if s.text[pos] == '`' { // no word: swar.Masks cannot tell
		return pos + 1
	}
	end, made := wordAt(s.text[:limit], pos)
	if mayHaveSign(s.text, pos, end) && hasSign(s.text[:limit], pos, end) {
		pos, end = withSign(s.text[:limit], pos, end)
		made |= odd
	}
	if made&(letter|digit|emoji) != 0 {
		s.addToken(pos, end, classify(s.text[pos:end], made))
	}
	return end
}

// addAddress adds the class of an address and its host, and returns its end.
func (s *Scanner) addAddress(a address) int {
	if a.mail {
		s.addToken(a.start, a.end, mailClass)
	} else {
		s.addToken(a.start, a.end, urlClass)
	}
	if a.hostStart < a.hostEnd {
		s.addToken(a.hostStart, a.hostEnd, hostWord)
	}
	return a.end
}

func (s *Scanner) addToken(start, end int, k kind) {
	s.tokens = append(s.tokens, token{start: uint32(start), end: uint32(end), kind: k})
}
