package wire

import (
	"encoding/binary"
	"math/bits"
)

// Bytes in a word of eight.
const (
	eachByte  = 0x0101010101010101
	eachHigh  = 0x80 * eachByte
	eachSpace = ' ' * eachByte
	eachQuote = '"' * eachByte
	eachSlash = '\\' * eachByte
)

// text scans a string from behind its opening quote on, eight bytes at a time.
func (s *scan) text(i int) int {
	s.escaped = false
	json, all := s.json, s.all
	for {
		ends := uint64(0)
		for ; i+8 <= len(json); i += 8 {
			w := binary.LittleEndian.Uint64(json[i:])
			all |= w
			if ends = runEnds(w); ends != 0 {
				break
			}
		}
		if ends == 0 { // the last bytes; zeros end them
			w := lastWord(json, i)
			all |= w
			ends = runEnds(w)
		}
		i += bits.TrailingZeros64(ends) / 8
		if i >= len(json) {
			return broken
		}
		switch json[i] {
		case '"':
			s.all = all
			return i + 1
		case '\\':
			s.escaped = true
			if i = s.escape(i + 1); i == broken {
				return broken
			}
		default:
			return broken
		}
	}
}

// runEnds has the highest bit of each byte that ends a run of plain text: a quote, a backslash, a control character.
// A byte behind such a one may be marked too.
func runEnds(w uint64) uint64 {
	return ((w - eachSpace) | ((w ^ eachQuote) - eachByte) | ((w ^ eachSlash) - eachByte)) &^ w & eachHigh
}

// lastWord returns the bytes from i on, fewer than eight, and zeros behind them.
func lastWord(json []byte, i int) (w uint64) {
	if last := len(json) - 8; last >= 0 {
		return binary.LittleEndian.Uint64(json[last:]) >> uint(8*(i-last))
	}
	for k := len(json) - 1; k >= i; k-- {
		w = w<<8 | uint64(json[k])
	}
	return w
}

// escape scans what follows a backslash.
func (s *scan) escape(i int) int {
	if i >= len(s.json) {
		return broken
	}
	switch s.json[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
	default:
		return broken
	}
	if i+5 > len(s.json) {
		return broken
	}
	for _, c := range s.json[i+1 : i+5] {
		if !(c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return broken
		}
	}
	return i + 5
}
