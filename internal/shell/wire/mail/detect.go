package mail

import (
	"bytes"
	"unicode/utf8"

	htmlcharset "golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// guess converts a text of which nothing is declared, or nothing that can be. sure is false where
// its bytes alone said which set it has. The rules are fixed: a document must read the same when it
// is forgotten as when it was learned.
func guess(text []byte) (converted []byte, sure bool) {
	if utf8.Valid(text) {
		if bytes.Contains(text, []byte("\x1B$")) && isASCIIText(text) {
			return convert(japanese.ISO2022JP, text), false
		}
		return withoutMark(text), true
	}
	if set, name, certain := htmlcharset.DetermineEncoding(text, ""); certain || name != "windows-1252" {
		return withoutMark(convert(set, text)), true // a byte order mark or a meta tag
	}
	return convert(likeliest(text), text), false
}

// A census counts what tells the families of 8-bit sets apart.
type census struct {
	high    int // bytes beyond ASCII
	runs    int // of them that stand together
	odd     int // runs of an odd length
	low     int // bytes of the lower half of the letters, C0 to DF
	kana    int // pairs that are kana of EUC-JP
	hangul  int // pairs that are Hangul of EUC-KR
	pairs   int
	invalid int // bytes that no set of two bytes has
}

// take counts a run of bytes beyond ASCII.
func (c *census) take(run []byte) {
	c.runs++
	c.high += len(run)
	c.odd += len(run) & 1
	for i, b := range run {
		if b < 0xA1 || b == 0xFF {
			c.invalid++
		}
		if 0xC0 <= b && b < 0xE0 {
			c.low++
		}
		if i&1 == 0 && i+1 < len(run) {
			c.pairs++
			switch {
			case b == 0xA4 || b == 0xA5:
				c.kana++
			case 0xB0 <= b && b <= 0xC8:
				c.hangul++
			}
		}
	}
}

// likeliest returns the set of a text by the runs of its bytes beyond ASCII. Words of Chinese,
// Japanese and Korean are runs of pairs, words of Cyrillic long runs of any length, and letters of
// Western Europe stand alone.
func likeliest(text []byte) encoding.Encoding {
	var c census
	for i := 0; i < len(text); {
		begin := i
		for i < len(text) && text[i] >= utf8.RuneSelf {
			i++
		}
		if i > begin {
			c.take(text[begin:i])
			continue
		}
		i++
	}
	switch {
	case c.high < 4*c.runs && c.high < 8 || c.high < 2*c.runs:
		return charmap.Windows1252
	case c.odd*20 <= c.runs && c.invalid == 0:
		return c.pairSet()
	case c.high < 3*c.runs:
		return charmap.Windows1252
	case c.low*2 > c.high:
		return charmap.KOI8R
	}
	return charmap.Windows1251
}

// pairSet returns the set of a text of pairs.
func (c *census) pairSet() encoding.Encoding {
	switch {
	case c.kana*4 > c.pairs:
		return japanese.EUCJP
	case c.pairs >= 12 && c.hangul*20 > c.pairs*19: // the first half of Chinese looks the same
		return korean.EUCKR
	}
	return simplifiedchinese.GBK
}
