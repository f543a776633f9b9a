package tokenize

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"bayestream/internal/testing/filetest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// optionsFrom makes valid options of any two bytes.
func optionsFrom(a, b byte) Options {
	o := DefaultOptions()
	o.Language = append(languages(), none)[int(a&7)%(len(languages())+1)]
	o.Stem = a&8 == 0
	o.HTML = a&16 != 0
	if a&32 != 0 && o.Language != none {
		o.Stop, _ = StopWords(o.Language)
	}
	o.TermBytes = minTermBytes + int(b>>6)*24
	o.Punctuation = a&128 != 0
	if a&64 != 0 {
		o.CharMin = 1 + int(b&7)
		o.CharMax = min(maxChars, o.CharMin+int(b>>3&3))
	} else {
		o.NGrams = 1 + int(b&7)%maxNGrams
	}
	return o
}

// FuzzScan: whatever the bytes and the options, terms keep their promises, and a scanner that has
// seen other texts gives the same as a fresh one.
func FuzzScan(f *testing.F) {
	for i, p := range pieces {
		f.Add([]byte("x"+p+"y "+p+p), byte(i), byte(i*7))
	}
	for i, c := range goldenCases(f) {
		f.Add([]byte(c.text), byte(0), byte(0))
		f.Add([]byte(c.text), byte(i*5), byte(i*3))
	}
	used := map[[2]byte]*Scanner{}
	f.Fuzz(func(t *testing.T, text []byte, a, b byte) {
		o := optionsFrom(a, b)
		if used[[2]byte{a, b}] == nil {
			used[[2]byte{a, b}] = newScanner(t, o)
		}
		before := slices.Clone(text)
		var got []string
		used[[2]byte{a, b}].Scan(text, "m:", func(term []byte) {
			validTerm(t, term, o.TermBytes)
			got = append(got, string(term))
		})
		if string(before) != string(text) {
			t.Fatalf("Scan changed its text from %q to %q", before, text)
		}
		var fresh []string
		newScanner(t, o).Scan(text, "m:", func(term []byte) { fresh = append(fresh, string(term)) })
		if diff := cmp.Diff(fresh, got); diff != "" {
			t.Fatalf("terms of %q with %+v: fresh scanner (-) and used one (+):\n%s", text, o, diff)
		}
	})
}

func TestScanLaws(t *testing.T) {
	stemmed, plain := newScanner(t, DefaultOptions()), newScanner(t, plainOptions())
	rapid.Check(t, func(t *rapid.T) {
		a, b := string(anyText.Draw(t, "a")), string(anyText.Draw(t, "b"))

		// A line break ends whatever there is.
		if diff := cmp.Diff(append(terms(stemmed, a), terms(stemmed, b)...), terms(stemmed, a+"\n"+b)); diff != "" {
			t.Fatalf("two texts and their lines together differ:\n%s", diff)
		}
		// Normal form first or not.
		if diff := cmp.Diff(terms(plain, a), terms(plain, normal(a))); diff != "" {
			t.Fatalf("a text and its normal form differ:\n%s", diff)
		}
		// Case means nothing.
		if diff := cmp.Diff(terms(plain, a), terms(plain, asciiUpper(a))); diff != "" {
			t.Fatalf("a text and its capitals differ:\n%s", diff)
		}
	})
}

func asciiUpper(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func TestHiddenCharactersMeanNothing(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	hidden := rapid.SampledFrom([]string{"\u200b", "\u00ad", "\u2060", "\u202e", "\ufeff", "\ufe0f", "\u200c"})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zé'. ]|http://a\.example|12345){0,12}`).Draw(t, "text")
		var veiled strings.Builder
		for _, r := range text {
			veiled.WriteRune(r)
			if rapid.Bool().Draw(t, "hide") {
				veiled.WriteString(hidden.Draw(t, "hidden"))
			}
		}
		if diff := cmp.Diff(terms(s, text), terms(s, veiled.String())); diff != "" {
			t.Fatalf("%q and %q differ:\n%s", text, veiled.String(), diff)
		}
	})
}

// A word is a text of one word: itself.
func TestWordsOfWords(t *testing.T) {
	s := newScanner(t, plainOptions())
	rapid.Check(t, func(t *rapid.T) {
		text := anyText.Draw(t, "text")
		s.read(text)
		s.split()
		var found []string
		for _, tok := range s.tokens {
			if tok.kind == plainWord || tok.kind == oddWord || tok.kind == emojiWord {
				found = append(found, string(s.textOf(tok)))
			}
		}
		for _, word := range found {
			if got := terms(s, word); len(word) <= 64 && !cmp.Equal(got, []string{word}) {
				t.Fatalf("word %q of %q by itself: %q", word, text, got)
			}
		}
	})
}

