package tokenize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kljensen/snowball"
	"pgregory.net/rapid"
)

func TestStem(t *testing.T) {
	for _, c := range []struct{ language, word, want string }{
		{"english", "generously", "generous"},
		{"english", "lying", "lie"},
		{"english", "happy", "happi"},
		{"english", "o'neil's", "o'neil"},
		{"french", "continuellement", "continuel"},
		{"spanish", "árboles", "arbol"},
		{"russian", "выборы", "выбор"},
		{"swedish", "jaktkarlarne", "jaktkarl"},
		{"norwegian", "havnedistriktene", "havnedistrikt"},
		{"hungarian", "babakocsijáért", "babakocs"},
	} {
		o := DefaultOptions()
		o.Language = c.language
		if got := terms(newScanner(t, o), c.word); !cmp.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q becomes %q, want %q", c.language, c.word, got, c.want)
		}
	}
}

// The rules leave nothing of these; the tokenizer leaves the word.
func TestNoStemIsNoLoss(t *testing.T) {
	r := reducer{language: "russian"}
	if stem, _ := snowball.Stem("ейш", "russian", true); stem != "" {
		t.Fatalf("the library makes %q of ейш now: look for a word it makes nothing of", stem)
	}
	if got := r.stem([]byte("ейш")); string(got) != "ейш" {
		t.Errorf("stem of ейш: %q", got)
	}
}

// The cache is seen in the time only: any words in any order have the stems the library gives. Few
// letters make the words meet again, and crowd the sets.
func TestCacheIsTransparent(t *testing.T) {
	letters := map[string]string{"english": "abegilnsty'", "spanish": "aáceéosrnt", "russian": "аеийостнвшя"}
	for language, alphabet := range letters {
		o := DefaultOptions()
		o.Language = language
		s := newScanner(t, o)
		s.reducer.cache = s.reducer.cache[:1] // one set for all words: they push each other out
		rapid.Check(t, func(t *rapid.T) {
			runes := rapid.SampledFrom([]rune(alphabet))
			word := "s" + rapid.StringOfN(runes, 0, 5, -1).Draw(t, "word") + "s"
			want, err := snowball.Stem(word, language, true)
			if err != nil || strings.Contains(word, "''") {
				t.Skip()
			}
			if got := s.reducer.reduce(plainWord, []byte(word)); string(got) != want {
				t.Fatalf("%s: stem of %q is %q, want %q", language, word, got, want)
			}
		})
	}
}

func TestCacheHoldsEveryLength(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	for range 2 {
		for n := 1; n <= maxStemmed; n++ {
			word := strings.Repeat("b", n)
			if got := s.reducer.reduce(plainWord, []byte(word)); string(got) != word {
				t.Errorf("%d letters: %q", n, got)
			}
		}
	}
}

func TestHashWord(t *testing.T) {
	for n := range 20 {
		word := []byte(strings.Repeat("xyz", 8)[:n])
		alone := append(make([]byte, 0, n), word...)
		amid := append(slices.Clone(word), "other letters behind it"...)[:n]
		if a, b := hashWord(alone[:n:n]), hashWord(amid); a != b {
			t.Errorf("hash of %q: %#x alone and %#x with more behind it", word, a, b)
		}
	}
	seen := map[uint64]string{}
	for i := range 50000 {
		word := fmt.Sprint("word", i)
		h := hashWord([]byte(word))
		if other, found := seen[h]; found {
			t.Fatalf("%q and %q have one hash", word, other)
		}
		seen[h] = word
	}
}

func TestStopWords(t *testing.T) {
	for _, language := range Languages() {
		list, err := StopWords(language)
		if err != nil {
			t.Fatal(err)
		}
		o := DefaultOptions()
		o.Language = language
		o.Stop = list
		s := newScanner(t, o)
		if got := terms(s, strings.ToUpper(strings.Join(list, " "))); len(got) != 0 {
			t.Errorf("%s: stop words that do not stop: %q", language, got)
		}
		sorted := slices.Clone(list)
		slices.Sort(sorted)
		if unique := slices.Compact(sorted); len(unique) != len(list) {
			t.Errorf("%s: %d stop words, %d different ones", language, len(list), len(unique))
		}
	}
	if _, err := StopWords("klingon"); err == nil {
		t.Error("StopWords of klingon: no error")
	}
}

// Stop words are compared before stemming, in any case and form, with and without the cache.
func TestStop(t *testing.T) {
	for _, stem := range []bool{true, false} {
		o := DefaultOptions()
		o.Stem = stem
		o.Stop = []string{"Running", "ISN’T", "b2b", "straße", "example.com", "👍"}
		s := newScanner(t, o)
		got := terms(s, "running runs isn't B2B STRASSE http://example.com/ 👍 run RUNNING 👎")
		want := []string{"run", "<url>", "run", "👎"}
		if !stem {
			want[0] = "runs"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stem %v (-want +got):\n%s", stem, diff)
		}
	}
}
