package tokenize

import (
	"testing"

	"bayestream/internal/bow"
)

// The longest token of a document is that of all its parts, in the form in which a word is counted
// by itself; what is no word are the tokens with something else than letters and apostrophes in
// them, but for emoji and punctuation. Lines have no part in either.
func TestSizes(t *testing.T) {
	for name, c := range map[string]struct {
		options           func(*Options)
		parts             []string
		longest, nonwords int
	}{
		"nothing":        {func(*Options) {}, []string{""}, 0, 0},
		"words":          {func(*Options) {}, []string{"Winners don't claim now!"}, len("winner"), 0},
		"several parts":  {func(*Options) {}, []string{"win 50 or 4th", "now snake_case"}, len("snake_case"), 3},
		"numbers":        {func(*Options) {}, []string{"call 12345678 or 07"}, len("<num:8>"), 2},
		"links":          {func(*Options) {}, []string{"a@b.example at http://shop.example/x"}, len("shop.example"), 4},
		"a bare host":    {func(*Options) {}, []string{"see shop.example"}, len("shop.example"), 1},
		"languages":      {func(*Options) {}, []string{"C++ or C# or .NET"}, len(".net"), 3},
		"emoji":          {func(*Options) {}, []string{"ok 🎉 🎉"}, len("🎉"), 0},
		"punctuation":    {func(o *Options) { o.Punctuation = true }, []string{"£5 now!!"}, len("now"), 1},
		"stop words":     {func(o *Options) { o.Stop = []string{"whatever", "4th"} }, []string{"whatever the 4th"}, len("the"), 0},
		"parts of words": {func(o *Options) { o.CharMin, o.CharMax = 1, 3 }, []string{"Winners claim 50"}, len("winners"), 1},
		"pairs":          {func(o *Options) { o.NGrams = 2 }, []string{"not good at 8"}, len("good"), 1},
		"beyond ASCII":   {func(*Options) {}, []string{"приз naïve"}, len("приз"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Language: "english", Stem: true, NGrams: 1, TermBytes: 64}
			c.options(&o)
			scanner := newScanner(t, o)
			var bag bow.Bag
			for range 2 { // the second time by what the first one left in the caches
				bag.Use(bag.Lexicon())
				for _, text := range c.parts {
					scanner.Count(&Segment{Text: []byte(text), Mark: "m:"}, &bag)
				}
				if bag.Longest() != c.longest || bag.Nonwords() != c.nonwords {
					t.Errorf("the longest token has %d bytes, and %d tokens are no words, want %d and %d", bag.Longest(), bag.Nonwords(), c.longest, c.nonwords)
				}
			}
			scanner.Count(&Segment{Text: []byte("a.longer.host.example\n\nx\n"), Lines: true}, &bag)
			if bag.Longest() != c.longest || bag.Nonwords() != c.nonwords {
				t.Errorf("with lines, which are no part of a text: %d and %d, want %d and %d", bag.Longest(), bag.Nonwords(), c.longest, c.nonwords)
			}
		})
	}
}
