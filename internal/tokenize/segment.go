package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A shape says what a word is made of, or what a character of ASCII does in one.
type shape uint8

const (
	letter   shape = 1 << iota
	digit          // of any script
	join           // the underscore, which joins like a letter but is none
	emoji          // a pictograph or a flag
	odd            // something else inside a word: the dot of example.com
	inner          // joins two letters, when between them: . and '
	innerNum       // joins two digits, when between them: . ' , ;
	beyond         // not ASCII
)

// inWord are the characters of which an unbroken piece of a word consists.
const inWord = letter | digit | join

// ascii gives each byte what UAX #29 says about it. The colon is missing: UAX #29 lets it join
// letters, for Swedish, and says that others may leave it out. Here it ends a word, so that no word
// can look like a term with a mark ("subject:free").
var ascii = func() (table [256]shape) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			table[c] = letter
		case '0' <= c && c <= '9':
			table[c] = digit
		case c == '_':
			table[c] = join
		case c == '.', c == '\'':
			table[c] = inner | innerNum
		case c == ',', c == ';':
			table[c] = innerNum
		case c >= utf8.RuneSelf:
			table[c] = beyond
		}
	}
	return table
}()

// wordAt returns the end and the shape of the segment of UAX #29 that starts at pos. It is a word
// if there is a letter, a digit or an emoji in it.
func wordAt(text []byte, pos int) (end int, made shape) {
	if end, made = simpleWord(text, pos); made&beyond == 0 {
		return end, made
	}
	return unicodeWord(text, pos)
}

// simpleWord returns the end of the word of simple characters that starts at pos. Its shape has
// beyond in it when another character has a say in where it ends; the end is then not known.
//
// The rules of UAX #29 that are left for simple characters: letters, digits and underscores stay
// together (WB5, WB8-10, WB13a, WB13b); a dot or apostrophe holds two letters together (WB6, WB7),
// and one of . ' , ; two digits (WB11, WB12).
func simpleWord(text []byte, pos int) (end int, made shape) {
	before := shape(0)
	for pos < len(text) {
		at, size := simpleAt(text, pos)
		if at&inWord != 0 {
			made |= at
			before = at
			pos += size
			continue
		}
		if at == beyond {
			return pos, made | beyond
		}
		if at == 0 || pos+1 == len(text) {
			return pos, made
		}
		after, _ := simpleAt(text, pos+1)
		switch {
		case after == beyond:
			return pos, made | beyond
		case at&inner != 0 && before == letter && after == letter:
			if text[pos] != '\'' {
				made |= odd
			}
		case at&innerNum != 0 && before == digit && after == digit:
			made |= odd
		default:
			return pos, made
		}
		pos++
	}
	return pos, made
}

// simpleAt returns the shape and size of the character at pos, beyond for one that is not simple.
func simpleAt(text []byte, pos int) (at shape, size int) {
	c := text[pos]
	if c < utf8.RuneSelf {
		return ascii[c], 1
	}
	if pos+1 < len(text) {
		if r := int(c&0x1F)<<6 | int(text[pos+1]&0x3F); c < 0xE0 && r < len(simpleLetters) && simpleLetters[r] {
			return letter, 2
		}
	}
	return beyond, 0
}

// simpleLetters are the characters of the European alphabets that do in a word what an ASCII letter
// does, as uax29 has them: those that stay with a digit on both sides, and are no marks.
var simpleLetters = func() (table [0x530]bool) {
	for r := rune(0xC0); r < rune(len(table)); r++ {
		size, _, _ := words.SplitFunc([]byte("1"+string(r)+"1"), true)
		mark, _, _ := words.SplitFunc([]byte("("+string(r)), true)
		table[r] = unicode.IsLetter(r) && size == 4 && mark == 1
	}
	return table
}()

// unicodeWord returns the end and the shape of the segment that starts at pos, by uax29, cut before
// its first colon.
func unicodeWord(text []byte, pos int) (end int, made shape) {
	size, _, _ := words.SplitFunc(text[pos:], true)
	segment := text[pos : pos+size]
	if colon := bytes.IndexByte(segment[1:], ':'); colon >= 0 {
		segment = segment[:1+colon]
	}
	for i := 0; i < len(segment); {
		r, size := utf8.DecodeRune(segment[i:])
		made |= shapeOf(r)
		i += size
	}
	return pos + len(segment), made
}

// shapeOf returns the shape of one character. Marks and the joiner of an emoji have none of their
// own.
func shapeOf(r rune) shape {
	switch {
	case r < utf8.RuneSelf:
		at := ascii[r]
		if at&inWord == 0 && r != '\'' {
			return odd
		}
		return at & inWord
	case unicode.IsLetter(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	case isPictograph(r), isRegional(r):
		return emoji
	case unicode.IsMark(r), r == zeroWidthJoiner:
		return 0
	case unicode.IsNumber(r):
		return letter | odd
	}
	return odd
}
