package tokenize

import (
	"testing"

	"pgregory.net/rapid"
)

// The masks say of each of 64 bytes what the table says of one.
func TestMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "text")
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		limit := rapid.IntRange(from, len(text)).Draw(t, "limit")
		letters, words := masks(text[:limit], from)
		for i := range 64 {
			at := shape(0)
			if from+i < limit {
				at = ascii[text[from+i]]
				if 'A' <= text[from+i] && text[from+i] <= 'Z' {
					at = 0 // text is folded
				}
			}
			if got, want := letters>>i&1 == 1, at == letter; got != want {
				t.Fatalf("byte %d of %q: letter %v, want %v", from+i, text[:limit], got, want)
			}
			want := at&(inWord|beyond) != 0 || from+i < limit && text[from+i] == '`'
			if got := words>>i&1 == 1; got != want {
				t.Fatalf("byte %d of %q: in a word %v, want %v", from+i, text[:limit], got, want)
			}
		}
	})
}
