package wire

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/wire/jsonread"
)

// maxShown is how many bytes of a bad value a sentence repeats.
const maxShown = 60

// show quotes the start of a value that need not be JSON or text.
func show[T ~string | ~[]byte](value T) string {
	if len(value) <= maxShown {
		return strconv.Quote(string(value))
	}
	return strconv.Quote(clip(string(value[:min(len(value), maxShown+utf8.UTFMax)]), maxShown)) + "..."
}

// shown returns the start of a JSON value as it is, on one line.
func shown(v jsonread.Value) string {
	line := bytes.Map(func(r rune) rune {
		if r < ' ' { // white space, as the value is JSON
			return ' '
		}
		return r
	}, v)
	if len(line) <= maxShown {
		return escape.Text(string(line))
	}
	return escape.Text(clip(string(line), maxShown)) + "..."
}

// clip cuts s to at most n bytes, between runes if there are any.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && n-cut < utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}
