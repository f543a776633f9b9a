package tokenize

import "github.com/kljensen/snowball"

// languages returns the languages whose words can be stemmed.
func languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish"}
}

// maxStemmed is the length in bytes of the longest word that is stemmed. What is longer is no word of
// a language: the limit keeps the cost of hostile text down.
const maxStemmed = 56

// A stemmer knows the stop words and removes the endings of words.
type stemmer struct {
	language string // none: words are not stemmed
	stop     map[string]struct{}
}

// stops reports whether a word is a stop word.
func (s *stemmer) stops(word []byte) bool {
	_, found := s.stop[string(word)]
	return found
}

// stem returns a lower-cased word without its ending. Where the rules leave nothing or make the word longer, it
// stays as it is.
func (s *stemmer) stem(word []byte) []byte {
	if s.language == none {
		return word
	}
	const stemStopWords = true // stop words are those of the options, not those of the library
	stem, err := snowball.Stem(string(word), s.language, stemStopWords)
	if err != nil || stem == "" || len(stem) > len(word) {
		return word
	}
	return []byte(stem)
}
