package tokenize

import (
	"unicode/utf8"

	"github.com/kljensen/snowball"
)

// Languages returns the languages whose words can be stemmed.
func Languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish"}
}

// maxStemmed is the length in bytes of the longest word that is stemmed. What is longer is no word of
// a language: the limit keeps the cost of hostile text down.
const maxStemmed = 56

// A reducer takes stop words out and endings off.
type reducer struct {
	language string // none: words are not stemmed
	stop     map[string]struct{}
	cache    *stemCache // of plain words; nil when they are not stemmed
}

func newReducer(t *Tokenizer) reducer {
	if !t.stems {
		return reducer{language: none, stop: t.stop}
	}
	return reducer{language: t.options.Language, stop: t.stop, cache: newStemCache()}
}

// reduce returns what is left of a token, nil for a stop word. It may write over the word.
func (r *reducer) reduce(t token, word []byte) []byte {
	switch {
	case t.kind == plainWord && r.cache != nil && len(word) <= maxStemmed:
		return r.stemmed(word)
	case t.kind < urlClass && r.stops(word):
		return nil
	}
	return word
}

// stemmed returns the stem of a plain word, nil for a stop word.
func (r *reducer) stemmed(word []byte) []byte {
	k := keyOf(word)
	if record := r.cache.find(word, k); record != nil {
		return apply(record, word)
	}
	return r.learn(word, k.hash)
}

// learn finds the stem of a word that is not in the cache, and puts it there.
func (r *reducer) learn(word []byte, hash uint32) []byte {
	if r.stops(word) {
		r.cache.add(word, nil, hash)
		return nil
	}
	var scratch [maxStemmed]byte
	stem := r.stem(scratch[:copy(scratch[:], word)])
	r.cache.add(word, stem, hash)
	return word[:copy(word, stem)]
}

func (r *reducer) stops(word []byte) bool {
	if r.stop == nil {
		return false
	}
	_, found := r.stop[string(word)]
	return found
}

// stem takes the ending off a folded word, writing over it. Where the rules leave nothing or make the
// word longer, it stays as it is.
func (r *reducer) stem(word []byte) []byte {
	if r.language == "english" && isASCII(word) {
		return stemEnglish(word)
	}
	stem, err := snowball.Stem(string(word), r.language, true)
	if err != nil || stem == "" || len(stem) > len(word) {
		return word
	}
	return word[:copy(word, stem)]
}

func isASCII(word []byte) bool {
	for _, c := range word {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
