package tokenize

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"bayestream/internal/tokenize/swar"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A normaliser brings text into one normal form: valid UTF-8, NFKC except of [honorific], full case
// folding, one of the spellings of a word (see [spelling]), and without the characters that only
// hide or steer other ones (see [appendKept]). Applying it twice changes nothing more.
//
// Most text needs none of the machinery for that. ASCII is lower-cased eight bytes at a time. A run
// of other characters is taken rune by rune from a table while each of them stands alone, that is,
// cannot combine with its neighbours; only a run with one that can goes through the libraries.
type normaliser struct {
	fold  cases.Caser
	spelt spelling
	alone []uint16 // by rune below 0x10000: what it becomes by itself; filled in as runes are met
	many  []string // what becomes of runes that become several

	isASCII bool // all of the last text

	// Scratch of settle.
	run, kept, folded, composed []byte
	segments                    norm.Iter
}

// Values of normaliser.alone that are no rune. Those from several on, which are surrogates, are
// indexes into normaliser.many.
const (
	notMet   = 0
	several  = 0xD800
	maxMany  = 0x800
	dropped  = 0xFFFE // the rune is removed
	combines = 0xFFFF // what the rune becomes depends on its neighbours
)

// honorific is a character that NFKC makes 18 of, four words that always stand together. It stays,
// since a text of nothing else would take ten times as long as any other.
const honorific = '\uFDFA'

func newNormaliser(s spelling) *normaliser {
	return &normaliser{fold: cases.Fold(), spelt: s, alone: make([]uint16, 1<<16)}
}

// append appends the normal form of text to dst, which must be empty or end in ASCII.
func (n *normaliser) append(dst, text []byte) []byte {
	n.isASCII = true
	for len(text) > 0 {
		var taken int
		dst, taken = swar.AppendLower(dst, text)
		text = text[taken:]
		end := 0
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		if end > 0 {
			n.isASCII = false
			dst = n.appendRun(dst, text[:end])
			text = text[end:]
		}
	}
	return dst
}

// appendRun appends a run of characters beyond ASCII.
func (n *normaliser) appendRun(dst, run []byte) []byte {
	start := len(dst)
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRune(run[i:])
		i += size
		switch v := n.byItself(r); {
		case v == dropped:
		case v == combines:
			return n.appendSettled(dst[:start], run)
		case several <= v && v < several+maxMany:
			dst = append(dst, n.many[v-several]...)
		default:
			dst = utf8.AppendRune(dst, v)
		}
	}
	return dst
}

// byItself returns what r becomes, or one of the values that are no rune.
func (n *normaliser) byItself(r rune) rune {
	if int(r) < len(n.alone) && n.alone[r] != notMet {
		return rune(n.alone[r])
	}
	return n.meet(r)
}

// meet is byItself of a rune that the table does not have yet, or never has.
func (n *normaliser) meet(r rune) rune {
	switch {
	case int(r) < len(n.alone):
		n.alone[r] = n.learn(r)
		return rune(n.alone[r])
	case isEmojiPart(r) && norm.NFKC.PropertiesString(string(r)).Decomposition() == nil:
		return r
	}
	return combines
}

func (n *normaliser) learn(r rune) uint16 {
	if r == honorific {
		return honorific
	}
	if r == zeroWidthJoiner || isFreeMark(r) || !startsSegment(r) {
		return combines
	}
	settled := string(n.settle(utf8.AppendRune(nil, r)))
	for _, part := range settled {
		if !startsSegment(part) || part >= dropped {
			return combines
		}
	}
	switch utf8.RuneCountInString(settled) {
	case 0:
		return dropped
	case 1:
		single, _ := utf8.DecodeRuneInString(settled)
		return uint16(single)
	}
	if len(n.many) == maxMany {
		return combines
	}
	n.many = append(n.many, settled)
	return uint16(several + len(n.many) - 1)
}

// startsSegment reports whether nothing to the left of r can change it.
func startsSegment(r rune) bool {
	return norm.NFKC.PropertiesString(string(r)).BoundaryBefore()
}

// appendSettled appends a run that needs the libraries.
func (n *normaliser) appendSettled(dst, run []byte) []byte {
	stays := []byte(string(honorific))
	for {
		piece, rest, found := bytes.Cut(run, stays)
		dst = n.appendPiece(dst, piece)
		if !found {
			return dst
		}
		dst = append(dst, stays...)
		run = rest
	}
}

// appendPiece appends a piece of a run. The ASCII character before it may be the base of its first
// mark, as in e + U+0301, and goes through the libraries again with it.
func (n *normaliser) appendPiece(dst, run []byte) []byte {
	before := len(dst)
	if before > 0 && dst[before-1] < utf8.RuneSelf {
		before--
	}
	n.run = append(n.run[:0], dst[before:]...)
	n.run = append(n.run, run...)
	return append(dst[:before], n.settle(n.run)...)
}

// settle returns the normal form of a run; it is valid until the next call. Text is decomposed
// before its case is folded, so that marks have one order (Unicode 17, 3.13, D145 and D146). Each
// of case folding and composing can make work for the other, so they alternate until nothing
// changes; a test checks that four rounds are enough for every character.
func (n *normaliser) settle(run []byte) []byte {
	n.kept = appendKept(n.kept[:0], run)
	for range 4 {
		n.composed = n.appendForm(n.composed[:0], norm.NFKD, n.kept)
		n.folded = n.appendCaseFolded(n.folded[:0], n.composed)
		n.composed = n.appendForm(n.composed[:0], norm.NFKC, n.folded)
		n.composed = n.spelt.respell(n.composed)
		n.folded = appendKept(n.folded[:0], n.composed)
		if bytes.Equal(n.folded, n.kept) {
			break
		}
		n.kept, n.folded = n.folded, n.kept
	}
	return n.kept
}

// appendForm appends text in NFKD or NFKC. [norm.Form.Append] would allocate its scratch each time;
// but the iterator of x/text 0.43 must not be used for NFD, in which a mark behind a character with
// a compatibility decomposition can make it panic.
func (n *normaliser) appendForm(dst []byte, form norm.Form, text []byte) []byte {
	for n.segments.Init(form, text); !n.segments.Done(); {
		dst = append(dst, n.segments.Next()...)
	}
	return dst
}

// appendCaseFolded appends the full case folding of text: at most three times as long, as in
// U+0390.
func (n *normaliser) appendCaseFolded(dst, text []byte) []byte {
	dst = slices.Grow(dst, 3*len(text))
	written, read, err := n.fold.Transform(dst[len(dst):len(dst)+3*len(text)], text, true)
	dst = dst[:len(dst)+written]
	if err != nil { // a folding longer than any of Unicode 15: take the rest as it is
		dst = append(dst, text[read:]...)
	}
	return dst
}
