package tokenize

import (
	"strings"
	"testing"

	"github.com/kljensen/snowball"
	"pgregory.net/rapid"
)

// stemOf returns a copy of the term of a word.
func stemOf(c *wordCache, word string, k kind) string { return string(c.stem(c.of([]byte(word), k))) }

// Any words in any order have the stems that the library gives. Few letters make words come again,
// and a small cache makes it run full.
func TestCacheIsTransparent(t *testing.T) {
	letters := map[string]string{"english": "abegilnsty'", "spanish": "aáceéosrnt", "russian": "аеийостнвшя"}
	for language, alphabet := range letters {
		c := smallCache(stemmer{language: language})
		rapid.Check(t, func(t *rapid.T) {
			runes := rapid.SampledFrom([]rune(alphabet))
			word := "s" + rapid.StringOfN(runes, 0, 5, -1).Draw(t, "word") + "s"
			want, err := snowball.Stem(word, language, true)
			if err != nil || strings.Contains(word, "''") {
				t.Skip()
			}
			if got := stemOf(&c, word, plainWord); got != want {
				t.Fatalf("%s: stem of %q is %q, want %q", language, word, got, want)
			}
			if got := stemOf(&c, word, oddWord); got != word {
				t.Fatalf("%s: %q, which is no plain word, becomes %q", language, word, got)
			}
		})
	}
}

func TestCacheHoldsEveryLength(t *testing.T) {
	c := newWordCache(stemmer{language: "english"})
	for range 2 {
		for n := 1; n <= 2*maxStemmed; n++ {
			word := strings.Repeat("b", n)
			if got := stemOf(&c, word, plainWord); got != word {
				t.Errorf("%d letters: %q", n, got)
			}
		}
	}
}

// The stem of a word stays as it is when the cache is emptied: n-grams need the words before.
func TestStemsOutliveTheirWords(t *testing.T) {
	c := smallCache(stemmer{language: "english"})
	stem := c.stem(c.of([]byte("running"), plainWord))
	for n := range 100 {
		c.of([]byte(strings.Repeat("b", n+1)), plainWord)
	}
	if string(stem) != "run" {
		t.Errorf("the stem of running became %q", stem)
	}
}

func TestCacheStaysWithinItsBounds(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	text := make([]byte, 0, 1<<20)
	for i := range 100_000 {
		text = append(text, ' ')
		for n := i; n > 0; n /= 26 {
			text = append(text, byte('a'+n%26))
		}
	}
	s.Scan(text, "", func([]byte) {})
	s.Scan(append([]byte("x1 "), strings.Repeat("long", 1<<18)...), "", func([]byte) {})
	c := &s.words
	words := c.stemmed.Len() + c.others.Len()
	if words == 0 || words > c.maxWords {
		t.Errorf("cache of %d words, at most %d", words, c.maxWords)
	}
	s.Scan([]byte("y2"), "", func([]byte) {})
	if bytes := c.stemmed.Bytes() + c.others.Bytes(); bytes > c.maxBytes || len(c.stems) > c.maxBytes {
		t.Errorf("cache of %d bytes and %d of stems, at most %d", bytes, len(c.stems), c.maxBytes)
	}
}

// smallCache returns a cache that is soon full.
func smallCache(s stemmer) wordCache {
	c := newWordCache(s)
	c.maxWords = 16
	c.maxBytes = 300
	return c
}
