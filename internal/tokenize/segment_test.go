package tokenize

import (
	"slices"
	"testing"

	"bayestream/internal/tokenize/swar"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The segmenters for ASCII and for simple characters find exactly what uax29 finds.
func TestASCIIEqualsUnicode(t *testing.T) {
	s := newScanner(t, plainOptions())
	rapid.Check(t, func(t *rapid.T) { equalToReference(t, s, anyText.Draw(t, "text")) })
}

func FuzzASCIIEqualsUnicode(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte("x" + p + "y" + p + p + "3"))
	}
	for _, c := range goldenCases(f) {
		f.Add([]byte(c.text))
	}
	s := newScanner(f, plainOptions())
	f.Fuzz(func(t *testing.T, text []byte) { equalToReference(t, s, text) })
}

func equalToReference(t interface{ Fatalf(string, ...any) }, s *Scanner, text []byte) {
	want := referenceNormal(text)
	got := tokensOf(s, text)
	if string(s.text) != want {
		t.Fatalf("normal form of %q:\n got %q\nwant %q", text, s.text, want)
	}
	if diff := cmp.Diff(referenceTokens(want), got); diff != "" {
		t.Fatalf("tokens of %q (-want +got):\n%s", want, diff)
	}
}

// Every string of a few characters, one for each thing that a simple character can do: what a fuzz
// test would find by luck.
func TestASCIIEqualsUnicodeExhaustive(t *testing.T) {
	signs := []string{"a", "5", "_", ".", ",", "'", ":", " ", "é"}
	s := newScanner(t, plainOptions())
	var grow func(text string, n int)
	grow = func(text string, n int) {
		equalToReference(t, s, []byte(text))
		for _, sign := range signs {
			if n > 0 {
				grow(text+sign, n-1)
			}
		}
	}
	grow("", 5)
}

// Words at every distance from the borders of eight and sixty-four bytes.
func TestWordsAcrossBlocks(t *testing.T) {
	s := newScanner(t, plainOptions())
	for gap := range 70 {
		for length := range 70 {
			text := slices.Repeat([]byte(" "), gap)
			text = append(text, slices.Repeat([]byte("q"), length)...)
			equalToReference(t, s, append(text, ". é"...))
			equalToReference(t, s, append(text, "'s"...))
			equalToReference(t, s, append(text, "5"...))
			equalToReference(t, s, text)
		}
	}
}

func TestASCIITable(t *testing.T) {
	for c := range byte(0x80) {
		if c == ':' {
			continue // by decision: see ascii
		}
		joins := func(left, right string) bool {
			return len(words.FromString(left+string(rune(c))+right).First()) == len(left)+1+len(right)
		}
		if got, want := ascii[c]&(inWord|inner) != 0, joins("a", "a"); got != want {
			t.Errorf("%q holds letters together: %v, uax29 says %v", c, got, want)
		}
		if got, want := ascii[c]&(inWord|innerNum) != 0, joins("1", "1"); got != want {
			t.Errorf("%q holds digits together: %v, uax29 says %v", c, got, want)
		}
	}
}

func TestPictographsEqualUAX29(t *testing.T) {
	for r := rune(0x80); r <= 0x10FFFF; r++ {
		if r == 0xA9 || r == 0xAE || 0xD800 <= r && r <= 0xDFFF {
			continue
		}
		// A joiner holds nothing but pictographs (WB3c), marks and formats (WB4) hold to anything.
		joined := len(words.FromString("\u200d"+string(r)).First()) > 3
		mark := len(words.FromString("("+string(r)).First()) > 1
		if got, want := isPictograph(r), joined && !mark; got != want {
			t.Errorf("%U is a pictograph: %v, uax29 says %v", r, got, want)
		}
	}
}

// The masks say of each byte what the table says.
func TestMasksEqualTheTable(t *testing.T) {
	for c := range 256 {
		letters, words := swar.Masks([]byte{byte(c)}, 0)
		at := ascii[c]
		if 'A' <= c && c <= 'Z' {
			at = 0 // text is in lower case
		}
		if got, want := letters == 1, at == letter; got != want {
			t.Errorf("%q is a letter: %v, want %v", rune(c), got, want)
		}
		if got, want := words == 1, at&(inWord|beyond) != 0 || c == '`'; got != want {
			t.Errorf("%q is in words: %v, want %v", rune(c), got, want)
		}
	}
}
