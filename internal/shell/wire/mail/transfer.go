package mail

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// decodeTransfer undoes the transfer encoding of a body. asDeclared is false where the body is not
// encoded as it says.
func decodeTransfer(body, encoding []byte) (decoded []byte, asDeclared bool) {
	switch transferEncoding(encoding) {
	case "base64", "b":
		return decodeBase64(body)
	case "quoted-printable", "quoted", "q", "qp", "quoted_printable", "quotedprintable":
		return appendQuoted(make([]byte, 0, len(body)), body, false), true
	case "x-uuencode", "uuencode", "x-uue", "uue":
		return decodeUU(body), true
	}
	return body, true
}

// transferEncoding returns the first word of the field, without what senders append to it.
func transferEncoding(field []byte) string {
	first, _ := cutParameters(field)
	return strings.Trim(first, ".<>[]")
}

// sixBits gives each character of base64 its value, and of the others what they are.
var sixBits = func() (table [256]byte) {
	for c := range table {
		table[c] = foreign
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		table[c] = byte(i)
	}
	table['='] = padding
	return table
}()

const (
	padding = 0x40
	foreign = 0x80
)

// appendBase64 appends what base64 decodes to. Padding may be missing or stand between two pieces,
// and other characters are passed over.
func appendBase64(dst, text []byte) []byte {
	group, n := uint32(0), 0
	for _, c := range text {
		v := sixBits[c]
		if v < padding {
			group = group<<6 | uint32(v)
			n++
			if n == 4 {
				dst = append(dst, byte(group>>16), byte(group>>8), byte(group))
				n = 0
			}
		} else if v == padding {
			dst = appendGroup(dst, group, n)
			n = 0
		}
	}
	return appendGroup(dst, group, n)
}

// appendGroup appends the bytes of a group of less than four characters.
func appendGroup(dst []byte, group uint32, n int) []byte {
	switch n {
	case 2:
		return append(dst, byte(group>>4))
	case 3:
		return append(dst, byte(group>>10), byte(group>>2))
	}
	return dst
}

// sureLine is the length of a line without blanks that is no word.
const sureLine = 40

// decodeBase64 decodes a body. Lines of words before and behind it, such as the footer of a mailing
// list, stay as they are, and so does a body that is mostly such lines, or a short one whose bytes
// would be no text.
func decodeBase64(body []byte) (decoded []byte, asDeclared bool) {
	words, longest := 0, 0
	for rest := body; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		if isWords(line) {
			words += len(line)
		} else {
			longest = max(longest, len(line))
		}
	}
	if 2*words > len(body) {
		return body, false
	}
	decoded = make([]byte, 0, len(body)*3/4+len(body)/100)
	if words == 0 {
		decoded = appendBase64(decoded, body)
	} else {
		decoded = appendMixed(decoded, body)
	}
	if longest < sureLine && isBinary(decoded) {
		return body, false
	}
	return decoded, true
}

// appendMixed decodes what is between the first lines of words and the next.
func appendMixed(dst, body []byte) []byte {
	begin, end := 0, len(body) // of what is encoded
	for at := 0; at < len(body); {
		line, rest := cutLine(body[at:])
		next := len(body) - len(rest)
		if isWords(line) {
			if !isBlank(body[begin:at]) {
				end = at
				break
			}
			begin = next
		}
		at = next
	}
	dst = append(dst, body[:begin]...)
	dst = append(appendBase64(dst, body[begin:end]), '\n')
	return append(dst, body[end:]...)
}

// isWords reports whether a line is text rather than base64: blanks stand inside of it, or a tenth
// of it is foreign.
func isWords(line []byte) bool {
	line = bytes.TrimSpace(line)
	blanks, others := 0, 0
	for _, c := range line {
		switch {
		case c == ' ' || c == '\t':
			blanks++
		case sixBits[c] == foreign:
			others++
		}
	}
	return blanks > 1 && blanks*20 > len(line) || others*10 > len(line)
}

// isBinary reports whether a twentieth of some bytes are control characters that no text has.
func isBinary(text []byte) bool {
	controls := 0
	for _, c := range text {
		if c < ' ' && c != 0 && c != escape && (c < '\t' || c > shiftIn) {
			controls++
		}
	}
	return controls*20 > len(text)
}

// appendQuoted appends what quoted-printable decodes to (RFC 2045, 6.7), or the Q of an encoded
// word. What is no escape stays. Blanks at the end of a line are of the transport, also behind the
// = of a soft break.
func appendQuoted(dst, text []byte, word bool) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '_' && word:
			dst = append(dst, ' ')
		case c == '=':
			if i+2 < len(text) {
				if decoded, ok := unhex(text[i+1], text[i+2]); ok {
					dst = append(dst, decoded)
					i += 2
					continue
				}
			}
			if end := softBreak(text, i+1); end > 0 && !word {
				i = end - 1
				continue
			}
			dst = append(dst, '=')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// softBreak returns the end of the line break at pos, blanks before it included, or 0 if there is
// none.
func softBreak(text []byte, pos int) int {
	for pos < len(text) && text[pos] != '\n' && isSpace(text[pos]) {
		pos++
	}
	switch {
	case pos == len(text):
		return pos
	case text[pos] == '\n':
		return pos + 1
	}
	return 0
}

// unhex returns the byte that two hexadecimal digits name.
func unhex(high, low byte) (c byte, ok bool) {
	var decoded [1]byte
	_, err := hex.Decode(decoded[:], []byte{high, low})
	return decoded[0], err == nil
}

// decodeUU decodes the lines between "begin 644 name" and "end".
func decodeUU(body []byte) (decoded []byte) {
	for rest := body; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		if bytes.HasPrefix(line, []byte("begin ")) {
			continue
		}
		if string(line) == "end" {
			return decoded
		}
		decoded = appendUULine(decoded, line)
	}
	return decoded
}

// appendUULine appends the bytes of a line, whose first character says how many they are.
func appendUULine(dst, line []byte) []byte {
	if len(line) == 0 {
		return dst
	}
	want := len(dst) + int((line[0]-' ')&0x3F)
	for at := 1; at < len(line) && len(dst) < want; at += 4 {
		group := uint32(0)
		for i := range 4 {
			c := byte(' ')
			if at+i < len(line) {
				c = line[at+i]
			}
			group = group<<6 | uint32((c-' ')&0x3F)
		}
		dst = append(dst, byte(group>>16), byte(group>>8), byte(group))
	}
	return dst[:min(len(dst), want)]
}
