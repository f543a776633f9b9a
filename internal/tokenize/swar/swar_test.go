package swar

import (
	"bytes"
	"testing"
)

// plainLower is AppendLower, one byte at a time.
func plainLower(dst, text []byte) (extended []byte, taken int) {
	for i, c := range text {
		if c >= 0x80 {
			return dst, i
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst, len(text)
}

// plainMasks is Masks, one byte at a time.
func plainMasks(text []byte, i int) (letters, words uint64) {
	for bit, c := range text[i:min(i+64, len(text))] {
		isLetter := 'a' <= c && c <= 'z'
		if isLetter {
			letters |= 1 << bit
		}
		if isLetter || '0' <= c && c <= '9' || c == '_' || c == '`' || c >= 0x80 {
			words |= 1 << bit
		}
	}
	return letters, words
}

// checkText compares both functions with their plain forms, on a text in memory that ends with it and in memory that
// goes on.
func checkText(t *testing.T, text []byte) {
	t.Helper()
	wantLower, wantTaken := plainLower([]byte("before"), text)
	gotLower, gotTaken := AppendLower([]byte("before"), text)
	if !bytes.Equal(gotLower, wantLower) || gotTaken != wantTaken {
		t.Fatalf("AppendLower of %q: %q, %d; want %q, %d", text, gotLower, gotTaken, wantLower, wantTaken)
	}
	followed := append(bytes.Clone(text), "behind the text"...)[:len(text)]
	for i := range len(text) + 1 {
		wantLetters, wantWords := plainMasks(text, i)
		for _, b := range [][]byte{bytes.Clone(text)[:len(text):len(text)], followed} {
			letters, words := Masks(b, i)
			if letters != wantLetters || words != wantWords {
				t.Fatalf("Masks of %q from %d: %b, %b; want %b, %b", text, i, letters, words, wantLetters, wantWords)
			}
		}
	}
}

// TestEveryByte has each byte at each of eight places, between letters and alone.
func TestEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			text := []byte("abcdefgh")
			text[at] = byte(c)
			checkText(t, text)
			checkText(t, text[at:at+1:at+1])
		}
	}
}

// FuzzPlain: both functions do what their plain forms do. The text of Masks need not be in lower case for that.
func FuzzPlain(f *testing.F) {
	f.Add([]byte("Hello, WORLD_42 @[`{ caf\xc3\xa9"))
	f.Add(bytes.Repeat([]byte("A z-"), 20))
	f.Fuzz(func(t *testing.T, text []byte) { checkText(t, text) })
}
