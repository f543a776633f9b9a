package tokenize

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

// TestHostile: what is made to be slow takes memory that grows with its size.
func TestHostile(t *testing.T) {
	const size = 1 << 16
	chars, all := DefaultOptions(), DefaultOptions()
	chars.CharMin, chars.CharMax = 1, 3
	all.NGrams, all.Punctuation, all.HTML = 2, true, true
	for i, piece := range []string{
		"@", "a@", "a.@", "a.b@c.de ", "://", "http://", "http://@", "http://a@", "http://[", "www.", "www.a", "[", "a", "a.", "a'", "1,", "_", "a:",
		"'", "`", "!", "$", "<", "<a ", "<b>", "&", "&amp", "\xff", "ÿ", "é", "e\u0301", "e\u0301\u0327", "\u0301", "\u0390", "\u0130", "\u1e9e",
		"\ufdfa", "\u0958", "\u0640", "א\"", "\u05b0", "中", "ไ", "\u0e01\u0e33", "カ", "가", "\u200d", "👍\u200d", "👍\u200d\ufe0f", "\ufe0f",
		"🏴\U000e0067", "🇫", "\u00ad", "a\u00ad", strings.Repeat("a", 56) + " ",
	} {
		text := []byte(strings.Repeat(piece, size/len(piece)))
		for _, o := range []Options{DefaultOptions(), chars, all} {
			s := newScanner(t, o)
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				alloctest.Bound(t, len(text), func() { s.Scan(text, "subject:", func([]byte) {}) })
			})
		}
	}
}
