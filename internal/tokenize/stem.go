package tokenize

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/kljensen/snowball"
)

// Languages returns the languages whose words can be stemmed.
func Languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish"}
}

func known(language string) bool {
	for _, l := range Languages() {
		if l == language {
			return true
		}
	}
	return false
}

// maxStemmed is the length in bytes of the longest word that is stemmed. What is longer is no word of
// a language: the limit keeps the cost of hostile text down, and lets each word fit the cache.
const maxStemmed = 56

// A reducer takes stop words out and endings off.
type reducer struct {
	language string // none: words are not stemmed
	stop     map[string]struct{}
	cache    []stemSet // of plain words; nil when they are not stemmed
}

func (r *reducer) init(t *Tokenizer) {
	r.stop = t.stop
	r.language = none
	if t.stems {
		r.language = t.options.Language
		r.cache = make([]stemSet, stemSets)
	}
}

// reduce returns what is left of a token, nil for a stop word. It may write over the word.
func (r *reducer) reduce(k kind, word []byte) []byte {
	switch {
	case k == plainWord && r.cache != nil && len(word) <= maxStemmed:
		return r.cached(word)
	case k != class && r.stops(word):
		return nil
	}
	return word
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

// The cache remembers what became of words seen lately, because the rules take a microsecond and some
// memory for each (English: a tenth of one). It has stemSets sets of stemWays words, each in the order of their last use but for
// a swap; a new word pushes the last one out. Whether a word is found changes no term.
const (
	stemSets = 4096
	stemWays = 4
)

type stemSet [stemWays]stemEntry

// A stemEntry is two cache lines without pointers. The second is read only where the stem is not the
// start of the word, as in happy, happi.
type stemEntry struct {
	wordBytes, stemBytes uint8 // stemBytes == 0: a stop word
	isHead               bool  // stem == word[:stemBytes]
	_                    [5]byte
	word                 [maxStemmed]byte
	stem                 [maxStemmed]byte
	_                    [8]byte
}

func (r *reducer) cached(word []byte) []byte {
	set := &r.cache[hashWord(word)>>32*uint64(len(r.cache))>>32]
	for i := range set {
		e := &set[i]
		if int(e.wordBytes) != len(word) || string(e.word[:e.wordBytes]) != string(word) {
			continue
		}
		result := e.apply(word)
		if i > 0 {
			set[i-1], set[i] = set[i], set[i-1]
		}
		return result
	}
	copy(set[1:], set[:])
	set[0].fill(r, word)
	return set[0].apply(word)
}

// apply writes the stem over the word and returns it.
func (e *stemEntry) apply(word []byte) []byte {
	if e.stemBytes == 0 {
		return nil
	}
	word = word[:e.stemBytes]
	if !e.isHead {
		copy(word, e.stem[:])
	}
	return word
}

func (e *stemEntry) fill(r *reducer, word []byte) {
	*e = stemEntry{wordBytes: uint8(len(word))}
	copy(e.word[:], word)
	if r.stops(word) {
		return
	}
	stem := r.stem(e.stem[:copy(e.stem[:], word)])
	e.stemBytes = uint8(len(stem))
	e.isHead = string(stem) == string(word[:len(stem)])
}

// hashWord mixes eight bytes at a time; the upper bits are good.
func hashWord(word []byte) uint64 {
	const odd = 0x9E3779B97F4A7C15 // 2^64 / golden ratio
	var h uint64
	for ; len(word) > 8; word = word[8:] {
		h = (h ^ binary.LittleEndian.Uint64(word)) * odd
		h ^= h >> 32
	}
	return (h ^ eightAt(word, 0)&(1<<(8*len(word))-1)) * odd
}
