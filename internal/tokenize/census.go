package tokenize

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// A Census counts the scripts and the function words of texts, which tell their language. The zero
// value has counted nothing.
type Census struct {
	letters int
	scripts [len(scripts)]int
	foreign int // letters of Latin beyond ASCII
	yeru    int // ы, which of the languages in Cyrillic with stop words like Russian ones only Russian has
	words   int
	hits    map[string]int     // stop words by language
	weights map[string]float64 // likewise; one of several languages counts less
}

// A Tongue is what texts are written in, as far as it matters to the tokenizer.
type Tongue struct {
	Language string // as an option: "none" where no rules are known
	NGrams   int    // 1, or how many characters stand for a word where no spaces are between words
	Reason   string // a clause: "41 % of the words are function words of german"
}

// scripts are those that are told apart, with the name of the only or the largest language.
var scripts = [...]struct {
	name   string
	ngrams int
	table  []*unicode.RangeTable
}{
	inLatin:    {"Latin", 1, []*unicode.RangeTable{unicode.Latin}},
	inChinese:  {"Chinese", ofIdeographs, []*unicode.RangeTable{unicode.Han}},
	inJapanese: {"Japanese", ofIdeographs, []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	inCyrillic: {"Cyrillic", 1, []*unicode.RangeTable{unicode.Cyrillic}},
	inArabic:   {"Arabic", 1, []*unicode.RangeTable{unicode.Arabic}},
	{"Thai", ofLetters, []*unicode.RangeTable{unicode.Thai}},
	{"Lao", ofLetters, []*unicode.RangeTable{unicode.Lao}},
	{"Khmer", ofLetters, []*unicode.RangeTable{unicode.Khmer}},
	{"Burmese", ofLetters, []*unicode.RangeTable{unicode.Myanmar}},
	{"Korean", 1, []*unicode.RangeTable{unicode.Hangul}},
	{"Greek", 1, []*unicode.RangeTable{unicode.Greek}},
	{"Hebrew", 1, []*unicode.RangeTable{unicode.Hebrew}},
	{"Devanagari", 1, []*unicode.RangeTable{unicode.Devanagari}},
}

const (
	inLatin = iota
	inChinese
	inJapanese
	inCyrillic
	inArabic
)

// How many characters stand for a word where no spaces are between words: bench/RESULTS.md says
// why.
const (
	ofIdeographs = 2
	ofLetters    = 5
)

// What a census needs to tell something.
const (
	mostWords   = 20_000 // that are counted: more tell nothing new
	mostLetters = 10 * mostWords
	fewLetters  = 100
	fewWords    = 20
	stopShare   = 0.06 // of the words of a language are function words, mostly a third; one of four languages is a quarter
	kanaShare   = 0.05 // of the characters of Japanese are kana, mostly a half
	yeruShare   = 0.005
	beyondASCII = 0.02 // of the letters of a language that is not English
)

// languagesOf has the languages of each stop word.
var languagesOf = func() map[string][]string {
	of := map[string][]string{}
	for language, list := range stopWords {
		for _, word := range strings.Fields(list) {
			of[word] = append(of[word], language)
		}
	}
	return of
}()

// Add counts a text.
func (c *Census) Add(text []byte) {
	for word := range bytes.FieldsFuncSeq(text, isBetweenWords) {
		if c.words >= mostWords || c.letters >= mostLetters {
			return
		}
		c.addWord(strings.Trim(strings.ReplaceAll(strings.ToLower(string(word)), "’", "'"), "'"))
	}
}

func isBetweenWords(r rune) bool {
	return r != '\'' && r != '’' && !unicode.IsLetter(r) && !unicode.IsMark(r)
}

func (c *Census) addWord(word string) {
	if word == "" {
		return
	}
	for _, r := range word {
		c.addLetter(r)
	}
	c.words++
	of := languagesOf[word]
	if len(of) > 0 && c.hits == nil {
		c.hits = map[string]int{}
		c.weights = map[string]float64{}
	}
	for _, language := range of {
		c.hits[language]++
		c.weights[language] += 1 / float64(len(of))
	}
}

func (c *Census) addLetter(r rune) {
	if !unicode.IsLetter(r) {
		return
	}
	c.letters++
	if r <= unicode.MaxASCII {
		c.scripts[inLatin]++
		return
	}
	for i := range scripts {
		if unicode.In(r, scripts[i].table...) {
			c.scripts[i]++
			break
		}
	}
	switch {
	case r == 'ы':
		c.yeru++
	case unicode.Is(unicode.Latin, r):
		c.foreign++
	}
}

// Tongue returns what most of the words are written in; nothing where they do not tell.
func (c *Census) Tongue() Tongue {
	at := c.script()
	if c.letters < fewLetters || at < 0 {
		return Tongue{}
	}
	t := Tongue{Language: none, NGrams: scripts[at].ngrams}
	t.Reason = fmt.Sprintf("%s of the letters are %s", percent(c.scripts[at], c.letters), scripts[at].name)
	language, found := c.language()
	switch {
	case found && (at == inLatin || at == inArabic || at == inCyrillic && c.isRussian()):
		t.Language = language
		t.Reason = fmt.Sprintf("%s of the words are function words of %s", percent(c.hits[language], c.words), language)
	case at == inLatin && c.isBeyondASCII():
		t.Reason = "the words are of no language whose function words are known"
	case at == inLatin:
		return Tongue{}
	}
	return t
}

// script returns the script of most letters, or -1. Japanese has characters of Chinese.
func (c *Census) script() int {
	counts := c.scripts
	if float64(counts[inJapanese]) >= kanaShare*float64(counts[inChinese]+counts[inJapanese]) {
		counts[inJapanese] += counts[inChinese]
		counts[inChinese] = 0
	}
	for i, n := range counts {
		if 2*n > c.letters {
			return i
		}
	}
	return -1
}

// isBeyondASCII reports letters of Latin that English does not have.
func (c *Census) isBeyondASCII() bool { return float64(c.foreign) >= beyondASCII*float64(c.letters) }

func (c *Census) isRussian() bool { return float64(c.yeru) >= yeruShare*float64(c.letters) }

// language returns the language that the function words tell.
func (c *Census) language() (language string, found bool) {
	for _, l := range slices.Sorted(maps.Keys(c.weights)) {
		if c.weights[l] > c.weights[language] {
			language = l
		}
	}
	foreign := language == "english" && c.isBeyondASCII()
	return language, !foreign && c.words >= fewWords && c.weights[language] >= stopShare*float64(c.words)
}

func percent(part, all int) string { return fmt.Sprintf("%d %%", (100*part+all/2)/all) }
