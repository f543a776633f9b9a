package tokenize

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// n words have n-k+1 n-grams of k words, each of them k words in a row.
func TestWordNGrams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"ab", "cd", "é", "42", "👍", "中"}), 0, 12).Draw(t, "words")
		n := rapid.IntRange(1, maxNGrams).Draw(t, "n")
		tokenizer, err := New(Options{Language: none, NGrams: n, TermBytes: maxTermBytes})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{}
		for k := 1; k <= n; k++ {
			for i := 0; i+k <= len(words); i++ {
				want[strings.Join(words[i:i+k], " ")]++
			}
		}
		got := map[string]int{}
		for _, term := range terms(tokenizer.NewScanner(), strings.Join(words, ", ")) {
			got[term]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d-grams of %q (-want +got):\n%s", n, words, diff)
		}
	})
}

// The n-grams of a text know nothing of the text before.
func TestWordNGramsOfEachText(t *testing.T) {
	o := DefaultOptions()
	o.NGrams = 2
	s := newScanner(t, o)
	terms(s, "one two")
	if diff := cmp.Diff([]string{"three"}, terms(s, "three")); diff != "" {
		t.Error(diff)
	}
}

// Every stretch of min to max characters of " run ", and nothing else.
func TestCharNGrams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(rapid.StringMatching(`[abé中文]{1,6}`), 1, 4).Draw(t, "runs")
		shortest := rapid.IntRange(1, maxChars).Draw(t, "min")
		longest := rapid.IntRange(shortest, maxChars).Draw(t, "max")
		tokenizer, err := New(Options{Language: "english", Stem: true, NGrams: 1, CharMin: shortest, CharMax: longest, TermBytes: 64})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, run := range runs {
			padded := []rune(" " + run + " ")
			if len(padded) < shortest {
				want = append(want, string(padded))
			}
			for n := shortest; n <= longest; n++ {
				for i := 0; i+n <= len(padded); i++ {
					if gram := string(padded[i : i+n]); gram != " " {
						want = append(want, gram)
					}
				}
			}
		}
		got := terms(tokenizer.NewScanner(), strings.Join(runs, " "))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d to %d characters of %q (-want +got):\n%s", shortest, longest, runs, diff)
		}
	})
}

func TestCharNGramsOfRuns(t *testing.T) {
	o := DefaultOptions()
	o.CharMin, o.CharMax = 8, 8
	o.Stop = []string{"的"}
	s := newScanner(t, o)
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"words that touch", "中文abc", []string{" 中文abc "}},
		{"words apart", "中 文", []string{" 中 ", " 文 "}},
		{"a class ends a run", "中12345文", []string{" 中 ", "<num:5>", " 文 "}},
		{"an emoji ends a run", "中👍🏽文", []string{" 中 ", "👍🏽", " 文 "}},
		{"a stop word ends a run", "中的文", []string{" 中 ", " 文 "}},
		{"a host is a run", "http://a.cc中", []string{"<url>", " a.cc ", " 中 "}},
		{"no word at all", "...", nil},
	} {
		if diff := cmp.Diff(c.want, terms(s, c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

func TestCharNGramsFitTheShortestTerm(t *testing.T) {
	o := DefaultOptions()
	o.CharMin, o.CharMax = 8, 8
	o.TermBytes = minTermBytes
	newScanner(t, o).Scan([]byte(strings.Repeat("𐐨", 20)), "", func(term []byte) {
		if len(term) > minTermBytes || !utf8.Valid(term) {
			t.Errorf("term %q of %d bytes", term, len(term))
		}
	})
}
