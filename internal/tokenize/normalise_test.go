package tokenize

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func normal(text string) string { return string(newNormaliser(0).append(nil, []byte(text))) }

func TestNormalForm(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"empty", "", ""},
		{"ASCII", "Hello, WORLD @[`{", "hello, world @[`{"},
		{"every capital", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"},
		{"composed", "cafe\u0301", "café"},
		{"composed after folding", "CAFE\u0301", "café"},
		{"full folding", "STRAẞE Straße", "strasse strasse"},
		{"final sigma", "ΟΔΟΣ ὀδός", "οδοσ ὀδόσ"},
		{"dotted I", "İ", "i"},
		{"marks that compose with no letter", "fou\u0310nd me\u0324ssage за\u0301мок a\u0489b", "found message замок ab"},
		{"marks that compose", "cafe\u0301 nai\u0308ve и\u0306", "café naïve й"},
		{"a mark of several", "e\u0301\u0310\u0331", "é"},
		{"marks of digits and signs", "1\uFE0F\u20E3 -\u0310", "1\u20E3 -\u0310"},
		{"kashida", "مجـــانا", "مجانا"},
		{"vowel signs", "مُحَمَّد שָׁלוֹם", "محمد שלום"},
		{"hamza", "أ ا\u0654", "أ أ"},
		{"yo", "Ёлка елка е\u0308", "елка елка е"},
		{"ligature", "oﬃce", "office"},
		{"full width", "ＶＩＡＧＲＡ", "viagra"},
		{"mathematical letters", "𝐕𝐢𝐚𝐠𝐫𝐚", "viagra"},
		{"circled digit", "①", "1"},
		{"zero width", "v\u200Bi\u200Ca\u200Dg\u2060r\uFEFFa", "viagra"},
		{"soft hyphen", "via\u00ADgra", "viagra"},
		{"bidi", "\u202Eargaiv\u202C \u2066x\u2069", "argaiv x"},
		{"hidden between letter and mark", "e\u200B\u0301", "é"},
		{"Hangul filler", "a\u3164b", "ab"},
		{"apostrophes", "don’t don‘t donʼt don＇t", "don't don't don't don't"},
		{"quotes and dashes", "“a” «b» c—d e‐f", "\"a\" \"b\" c-d e-f"},
		{"no-break space", "a\u00A0b", "a b"},
		{"emoji", "❤️👍🏽", "❤👍🏽"},
		{"joined emoji", "👩\u200D❤\uFE0F\u200D👨", "👩\u200D❤\u200D👨"},
		{"joiner too many", "👩\u200D\u200D👨 👩\u200Dx", "👩\u200D👨 👩x"},
		{"joiner after a skin tone", "👩🏽\u200D🚀 -🏽\u200D🚀", "👩🏽\u200D🚀 -🏽🚀"},
		{"flag of tags", "🏴\U000E0067\U000E0062\U000E007F", "🏴\U000E0067\U000E0062\U000E007F"},
		{"tags without a flag", "a\U000E0067\U000E0062", "a"},
		{"Cherokee", "Ꭰꭰ ᏸᏰ", "ᎠᎠ ᏰᏰ"},
		{"Hangul", "\u1112\u1161\u11ab", "한"},
		{"half-width kana", "ｶﾞ", "ガ"},
		{"not UTF-8", "a\xffb\xe2\x80", "a\uFFFDb\uFFFD\uFFFD"},
	} {
		if got := normal(c.text); got != c.want {
			t.Errorf("%s: normal form of %+q is %+q, want %+q", c.what, c.text, got, c.want)
		}
	}
}

func TestKeptSpellings(t *testing.T) {
	for _, c := range []struct{ keep, text, want string }{
		{"marks", "fou\u0310nd", "fou\u0310nd"},
		{"arabic", "مجـانا مُحَمَّد", "مجـانا مُحَمَّد"},
		{"hebrew", "אַ", "אַ"},
		{"yo", "Ёлка", "ёлка"},
		{"yo", "fou\u0310nd", "found"},
	} {
		spelt, err := spellingOf([]string{c.keep})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(newNormaliser(spelt).append(nil, []byte(c.text))); got != c.want {
			t.Errorf("keep %s: normal form of %+q is %+q, want %+q", c.keep, c.text, got, c.want)
		}
	}
	if _, err := spellingOf([]string{"accents"}); err == nil {
		t.Error("keep takes a name that it does not know")
	}
}

// Each character of the planes in use: valid, lower-cased, in NFKC, without hidden characters, and
// not changed by a second turn.
func TestNormalFormOfEveryCharacter(t *testing.T) {
	n := newNormaliser(0)
	everyCharacter(func(r rune) {
		once := n.append(nil, []byte(string(r)))
		if twice := n.append(nil, once); !bytes.Equal(once, twice) {
			t.Errorf("%U becomes %+q, and that %+q", r, once, twice)
		}
		if r != honorific && !norm.NFKC.IsNormal(once) {
			t.Errorf("%U becomes %+q: not in NFKC", r, once)
		}
		if i := bytes.IndexFunc(once, isIgnorable); i >= 0 {
			t.Errorf("%U becomes %+q, which hides something", r, once)
		}
		if want := referenceNormal([]byte("x" + string(r) + "y")); string(n.append(nil, []byte("x"+string(r)+"y"))) != want {
			t.Errorf("%U between letters: want %+q", r, want)
		}
	})
}

func TestNormalFormLaws(t *testing.T) {
	n := newNormaliser(0)
	form := func(text string) string { return string(n.append(nil, []byte(text))) }
	rapid.Check(t, func(t *rapid.T) {
		text := string(anyText.Draw(t, "text"))
		once := form(text)
		if !utf8.ValidString(once) {
			t.Fatalf("%q becomes %q: not UTF-8", text, once)
		}
		if twice := form(once); twice != once {
			t.Fatalf("%q becomes %q, and that %q", text, once, twice)
		}
		if utf8.ValidString(text) {
			if got := form(norm.NFD.String(text)); got != once {
				t.Fatalf("%q decomposed becomes %q, composed %q", text, got, once)
			}
		}
	})
}
