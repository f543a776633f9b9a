// Package escape makes text from outside fit to be read: labels, terms, ids, reasons, names of
// files and topics are what anybody wrote into a record, and a terminal obeys control characters, a
// bidirectional control reorders the line that it is in, and a line break forges a line of output.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The joiners change the shape of the letters beside them, in Persian and in emoji, and nothing
// else.
const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// Text returns s on one line, with every character that is not graphic written as in a Go string:
// \n, \x1b, \u202e. These are the control, format and line breaking characters, the unassigned
// ones, and bytes that are not UTF-8. A backslash stays as it is, so the result is for reading and
// not for parsing.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, `\x`...)
			out = append(out, strconv.FormatUint(uint64(s[0]), 16)...) // from 80 on: two digits
		case isGraphic(r):
			out = append(out, s[:n]...)
		default:
			quoted := strconv.QuoteRune(r)
			out = append(out, quoted[1:len(quoted)-1]...)
		}
		s = s[n:]
	}
	return string(out)
}

// Lines is Text with the line breaks kept, for what is several lines by itself.
func Lines(s string) string {
	if isPlain(s) {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Text(line)
	}
	return strings.Join(lines, "\n")
}

// JSON returns JSON text with the same characters written as JSON escapes, which stand for the same
// value: an encoder escapes only some of them. Outside of strings JSON has none but white space,
// which stays. A byte that is not UTF-8 becomes U+FFFD.
func JSON(text []byte) []byte {
	if isPlain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		isBroken := r == utf8.RuneError && n == 1
		if !isBroken && (r == '\n' || r == '\t' || r == '\r' || isGraphic(r)) {
			out = append(out, text[:n]...)
		} else {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		}
		text = text[n:]
	}
	return out
}

// isPlain reports whether all bytes are printable ASCII.
func isPlain[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isGraphic reports whether a character can be shown without an effect on what is around it.
func isGraphic(r rune) bool { return unicode.IsGraphic(r) || r == joiner || r == nonJoiner }
