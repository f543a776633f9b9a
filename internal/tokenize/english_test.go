package tokenize

import (
	"bufio"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	library "github.com/kljensen/snowball/english"
	"pgregory.net/rapid"
)

// sameAsLibrary compares both stemmers on a word, unless it is one that no text has: words do not start
// with an apostrophe.
func sameAsLibrary(t interface{ Fatalf(string, ...any) }, word string) {
	want := library.Stem(word, true)
	if got := string(stemEnglish([]byte(word))); got != want {
		t.Fatalf("stem of %q is %q, the library says %q", word, got, want)
	}
}

// Every word of up to three letters, of up to four of those that endings are made of, and every ending of
// two behind some beginnings.
func TestEnglishExhaustive(t *testing.T) {
	var grow func(word, letters string, n int)
	grow = func(word, letters string, n int) {
		if word != "" {
			sameAsLibrary(t, word)
		}
		for i := range letters {
			if n > 0 && (word != "" || letters[i] != '\'') {
				grow(word+letters[i:i+1], letters, n-1)
			}
		}
	}
	const letters = "abcdefghijklmnopqrstuvwxyz'"
	grow("", letters, 3)
	grow("", "abdegilnsty'", 4)
	for _, start := range []string{"b", "by", "hop", "yellow", "gener", "commun", "arsen", "relat"} {
		grow(start, letters, 2)
	}
}

// Words of stems and endings in any number, so that each step has to deal with what others left.
func TestEnglishEndings(t *testing.T) {
	parts := strings.Fields(`a e i o u y b d g l ll m n nn p r s ss st t tt w x z at bl iz be hop ski hap cre com pro gener commun arsen
		's ' 's' sses ied ies us s eedly ingly edly ing eed ed ational fulness iveness ization ousness biliti lessli tional alism aliti
		ation entli fulli iviti ousli anci abli alli ator enci izer bli ogi li ly ally ently alize icate ative iciti ical ful ness ement
		ance ence able ible ment ent ant ism ate iti ous ive ize ion al er ic`)
	rapid.Check(t, func(t *rapid.T) {
		word := strings.TrimLeft(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "parts"), ""), "'")
		if word != "" {
			sameAsLibrary(t, word)
		}
	})
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var word strings.Builder
		for range 1 + random.IntN(6) {
			word.WriteString(parts[random.IntN(len(parts))])
		}
		if w := strings.TrimLeft(word.String(), "'"); w != "" {
			sameAsLibrary(t, w)
		}
	}
}

func TestEnglishIrregular(t *testing.T) {
	for word := range englishIrregular {
		sameAsLibrary(t, word)
		sameAsLibrary(t, word+"s")
		sameAsLibrary(t, word+"'s")
	}
}

// The words of a dictionary, where the system has one.
func TestEnglishDictionary(t *testing.T) {
	file, err := os.Open("/usr/share/dict/words")
	if err != nil {
		t.Skip("no /usr/share/dict/words here")
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		word := normal(lines.Text())
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz'") == "" && word != "" && word[0] != '\'' {
			sameAsLibrary(t, word)
		}
	}
}

func FuzzEnglish(f *testing.F) {
	for word := range englishIrregular {
		f.Add(word)
	}
	for _, word := range strings.Fields(englishText(f)) {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word := strings.TrimLeft(strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' || r == '\'' {
				return r
			}
			return -1
		}, strings.ToLower(text)), "'")
		if word != "" {
			sameAsLibrary(t, word)
		}
	})
}

func BenchmarkStemEnglish(b *testing.B) {
	words := strings.Fields(normal(englishText(b)))
	var scratch [maxStemmed]byte
	b.Run("here", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			n := copy(scratch[:], words[i%len(words)])
			stemEnglish(scratch[:n])
		}
	})
	b.Run("library", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			library.Stem(words[i%len(words)], true)
		}
	})
}
