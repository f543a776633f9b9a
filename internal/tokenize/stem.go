package tokenize

// maxStemmed is the length in bytes of the longest word that is stemmed. What is longer is no word
// of a language: the limit keeps the cost of hostile text down.
const maxStemmed = 56

// A stemmer knows the words that make no terms and removes the endings of the others.
type stemmer struct {
	language string // none: words are not stemmed
	stop     map[string]struct{}
	shortest int // characters of a word that makes a term
}

// stops reports whether a word is a stop word, or too short.
func (s *stemmer) stops(word []byte) bool {
	_, found := s.stop[string(word)]
	return found || s.isShort(word)
}

// isShort reports whether a word has too few characters, each of which is a letter or a digit of a
// script that separates words.
func (s *stemmer) isShort(word []byte) bool {
	n := 0
	for _, r := range string(word) {
		n++
		if n >= s.shortest || !isHostRune(r) {
			return false
		}
	}
	return true
}

// stem returns a lower-cased word without its ending. Where the rules leave nothing or make the
// word longer, it stays as it is.
func (s *stemmer) stem(word []byte) []byte {
	if s.language == none {
		return word
	}
	stem := rules[s.language](string(word))
	if stem == "" || len(stem) > len(word) {
		return word
	}
	return []byte(stem)
}
