package mail

import (
	"bytes"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// decodeKorean decodes ISO-2022-KR (RFC 1557), and decodeChinese ISO-2022-CN (RFC 1922) without the
// sets of Taiwan, which no library reads. Both are the 8-bit sets with the high bit cut off between
// two control characters.
func decodeKorean(text []byte) []byte  { return decodeShifted(text, korean.EUCKR) }
func decodeChinese(text []byte) []byte { return decodeShifted(text, simplifiedchinese.GBK) }

// The control characters between which bytes have a high bit, and what announces the set of a line.
const (
	shiftOut = 0x0E
	shiftIn  = 0x0F
	escape   = 0x1B
)

// decodeShifted decodes a text that shifts to a set of two bytes.
func decodeShifted(text []byte, set encoding.Encoding) []byte {
	high := make([]byte, 0, len(text))
	shifted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == shiftOut:
			shifted = true
		case c == shiftIn:
			shifted = false
		case c == escape && bytes.HasPrefix(text[i+1:], []byte("$")):
			i += min(3, len(text)-1-i)
		case shifted && c > ' ':
			high = append(high, c|0x80)
		default:
			shifted = shifted && c != '\n' // a line begins in ASCII
			high = append(high, c)
		}
	}
	return convert(set, high)
}
