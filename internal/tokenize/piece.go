package tokenize

import (
	"cmp"
	"unicode/utf8"
)

// A piece is a part of a text that becomes a part of its normal form, whatever is around it. It
// goes on to the next one. Nothing is left of a piece whose next one begins at the same offset of
// the normal form.
type piece struct {
	normal, source uint32 // where it begins
	plain          bool   // ASCII: a byte for each byte
}

// comparePiece orders pieces by offset in the normal form.
func comparePiece(p piece, normal uint32) int { return cmp.Compare(p.normal, normal) }

// appendPieces appends the pieces of a text, of which append makes the normal form.
func (n *normaliser) appendPieces(dst []piece, text []byte) []piece {
	normal := 0
	for pos := 0; pos < len(text); {
		begin := pos
		for pos < len(text) && text[pos] < utf8.RuneSelf {
			pos++
		}
		if pos > begin {
			dst = append(dst, piece{uint32(normal), uint32(begin), true})
			normal += pos - begin
		}
		begin = pos
		for pos < len(text) && text[pos] >= utf8.RuneSelf {
			pos++
		}
		if pos > begin {
			dst, normal = n.appendRunPieces(dst, normal, text, begin, pos)
		}
	}
	return dst
}

// appendRunPieces appends those of the run text[begin:end] of characters beyond ASCII, and returns
// where its normal form ends: a piece for each character, as long as each stands alone.
func (n *normaliser) appendRunPieces(dst []piece, normal int, text []byte, begin, end int) (pieces []piece, after int) {
	before := len(dst)
	after = normal
	for i := begin; i < end; {
		r, size := utf8.DecodeRune(text[i:end])
		v := n.byItself(r)
		if v == combines {
			return n.appendSettledPieces(dst[:before], normal, text, begin, end)
		}
		dst = append(dst, piece{uint32(after), uint32(i), false})
		after += n.length(v)
		i += size
	}
	return dst, after
}

// length returns the length in bytes of what a character becomes by itself.
func (n *normaliser) length(v rune) int {
	switch {
	case v == dropped:
		return 0
	case several <= v && v < several+maxMany:
		return len(n.many[v-several])
	}
	return utf8.RuneLen(v)
}

// appendSettledPieces appends those of a run that goes through the libraries, with the ASCII
// character before it: a piece for each character with what combines with it. Where they make
// something else together, the run is one piece.
func (n *normaliser) appendSettledPieces(dst []piece, normal int, text []byte, begin, end int) (pieces []piece,
	after int) {
	if begin > 0 {
		begin--
		normal--
	}
	whole := normal + len(n.settle(text[begin:end]))
	before := len(dst)
	after = normal
	for i := begin; i < end; {
		next := n.combined(text[:end], i)
		dst = append(dst, piece{uint32(after), uint32(i), false})
		after += len(n.settle(text[i:next]))
		i = next
	}
	if after != whole {
		dst = append(dst[:before], piece{uint32(normal), uint32(begin), false})
	}
	return dst, whole
}

// combined returns the end of the character at pos and of what combines with it, also over
// characters that leave.
func (n *normaliser) combined(text []byte, pos int) int {
	last, size := utf8.DecodeRune(text[pos:])
	end := pos + size
	for pos = end; pos < len(text); pos += size {
		var r rune
		r, size = utf8.DecodeRune(text[pos:])
		v := n.byItself(r)
		if v == dropped {
			continue
		}
		if last != zeroWidthJoiner && v != combines {
			break
		}
		last = r
		end = pos + size
	}
	return end
}
