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

// The cache shows in the time only: any words in any order have the stems the library gives. Few letters
// make words come again, and a small cache makes it run full.
func TestCacheIsTransparent(t *testing.T) {
	letters := map[string]string{"english": "abegilnsty'", "spanish": "aáceéosrnt", "russian": "аеийостнвшя"}
	for language, alphabet := range letters {
		o := DefaultOptions()
		o.Language = language
		s := newScanner(t, o)
		s.reducer.cache = smallCache()
		rapid.Check(t, func(t *rapid.T) {
			runes := rapid.SampledFrom([]rune(alphabet))
			word := "s" + rapid.StringOfN(runes, 0, 5, -1).Draw(t, "word") + "s"
			want, err := snowball.Stem(word, language, true)
			if err != nil || strings.Contains(word, "''") {
				t.Skip()
			}
			if got := s.reducer.reduce(token{}, []byte(word)); string(got) != want {
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
			if got := s.reducer.reduce(token{}, []byte(word)); string(got) != word {
				t.Errorf("%d letters: %q", n, got)
			}
		}
	}
}

// The key of a word depends on its bytes only, not on what is behind them in memory, and is its own as long as
// it fits. Hashes spread.
func TestKey(t *testing.T) {
	keys := map[key]string{}
	for n := 1; n <= maxStemmed; n++ {
		word := strings.Repeat("xyzw", 20)[:n]
		k := keyOf([]byte(word))
		if other := keys[k]; other != "" || k.isLong() != (n > keyBytes) {
			t.Errorf("key of %q: long %v, that of %q too", word, k.isLong(), other)
		}
		keys[k] = word
		if n <= keyBytes && keyAt([]byte("in "+word+" and other letters behind"), 3, n) != k {
			t.Errorf("key of %q: another one amid a text", word)
		}
	}
	for _, pattern := range []string{"w%d", "word%d", "%dwordwordword", "word%dwordwordwordwordword", "%d%[1]d%[1]d%[1]d"} {
		c, counts := newWordCache(), make([]int, 1<<12)
		for i := range 16 << 12 {
			counts[c.hash(keyOf(fmt.Appendf(nil, pattern, i)))%(1<<12)]++
		}
		if most := slices.Max(counts); most > 60 {
			t.Errorf("%s: %d of 65536 words share the lower 12 bits of their hash, want 16 or so", pattern, most)
		}
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
	c := s.reducer.cache
	if n := len(c.entries); n == 0 || n > c.maxWords || len(c.slots) > 4*c.maxWords || len(c.arena) > c.maxArena {
		t.Errorf("cache of %d words in %d slots and %d bytes, at most %d and %d", n, len(c.slots), len(c.arena), c.maxWords, c.maxArena)
	}
}

// smallCache returns a cache that is soon full.
func smallCache() *wordCache {
	return (&wordCache{maxWords: 16, maxArena: 300, seeds: wordSeeds}).withSlots(2)
}

// Words that one process has in one slot are all over the table of another, as its seeds are others.
func TestWordsThatCollideAreNotKnown(t *testing.T) {
	here, there := newWordCache(), newWordCache()
	there.seeds = [2]uint64{^here.seeds[0], here.seeds[1] * 3}
	last := uint32(len(here.slots) - 1)
	for i := 0; len(here.entries) < 400; i++ {
		word := fmt.Appendf(nil, "word%d", i)
		if k := keyOf(word); here.hash(k)&last == 0 {
			here.add(k, word, word)
			there.add(k, word, word)
		}
	}
	longest, run := 0, 0
	for _, slot := range there.slots {
		if run++; slot == 0 {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > 100 {
		t.Errorf("%d words are in a row that began in one slot elsewhere", longest)
	}
}
