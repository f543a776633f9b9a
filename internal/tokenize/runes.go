package tokenize

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthJoiner = '\u200D'
	blackFlag       = '\U0001F3F4'
)

// appendKept appends text with the substitutions that come before and after NFKC and case folding:
//
//   - a byte that is not UTF-8 becomes U+FFFD, which belongs to no word;
//   - characters that show nothing are removed: zero-width, bidi controls, soft hyphens, variation
//     selectors, fillers (Unicode calls them default ignorable). What they split becomes one word
//     again: "v\u200Biagra" is "viagra". A joiner between two emoji stays, and so do the tags of a
//     flag, because they make one emoji of several;
//   - typographic quotes, dashes and hyphens become ASCII ones, so that both ways to write "don't"
//     are one word.
func appendKept(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if r == zeroWidthJoiner && joinsEmoji(dst, text[i:]) || isTag(r) && followsFlag(dst) {
			dst = utf8.AppendRune(dst, r)
		} else if !isIgnorable(r) {
			dst = utf8.AppendRune(dst, plain(r))
		}
	}
	return dst
}

// joinsEmoji reports whether a joiner between the texts makes one emoji of two.
func joinsEmoji(before, after []byte) bool {
	last, size := utf8.DecodeLastRune(before)
	if isSkinTone(last) {
		last, _ = utf8.DecodeLastRune(before[:len(before)-size])
	}
	if !isPictograph(last) {
		return false
	}
	for len(after) > 0 {
		next, size := utf8.DecodeRune(after)
		if next == zeroWidthJoiner || !isIgnorable(next) {
			return isPictograph(next)
		}
		after = after[size:]
	}
	return false
}

func followsFlag(before []byte) bool {
	last, _ := utf8.DecodeLastRune(before)
	return last == blackFlag || isTag(last)
}

// plain returns the ASCII form of typographic punctuation. Cherokee is here because x/text swaps
// its two cases instead of folding one into the other.
func plain(r rune) rune {
	switch {
	case r < 0xA0:
		return r
	case r == 0x2018, r == 0x2019, r == 0x201B, r == 0x02BC:
		return '\''
	case 0x201C <= r && r <= 0x201F, r == 0xAB, r == 0xBB:
		return '"'
	case 0x2010 <= r && r <= 0x2015:
		return '-'
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 8
	}
	return r
}

// isIgnorable reports Unicode's Default_Ignorable_Code_Point (Unicode 17,
// DerivedCoreProperties.txt), which is fixed for code points yet to come.
func isIgnorable(r rune) bool { return r >= 0xAD && unicode.Is(ignorable, r) }

// ignorable are the soft hyphen, the combining grapheme joiner, the Arabic letter mark, fillers of Hangul,
// vowels of Khmer, selectors and the vowel separator of Mongolian, zero-width space, joiners and direction
// marks, embeddings and overrides, the word joiner, invisible operators and isolates, variation selectors,
// the byte order mark, controls of shorthand and of music, and tags.
var ignorable = rangesOf(`
00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF
FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF`)

func isTag(r rune) bool { return 0xE0020 <= r && r <= 0xE007F }

func isSkinTone(r rune) bool { return 0x1F3FB <= r && r <= 0x1F3FF }

func isRegional(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }

func isEmojiPart(r rune) bool { return isPictograph(r) || isRegional(r) || isSkinTone(r) }

// isPictograph reports Unicode's Extended_Pictographic (Unicode 17, emoji-data.txt) without the
// copyright and registered signs, which are symbols of plain text. A test compares the table with
// the one of uax29.
func isPictograph(r rune) bool { return r >= 0x203C && unicode.Is(pictograph, r) }

var pictograph = rangesOf(`
203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB
25B6 25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F
2638-263A 2640 2642 2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699
269B-269C 26A0-26A1 26A7 26AA-26AB 26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CE-26CF 26D1 26D3-26D4
26E9-26EA 26F0-26F5 26F7-26FA 26FD 2702 2705 2708-270D 270F 2712 2714 2716 271D 2721 2728
2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2764 2795-2797 27A1 27B0 27BF 2934-2935
2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F004 1F02C-1F02F 1F094-1F09F 1F0AF-1F0B0 1F0C0
1F0CF-1F0D0 1F0F6-1F0FF 1F170-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AE-1F1E5 1F201-1F20F 1F21A
1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F25F 1F266-1F321 1F324-1F393 1F396-1F397 1F399-1F39B
1F39E-1F3F0 1F3F3-1F3F5 1F3F7-1F3FA 1F400-1F4FD 1F4FF-1F53D 1F549-1F54E 1F550-1F567 1F56F-1F570
1F573-1F57A 1F587 1F58A-1F58D 1F590 1F595-1F596 1F5A4-1F5A5 1F5A8 1F5B1-1F5B2 1F5BC 1F5C2-1F5C4
1F5D1-1F5D3 1F5DC-1F5DE 1F5E1 1F5E3 1F5E8 1F5EF 1F5F3 1F5FA-1F64F 1F680-1F6C5 1F6CB-1F6D2
1F6D5-1F6E5 1F6E9 1F6EB-1F6F0 1F6F3-1F6FF 1F7DA-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F
1F888-1F88F 1F8AE-1F8AF 1F8BC-1F8BF 1F8C2-1F8CF 1F8D9-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1F9FF
1FA58-1FA5F 1FA6E-1FAFF 1FC00-1FFFD`)

// rangesOf returns the table of a list of code points and ranges in hexadecimal digits.
func rangesOf(list string) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for item := range strings.FieldsSeq(list) {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		low, high := hexadecimal(first), hexadecimal(last)
		if high <= math.MaxUint16 {
			t.R16 = append(t.R16, unicode.Range16{Lo: uint16(low), Hi: uint16(high), Stride: 1})
		} else {
			t.R32 = append(t.R32, unicode.Range32{Lo: low, Hi: high, Stride: 1})
		}
	}
	return t
}

func hexadecimal(digits string) uint32 {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic(err) // of the lists above
	}
	return uint32(n)
}
