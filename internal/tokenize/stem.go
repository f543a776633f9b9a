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
	cache    *wordCache
}

func newReducer(t *Tokenizer) reducer {
	r := reducer{language: none, stop: t.stop, cache: newWordCache()}
	if t.stems {
		r.language = t.options.Language
	}
	return r
}

// reduce returns what is left of a token, nil for a stop word. It may write over the word.
func (r *reducer) reduce(t token, word []byte) []byte {
	switch {
	case isCached(t, word):
		return r.cache.apply(r.entry(t, word), word)
	case t.kind < urlClass && r.stops(word):
		return nil
	}
	return word
}

// isCached reports whether the cache has a say in a token. A host has none: it may look like a word, and
// is not stemmed.
func isCached(t token, word []byte) bool { return t.kind < hostWord && len(word) <= maxStemmed }

// entry returns what the cache knows of a word, after it has learned it.
func (r *reducer) entry(t token, word []byte) *entry {
	k := keyOf(word)
	if e := r.cache.find(k, word); e != nil {
		return e
	}
	return r.learn(t, k, word)
}

// learn finds what becomes of a word that is not in the cache, and puts it there.
func (r *reducer) learn(t token, k key, word []byte) *entry {
	if r.stops(word) {
		return r.cache.add(k, word, nil)
	}
	if t.kind != plainWord || r.language == none {
		return r.cache.add(k, word, word)
	}
	var scratch [maxStemmed]byte
	return r.cache.add(k, word, r.stem(scratch[:copy(scratch[:], word)]))
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
