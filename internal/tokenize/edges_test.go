package tokenize

import (
	"testing"

	"bayestream/internal/bow"
)

// The words at the ends of a text are its first and its last one, in the form in which they are
// counted by themselves; those of a document are the first of its first part with words and the
// last of the last one. Lines are no words.
func TestEdges(t *testing.T) {
	type part struct{ text, mark string }
	for name, c := range map[string]struct {
		options     func(*Options)
		parts       []part
		first, last string
	}{
		"words":           {func(*Options) {}, []part{{"Winners, claim now!", ""}}, "winner", "now"},
		"one word":        {func(*Options) {}, []part{{" hello ", ""}}, "hello", "hello"},
		"no word":         {func(*Options) {}, []part{{"!!!", ""}}, "", ""},
		"a class":         {func(*Options) {}, []part{{"12345 at http://shop.example/x", ""}}, "<num:5>", "<url>"},
		"pairs":           {func(o *Options) { o.NGrams = 2 }, []part{{"not good at all", ""}}, "not", "all"},
		"parts of words":  {func(o *Options) { o.CharMin, o.CharMax = 1, 3 }, []part{{"Winners claim", ""}}, "winners", "claim"},
		"stop words":      {func(o *Options) { o.Stop = []string{"the"} }, []part{{"the end of the", ""}}, "end", "of"},
		"short words":     {func(o *Options) { o.Shortest = 2 }, []part{{"a plan b", ""}}, "plan", "plan"},
		"punctuation":     {func(o *Options) { o.Punctuation = true }, []part{{"£5 now!!", ""}}, "£", "!!"},
		"several parts":   {func(*Options) {}, []part{{"...", "s:"}, {"Free money", "s:"}, {"call me", "b:"}, {"", "b:"}}, "s:free", "b:me"},
		"a word too long": {func(o *Options) { o.TermBytes = 16 }, []part{{"abcdefghijklmnopqrst x", ""}}, "abcdefghijklmnop", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Language: "english", Stem: true, NGrams: 1, TermBytes: 64}
			c.options(&o)
			scanner := newScanner(t, o)
			var bag bow.Bag
			for range 2 { // the second time by what the first one left in the caches
				bag.Use(bag.Lexicon())
				scanner.Count(&Segment{Text: []byte("host.example\n"), Lines: true}, &bag)
				for _, p := range c.parts {
					scanner.Count(&Segment{Text: []byte(p.text), Mark: p.mark}, &bag)
				}
				word := func(number int) string {
					if number < 0 {
						return ""
					}
					return bag.Lexicon().Name(uint32(number))
				}
				if first, last := bag.Edges(); word(first) != c.first || word(last) != c.last {
					t.Errorf("begins with %q and ends with %q, want %q and %q", word(first), word(last), c.first, c.last)
				}
			}
		})
	}
}
