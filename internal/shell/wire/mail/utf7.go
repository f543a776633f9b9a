package mail

import (
	"bytes"
	"unicode/utf16"
)

// decodeUTF7 decodes UTF-7 (RFC 2152). What is none stays as it is.
func decodeUTF7(text []byte) []byte {
	var out []byte
	for {
		plain, rest, found := bytes.Cut(text, []byte("+"))
		out = append(out, plain...)
		if !found {
			return out
		}
		n := bytes.IndexFunc(rest, func(r rune) bool { return r >= 0x80 || sixBits[r] >= padding || r == '-' || r == '_' })
		if n < 0 {
			n = len(rest)
		}
		coded := rest[:n]
		rest = rest[n:]
		closed := bytes.HasPrefix(rest, []byte("-"))
		if closed {
			rest = rest[1:]
		}
		out = appendShifted(out, coded, closed)
		text = rest
	}
}

// appendShifted appends what is between a plus and its end: base64 of UTF-16; nothing is a
// plus.
func appendShifted(dst, coded []byte, closed bool) []byte {
	units := appendBase64(nil, coded)
	if len(units) < 2 {
		dst = append(append(dst, '+'), coded...)
		if closed && len(coded) > 0 {
			dst = append(dst, '-')
		}
		return dst
	}
	code := make([]uint16, 0, len(units)/2)
	for i := 0; i+1 < len(units); i += 2 {
		code = append(code, uint16(units[i])<<8|uint16(units[i+1]))
	}
	return append(dst, string(utf16.Decode(code))...)
}
