package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
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
// an escape that is a view of v, else it is written to the scratch: eight bytes
// at a time, of which those behind a backslash are overwritten.
func (sc *scratch) unquote(v []byte) []byte {
	text := v[1 : len(v)-1]
	slash := bytes.IndexByte(text, '\\')
	if slash < 0 {
		return text
	}
	start := len(sc.buf)
	sc.buf = slices.Grow(sc.buf, len(text)+8) // no escape is shorter than what it stands for
	dst := sc.buf[start : start+len(text)+8]
	n := copy(dst, text[:slash])
	for i := slash; i < len(text); {
		if i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			binary.LittleEndian.PutUint64(dst[n:], w)
			x := w ^ eachSlash
			run := bits.TrailingZeros64((x-eachByte)&^x&eachHigh) / 8 // 8 without a backslash
			i, n = i+run, n+run
			if run == 8 {
				continue
			}
		}
		switch c := text[i]; {
		case c != '\\':
			dst[n] = c
			i, n = i+1, n+1
		case text[i+1] != 'u':
			dst[n] = escapes[text[i+1]]
			i, n = i+2, n+1
		default:
			r, size := unicodeEscape(text[i:])
			i, n = i+size, n+utf8.EncodeRune(dst[n:], r)
		}
	}
	sc.buf = sc.buf[:start+n]
	return sc.buf[start : start+n : start+n]
}

// escapes are what characters stand for behind a backslash.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape returns what the escape with a code at the start of text stands
// for and the bytes it takes. Half a surrogate pair stands for nothing and
// becomes U+FFFD, as in encoding/json.
func unicodeEscape(text []byte) (rune, int) {
	r := hexRune(text[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(text[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
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
