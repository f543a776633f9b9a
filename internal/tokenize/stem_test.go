package tokenize

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
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
		{"russian", "злейший", "злейш"},
		{"russian", "ещё", "ещ"},
		{"russian", "актёр", "актер"},
		{"german", "aufeinanderfolgenden", "aufeinanderfolg"},
		{"german", "Straßen", "strass"},
		{"italian", "pronunciamento", "pronunc"},
		{"portuguese", "quilométricas", "quilométr"},
		{"dutch", "lichamelijkheden", "licham"},
		{"danish", "undersøgelserne", "undersøg"},
		{"finnish", "edeltäjilleen", "edeltäj"},
		{"romanian", "abruptelor", "abrupt"},
		{"turkish", "kitapların", "kitap"},
		{"arabic", "الفواتير", "فواتير"},
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
	const word = "'''"
	if stem := rules["english"](word); stem != "" {
		t.Fatalf("the library makes %q of %s now: look for a word it makes nothing of", stem, word)
	}
	r := stemmer{language: "english"}
	if got := r.stem([]byte(word)); string(got) != word {
		t.Errorf("stem of %s: %q", word, got)
	}
}

// Rules of every language take any word, as long as one that is stemmed may be.
func TestStemAnyWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom(nil, unicode.Latin, unicode.Cyrillic, unicode.Arabic), 1, 40, maxStemmed).Draw(t, "word")
		for _, language := range languages() {
			r := stemmer{language: language}
			if got := r.stem([]byte(word)); len(got) == 0 || len(got) > len(word) || !utf8.Valid(got) {
				t.Fatalf("%s: the stem of %q is %q", language, word, got)
			}
		}
	})
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
		text := strings.Join(list, " ")
		if language != "turkish" { // the capital of ı is I, which is read as that of i
			text = strings.ToUpper(text)
		}
		if got := terms(s, text); len(got) != 0 {
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
