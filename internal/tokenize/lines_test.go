package tokenize_test

import (
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/tokenize"
)

// TestLines: each line is one term in normal form, whatever the options do with words, and its
// place is the line.
func TestLines(t *testing.T) {
	const text = "My-Shop.example\n\n<ip>\nÄ.example\nmy-shop.example"
	for name, o := range map[string]tokenize.Options{
		"words":   {Language: "english", Stem: true, NGrams: 1, TermBytes: 64, Stop: []string{"shop"}, Shortest: 3},
		"n-grams": {Language: "none", NGrams: 3, TermBytes: 64},
		"chars":   {Language: "none", NGrams: 1, CharMin: 2, CharMax: 4, TermBytes: 64, HTML: true},
	} {
		tokenizer, err := tokenize.New(o)
		if err != nil {
			t.Fatal(err)
		}
		s := tokenizer.NewScanner()
		var bag bow.Bag
		bag.Use(bag.Lexicon())
		s.Count(&tokenize.Segment{Text: []byte("a word or two before")}, &bag) // must leave nothing behind
		bag.Use(bag.Lexicon())
		s.Count(&tokenize.Segment{Text: []byte(text), Mark: "url:", Lines: true}, &bag)
		var got []string
		var wanted []uint32
		for i := range bag.Len() {
			got = append(got, string(bag.Term(i)))
			wanted = append(wanted, bag.Number(i))
		}
		if want := []string{"url:my-shop.example", "url:<ip>", "url:ä.example"}; !slices.Equal(got, want) || bag.Count(0) != 2 {
			t.Errorf("%s: terms %q, the first %d times; want %q, 2 times", name, got, bag.Count(0), want)
		}
		slices.Sort(wanted)
		var places []string
		for _, p := range s.AppendPlaces(nil, wanted) {
			places = append(places, string(s.Seen()[p.Start:p.End]))
		}
		if want := []string{"My-Shop.example", "<ip>", "Ä.example", "my-shop.example"}; !slices.Equal(places, want) {
			t.Errorf("%s: places %q, want %q", name, places, want)
		}
	}
}

// TestShortest: words of fewer characters make no terms; ideographs, emoji and classes do.
func TestShortest(t *testing.T) {
	tokenizer, err := tokenize.New(tokenize.Options{Language: "none", NGrams: 2, TermBytes: 64, Shortest: 2})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	tokenizer.NewScanner().Scan([]byte("a I 7 ab é 10 世 🎉 123456"), "", func(term []byte) { got = append(got, string(term)) })
	want := []string{"ab", "10", "ab 10", "世", "10 世", "🎉", "世 🎉", "<num:6>", "🎉 <num:6>"}
	if !slices.Equal(got, want) {
		t.Errorf("terms %q, want %q", got, want)
	}
}
