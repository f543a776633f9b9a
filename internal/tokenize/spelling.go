package tokenize

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A spelling says which ways to write a word are one word. The zero value folds all of them.
type spelling uint8

// What a spelling keeps apart.
const (
	keepMarks  spelling = 1 << iota // marks that do not compose with their letter
	keepArabic                      // kashida, vowel signs and other marks of Arabic
	keepHebrew                      // points and accents of Hebrew
	keepYo                          // ё from е
)

// spellings are the names of what a spelling can keep apart.
var spellings = []string{"marks", "arabic", "hebrew", "yo"}

// spellingOf returns the spelling that keeps the named things apart.
func spellingOf(names []string) (s spelling, err error) {
	for _, name := range names {
		i := slices.Index(spellings, name)
		if i < 0 {
			return 0, fmt.Errorf("tokenize: keep lists %q: use %s", name, strings.Join(spellings, ", "))
		}
		s |= 1 << i
	}
	return s, nil
}

// respell takes out of composed text, in place, what readers take for the same word:
//
//   - a mark that does not compose with its Latin, Greek or Cyrillic letter: no alphabet has the
//     two as a letter. İ is i and such a mark once its case is folded;
//   - the kashida of Arabic, which stretches a word, and its vowel signs and other marks, which
//     most texts leave out;
//   - the points and accents of Hebrew, likewise;
//   - ё becomes е, as Russian is mostly written. The rules of Snowball expect it.
func (s spelling) respell(text []byte) []byte {
	to := 0
	isLetter := false // the last character that stays is one whose marks may leave
	for from := 0; from < len(text); {
		r, size := utf8.DecodeRune(text[from:])
		isMark := isFreeMark(r)
		switch {
		case isMark && isLetter && s&keepMarks == 0, s.leaves(r):
		case r == 'ё' && s&keepYo == 0:
			to += utf8.EncodeRune(text[to:], 'е')
			isLetter = true
		default:
			to += copy(text[to:], text[from:from+size])
			isLetter = isLetter && isMark || hasFreeMarks(r)
		}
		from += size
	}
	return text[:to]
}

// leaves reports whether a character of Arabic or Hebrew is no part of a spelling.
func (s spelling) leaves(r rune) bool {
	switch {
	case r < 0x591 || r > 0x8FF:
		return false
	case r <= 0x5C7:
		return s&keepHebrew == 0 && unicode.Is(unicode.Mn, r)
	}
	return s&keepArabic == 0 && (r == kashida || unicode.Is(unicode.Mn, r) && isArabicMark(r))
}

// kashida stretches a word of Arabic.
const kashida = '\u0640'

// isArabicMark reports whether a mark is written with Arabic letters: some are of the script, and
// some of several.
func isArabicMark(r rune) bool {
	return 0x610 <= r && r <= 0x61A || 0x64B <= r && r <= 0x65F || r == 0x670 || 0x6D6 <= r && r <= 0x6ED || r >= 0x898
}

// isFreeMark reports whether a character is a mark that can be written on any letter of the scripts
// of hasFreeMarks.
func isFreeMark(r rune) bool {
	return r >= 0x300 && unicode.Is(unicode.M, r) && unicode.In(r, unicode.Inherited, unicode.Cyrillic)
}

// hasFreeMarks reports whether a character is a letter of a script whose alphabets are of composed
// letters.
func hasFreeMarks(r rune) bool {
	return unicode.IsLetter(r) && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}
