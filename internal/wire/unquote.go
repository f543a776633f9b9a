package wire

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// scratch is the memory of one destination: what cannot be a view of the record
// is written here, so that decoding does not allocate once it has grown.
type scratch struct {
	buf    []byte
	seen   []bool            // which feature fields were met, as a key may stand twice
	labels map[string]string // labels met before: the few classes are not copied again and again
}

// maxInterned bounds the labels remembered, should labels not be the few they
// ought to be.
const maxInterned = 1024

// intern returns label as a string of its own.
func (sc *scratch) intern(label []byte) string {
	if s, ok := sc.labels[string(label)]; ok {
		return s
	}
	if sc.labels == nil || len(sc.labels) >= maxInterned {
		sc.labels = make(map[string]string)
	}
	s := string(label)
	sc.labels[s] = s
	return s
}

// unseen returns n cleared marks.
func (sc *scratch) unseen(n int) []bool {
	if cap(sc.seen) < n {
		sc.seen = make([]bool, n)
	}
	sc.seen = sc.seen[:n]
	clear(sc.seen)
	return sc.seen
}

// unquote returns the text of a valid JSON string, quotes included in v. Without
// an escape that is a view of v, else it is written to the scratch.
func (sc *scratch) unquote(v []byte) []byte {
	text := v[1 : len(v)-1]
	slash := bytes.IndexByte(text, '\\')
	if slash < 0 {
		return text
	}
	start := len(sc.buf)
	for ; slash >= 0; slash = bytes.IndexByte(text, '\\') {
		sc.buf = append(sc.buf, text[:slash]...)
		var size int
		sc.buf, size = appendEscape(sc.buf, text[slash:])
		text = text[slash+size:]
	}
	sc.buf = append(sc.buf, text...)
	return sc.buf[start:len(sc.buf):len(sc.buf)]
}

// appendEscape appends what the escape at the start of text stands for and
// returns the bytes it took. Half a surrogate pair stands for nothing and
// becomes U+FFFD, as in encoding/json.
func appendEscape(dst, text []byte) ([]byte, int) {
	switch c := text[1]; c {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
	default: // quote, backslash, slash
		return append(dst, c), 2
	}
	r := hexRune(text[2:6])
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(text[8:12])); pair != utf8.RuneError {
			return utf8.AppendRune(dst, pair), 12
		}
	}
	return utf8.AppendRune(dst, utf8.RuneError), 6
}

// hexRune reads four hexadecimal digits.
func hexRune(digits []byte) rune {
	var r rune
	for _, c := range digits {
		switch {
		case c <= '9':
			c -= '0'
		case c <= 'F':
			c -= 'A' - 10
		default:
			c -= 'a' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// view is b as a string without a copy: it changes when b does. Only for what is
// documented to hold until the next decoding.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// AppendRecordID appends topic/partition/offset, the id of a record that names
// none and the value of the header bayestream-source.
func AppendRecordID(dst []byte, topic string, partition int, offset int64) []byte {
	dst = append(dst, topic...)
	dst = append(dst, '/')
	dst = strconv.AppendInt(dst, int64(partition), 10)
	dst = append(dst, '/')
	return strconv.AppendInt(dst, offset, 10)
}

// clip cuts s to at most n bytes, between runes where s has any.
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
