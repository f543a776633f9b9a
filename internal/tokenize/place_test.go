package tokenize

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/bow"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// places returns each term of a text with what stands at its places.
func places(s *Scanner, text, mark string) map[string][]string {
	lexicon := bow.NewLexicon()
	var bag bow.Bag
	bag.Use(lexicon)
	s.Count(&Segment{Text: []byte(text), Mark: mark}, &bag)
	var wanted []uint32
	for i := range bag.Len() {
		wanted = append(wanted, bag.Number(i))
	}
	slices.Sort(wanted)
	out := map[string][]string{}
	for _, p := range s.AppendPlaces(nil, wanted) {
		term := string(lexicon.Term(wanted[p.Term]))
		out[term] = append(out[term], string(s.Seen()[p.Start:p.End]))
	}
	return out
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		change     func(*Options)
		text, mark string
		want       map[string][]string
	}{
		{nil, "Football: the FOOTBALLS' debate", "", map[string][]string{"footbal": {"Football", "FOOTBALLS"}, "the": {"the"}, "debat": {"debate"}}},
		{nil, "Prizes", "subject:", map[string][]string{"subject:prize": {"Prizes"}}},
		{nil, "ＦＲＥＥ Cafe\u0301s stra\u00adße", "", map[string][]string{"free": {"ＦＲＥＥ"}, "café": {"Cafe\u0301s"}, "strass": {"stra\u00adße"}}},
		{nil, "Чай й й", "", map[string][]string{"чай": {"Чай"}, "й": {"й", "й"}}},
		{func(o *Options) { o.NGrams = 3 }, "Big  red, Houses", "", map[string][]string{
			"big": {"Big"}, "red": {"red"}, "hous": {"Houses"}, "big red": {"Big  red"}, "red hous": {"red, Houses"}, "big red hous": {"Big  red, Houses"},
		}},
		{func(o *Options) { o.NGrams = 2; o.Stop = []string{"of"} }, "House of Cards", "", map[string][]string{"hous": {"House"}, "card": {"Cards"}, "hous card": {"House of Cards"}}},
		{func(o *Options) { o.HTML = true }, "<b>Foot</b>balls &eacute;t&eacute;", "", map[string][]string{"footbal": {"Footballs"}, "été": {"été"}}},
		{func(o *Options) { o.NGrams, o.Punctuation = 2, true }, "Win £5 now!!!!", "", map[string][]string{
			"win": {"Win"}, "£": {"£"}, "win £": {"Win £"}, "5": {"5"}, "£ 5": {"£5"}, "now": {"now"}, "5 now": {"5 now"}, "!!!": {"!!!"}, "now !!!": {"now!!!"},
		}},
		{func(o *Options) { o.CharMin, o.CharMax = 2, 3 }, "Football", "", map[string][]string{}},
	} {
		o := DefaultOptions()
		if c.change != nil {
			c.change(&o)
		}
		if diff := cmp.Diff(c.want, places(newScanner(t, o), c.text, c.mark)); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
}

// What stands at the places of a term has that term, and there are as many as the bag counts.
func TestPlacesHaveTheirTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := DefaultOptions()
		o.NGrams = rapid.IntRange(1, 3).Draw(t, "n")
		o.Punctuation = rapid.Bool().Draw(t, "punctuation")
		if rapid.Bool().Draw(t, "stop") {
			o.Stop = []string{"the", "a"}
		}
		tokenizer, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			" ", "a", "The", "Houses", "running", "é", "e\u0301", "\u0301", "ß", "ﬁ", "Ⅷ", "中文", "한국", "ﾊﾞ", "\u00ad", "👩\u200d👧", "❤\ufe0f\u200d🔥", "\u200d", "й", "http://Win.example/x", "a@B.example", "12", "1,000", ".", "!", "…", "\xff", "ſ", "İ",
		})).Draw(t, "parts")
		text := strings.Join(parts, "")
		s := tokenizer.NewScanner()
		counted := map[string]int{}
		for _, term := range terms(s, text) {
			counted[term]++
		}
		for term, found := range places(s, text, "") {
			if counted[term] != len(found) {
				t.Fatalf("%q: the term %q is counted %d times and has %d places", text, term, counted[term], len(found))
			}
			for _, word := range found {
				if word == "" {
					t.Fatalf("%q: nothing stands at a place of %q", text, term)
				}
			}
		}
	})
}

// FuzzPieces: each piece becomes its part of the normal form by itself.
func FuzzPieces(f *testing.F) {
	for _, text := range []string{"", "abc", "Cafe\u0301s und Straße", "\u0301a", "👩\u200d👧 ❤\ufe0f\u200d🔥", "ﬁ ＦＲＥＥ \u00ad", "ﾊﾞﾊ", "\xff\xfea\xcc", "한국 각", "नमस्ते", "\u0915\u094d\u200d\u0937", "\u0915\u094d\u202d\u093c", "e\u00ad\u0301\u00adx", "👩\u200d\ufe0f👧"} {
		f.Add([]byte(text))
	}
	n := newNormaliser(0)
	f.Fuzz(func(t *testing.T, text []byte) {
		normal := bytes.Clone(n.append(nil, text))
		pieces := n.appendPieces(nil, text)
		if len(text) == 0 {
			return
		}
		var parts []byte
		for i, p := range pieces {
			end, after := uint32(len(text)), uint32(len(normal))
			if i+1 < len(pieces) {
				end, after = pieces[i+1].source, pieces[i+1].normal
			}
			if end < p.source || after < p.normal || int(p.normal) != len(parts) {
				t.Fatalf("%q: piece %d of %v is out of order", text, i, pieces)
			}
			parts = append(parts, n.append(nil, text[p.source:end])...)
			if int(after) != len(parts) {
				t.Fatalf("%q: piece %d, %q, becomes %d bytes of %q, not %d", text, i, text[p.source:end], len(parts)-int(p.normal), normal, after-p.normal)
			}
		}
		if !bytes.Equal(parts, normal) {
			t.Fatalf("%q: the pieces become %q, the text %q", text, parts, normal)
		}
	})
}

func TestPlacesCostNoAllocation(t *testing.T) {
	s := newScanner(t, DefaultOptions())
	text := []byte(strings.Repeat("Some words, Cafe\u0301s and houses. ", 20))
	lexicon := bow.NewLexicon()
	s.Read(&Segment{Text: text}, lexicon)
	wanted := []uint32{0, 2, 4}
	found := s.AppendPlaces(nil, wanted)
	if len(found) != 60 {
		t.Fatal(fmt.Sprint(found))
	}
	if n := testing.AllocsPerRun(100, func() {
		s.Read(&Segment{Text: text}, lexicon)
		found = s.AppendPlaces(found[:0], wanted)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
