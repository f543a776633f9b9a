package tokenize

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kljensen/snowball"
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
	r := stemmer{language: "russian"}
	if stem, _ := snowball.Stem("ейш", "russian", true); stem != "" {
		t.Fatalf("the library makes %q of ейш now: look for a word it makes nothing of", stem)
	}
	if got := r.stem([]byte("ейш")); string(got) != "ейш" {
		t.Errorf("stem of ейш: %q", got)
	}
}

func TestStopWords(t *testing.T) {
	for _, language := range languages() {
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