func TestMarkIsAPrefix(t *testing.T) {
	o := DefaultOptions()
	o.TermBytes = maxTermBytes
	o.NGrams = 3
	s := newScanner(t, o)
	rapid.Check(t, func(t *rapid.T) {
		text := anyText.Draw(t, "text")
		var marked []string
		s.Scan(text, "subject:", func(term []byte) { marked = append(marked, string(term)) })
		want := terms(s, string(text))
		for i := range want {
			want[i] = "subject:" + want[i]
			if strings.Contains(want[i][len("subject:"):], "subject:") {
				t.Fatalf("term %q looks like one with a mark", want[i])
			}
		}
		if diff := cmp.Diff(want, marked); diff != "" {
			t.Fatalf("terms with and without mark (-want +got):\n%s", diff)
		}
	})
}

// No word looks like a class or like a term with a mark: '<' and ':' are in no word.
func TestWordsHaveNoSignsOfOurs(t *testing.T) {
	s := newScanner(t, plainOptions())
	everyCharacter(func(r rune) {
		s.read([]byte("a" + string(r) + "b 1" + string(r) + "2"))
		s.split()
		for _, tok := range s.tokens {
			if word := s.textOf(tok); tok.kind < urlClass && bytes.ContainsAny(word, "<>: ") {
				t.Errorf("%U makes the word %q", r, word)
			}
		}
	})
}

func TestCut(t *testing.T) {
	o := plainOptions()
	o.TermBytes = minTermBytes
	s := newScanner(t, o)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[aé中𐐨]{1,40}`).Draw(t, "word")
		s.Scan([]byte(word), "", func(term []byte) {
			if len(term) > minTermBytes || !utf8.Valid(term) {
				t.Fatalf("%q of %d bytes", term, len(term))
			}
		})
	})
	for _, c := range []struct{ word, want string }{
		{"exactlysixteen16", "exactlysixteen16"},
		{"seventeenletters1", "seventeenletters"},
		{"fifteenletters_é", "fifteenletters_"},
		{"ééééééééé", "éééééééé"},
	} {
		if got := terms(s, c.word); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q: %q, want %q", c.word, got, c.want)
		}
	}
}

// A tokenizer is shared, a scanner is not.
func TestScannersOfOneTokenizer(t *testing.T) {
	tokenizer, err := New(DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	text := mixedText(t)
	want := terms(tokenizer.NewScanner(), text)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if diff := cmp.Diff(want, terms(tokenizer.NewScanner(), text)); diff != "" {
				t.Errorf("another scanner gives other terms:\n%s", diff)
			}
		})
	}
	wait.Wait()
}

func TestTermsAreTheCallersToAppendTo(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	var got []string
	s.Scan([]byte("one two three"), "", func(term []byte) {
		got = append(got, string(term))
		_ = append(term, "XXXXXX"...)
	})
	if diff := cmp.Diff([]string{"one", "two", "three"}, got); diff != "" {
		t.Error(diff)
	}
}

func englishText(t testing.TB) string { return readText(t, "testdata/english.txt") }
func mixedText(t testing.TB) string   { return readText(t, "testdata/mixed.txt") }

func readText(t testing.TB, name string) string {
	t.Helper()
	b := filetest.Read(t, name)
	return string(b)
}

func TestScanAllocatesNothing(t *testing.T) {
	chars := DefaultOptions()
	chars.CharMin, chars.CharMax = 3, 5
	grams := DefaultOptions()
	grams.NGrams = 3
	stop := DefaultOptions()
	stop.Stop, _ = StopWords("english")
	for name, o := range map[string]Options{
		"default": DefaultOptions(), "no stemming": plainOptions(), "characters": chars, "word n-grams": grams, "stop words": stop, "punctuation": punctuationOptions(),
	} {
		s := newScanner(t, o)
		for _, text := range [][]byte{[]byte(englishText(t)), []byte(mixedText(t)), nil} {
			for _, mark := range []string{"", "subject:"} {
				total := 0
				scan := func() { s.Scan(text, mark, func(term []byte) { total += len(term) }) }
				scan()
				if n := testing.AllocsPerRun(20, scan); n != 0 {
					t.Errorf("%s, %d bytes, mark %q: %v allocations a text, want 0", name, len(text), mark, n)
				}
			}
		}
	}
}
