package tokenize

import (
	"maps"
	"strings"
	"testing"

	"bayestream/internal/bow"

	"pgregory.net/rapid"
)

// Count adds what Scan emits, whatever the options, however small the cache, and in bags of
// whatever lexicon.
func TestCountEqualsScan(t *testing.T) {
	pieces := []string{"run", "running", "runs", "Happily", "the", "2024", "123456", "u.s", "don't", "😀", "www.run.com", "a@run.com", "café",
		"Straße", "漢字", "localhost", "http://localhost/x", strings.Repeat("long", 20), strings.Repeat("verylongwordness", 2)}
	with := func(change func(o *Options)) Options {
		o := DefaultOptions()
		change(&o)
		return o
	}
	for _, o := range []Options{
		DefaultOptions(),
		with(func(o *Options) { o.Stem = false; o.TermBytes = minTermBytes }),
		with(func(o *Options) { o.Stop = []string{"the", "run", "2024"} }),
		with(func(o *Options) { o.NGrams = 2; o.Stop = []string{"the"} }),
		with(func(o *Options) { o.CharMin, o.CharMax = 2, 3 }),
		with(func(o *Options) { o.Language = "spanish" }),
		with(func(o *Options) { o.Language = none; o.HTML = true }),
	} {
		reference := newScanner(t, o)
		tokenizer, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			s := tokenizer.NewScanner()
			s.words = smallCache(tokenizer.stemmer)
			lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon()}
			for range rapid.IntRange(1, 5).Draw(t, "texts") {
				text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", ", ", "-", ""}).Draw(t, "between"))
				mark := rapid.SampledFrom([]string{"", "", "subject:"}).Draw(t, "mark")
				want := map[string]uint32{}
				reference.Scan([]byte(text), mark, func(term []byte) { want[string(term)]++ })
				var bag bow.Bag
				bag.Use(rapid.SampledFrom(lexicons).Draw(t, "lexicon"))
				s.Count(&Segment{Text: []byte(text), Mark: mark}, &bag)
				got := map[string]uint32{}
				for i := range bag.Len() {
					got[string(bag.Term(i))] = bag.Count(i)
				}
				if !maps.Equal(got, want) {
					t.Fatalf("%q: counted %v, scanned %v", text, got, want)
				}
			}
		})
	}
}
