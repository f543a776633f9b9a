package mail

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// A charset is a character set that a mail can name.
type charset struct {
	decode func([]byte) []byte
	may    func([]byte) bool // reports whether a text can be of the set; nil: any can
}

// isASCII says no more than no declaration does: what is beyond it is of another set.
var (
	isASCII = &charset{}
	isUTF8  = &charset{decode: replaceInvalid, may: mayBeUTF8}
)

// special are the sets that the tables of x/text do not have, or have in another way than mail
// means them, by the letters and digits of their names.
var special = map[string]*charset{
	"utf8": isUTF8, "utf8mb4": isUTF8, "unicode11utf8": isUTF8,
	"ascii": isASCII, "usascii": isASCII, "ansix341968": isASCII, "iso646us": isASCII, "us": isASCII, "7bit": isASCII,
	"8bit":      isASCII,
	"utf7":      {decode: decodeUTF7, may: isASCIIText},
	"iso2022kr": {decode: decodeKorean, may: isASCIIText},
	"iso2022cn": {decode: decodeChinese, may: isASCIIText},
	"iso2022jp": {decode: decoderOf(japanese.ISO2022JP), may: isASCIIText},
	"hzgb2312":  {decode: decoderOf(simplifiedchinese.HZGB2312), may: isASCIIText},
	"utf16":     {decode: decodeUTF16, may: isWide},
	"utf16be":   {decode: decoderOf(unicode.UTF16(unicode.BigEndian, unicode.UseBOM)), may: isWide},
	"utf16le":   {decode: decoderOf(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)), may: isWide},
	"utf32":     {decode: decoderOf(utf32.UTF32(utf32.BigEndian, utf32.UseBOM)), may: isWide},
	"utf32be":   {decode: decoderOf(utf32.UTF32(utf32.BigEndian, utf32.UseBOM)), may: isWide},
	"utf32le":   {decode: decoderOf(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)), may: isWide},
}

// dosPages are the code pages of DOS, which IANA lists as those of IBM.
var dosPages = []string{"437", "850", "852", "855", "858", "860", "862", "863", "865", "866"}

// aliases are names of sets that the Encoding Standard and IANA do not list for them, by their
// letters and digits.
var aliases = map[string]string{
	"cp949": "euc-kr", "uhc": "euc-kr", "ms949": "euc-kr", "ksc5601": "euc-kr", "ksc56011992": "euc-kr",
	"cp950": "big5", "ms950": "big5", "windows950": "big5", "big5eten": "big5", "big5hkscs2004": "big5",
	"big5hkscs": "big5", "cp951": "big5",
	"cp936": "gbk", "ms936": "gbk", "windows936": "gbk", "euccn": "gbk", "gb231280": "gbk", "cp54936": "gb18030",
	"cp932": "shift_jis", "windows932": "shift_jis", "mskanji": "shift_jis", "sjiswin": "shift_jis",
	"cp51932": "euc-jp", "eucjpms": "euc-jp", "ujis": "euc-jp", "eucjpwin": "euc-jp",
	"iso2022jpms": "iso-2022-jp", "iso2022jp1": "iso-2022-jp", "iso2022jp2": "iso-2022-jp", "iso2022jp3": "iso-2022-jp",
	"iso2022jp2004": "iso-2022-jp", "cp50220": "iso-2022-jp", "cp50221": "iso-2022-jp", "cp50222": "iso-2022-jp",
	"jis": "iso-2022-jp",
	"hz":  "hz-gb-2312", "hzgb": "hz-gb-2312", "iso2022cnext": "iso-2022-cn", "utf16bigendian": "utf-16be",
	"unicode": "utf-16le", "ucs2": "utf-16be", "iso10646ucs2": "utf-16be", "ucs4": "utf-32be", "iso10646ucs4": "utf-32be",
	"latin1": "windows-1252", "latin9": "iso-8859-15", "latin0": "iso-8859-15", "ansi": "windows-1252",
	"western": "windows-1252",
	"win1250": "windows-1250", "win1251": "windows-1251", "win1252": "windows-1252", "ansi1251": "windows-1251",
	"koi8": "koi8-r", "koi8ru": "koi8-u", "dos866": "cp866", "macroman": "macintosh", "maccyrillic": "x-mac-cyrillic",
	"tis620": "windows-874", "iso885911": "windows-874", "thai": "windows-874", "cp874": "windows-874",
	"hebrew": "windows-1255", "arabic": "windows-1256", "greek": "windows-1253", "turkish": "windows-1254",
}

// charsetNamed returns the character set of a name, nil if nobody knows it.
func charsetNamed(name string) *charset {
	name = strings.ToLower(strings.Trim(name[:min(len(name), maxCharsetBytes)], " \t\r\n\"'"))
	key := lettersAndDigits(name)
	if found := knownCharset(key); found != nil {
		return found
	}
	if found := libraryCharset(name); found != nil {
		return found
	}
	for _, prefix := range [...]string{"charset", "x", "cs"} {
		if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
			return charsetNamed(rest)
		}
	}
	return libraryCharset(spelled(key))
}

// knownCharset returns the set of the tables here.
func knownCharset(key string) *charset {
	for _, family := range [...]string{"cp", "ibm", "oem", "dos", "windows", "win", "ms"} {
		if page, ok := strings.CutPrefix(key, family); ok && slices.Contains(dosPages, page) {
			return libraryCharset(strings.Replace("ibm"+page, "858", "00858", 1))
		}
	}
	if name, ok := aliases[key]; ok {
		if found := special[lettersAndDigits(name)]; found != nil {
			return found
		}
		return libraryCharset(name)
	}
	return special[key]
}

// spelled returns a name as it is registered: iso88591 is iso-8859-1, cp1251 is windows-1251.
func spelled(key string) string {
	for _, family := range [...][2]string{{"iso8859", "iso-8859-"}, {"8859", "iso-8859-"}, {"windows", "windows-"},
		{"win", "windows-"},
		{"cp", "windows-"}, {"ms", "windows-"}, {"ibm", "windows-"}, {"koi8", "koi8-"}, {"euc", "euc-"}, {"latin", "latin"}} {
		if rest, ok := strings.CutPrefix(key, family[0]); ok {
			return family[1] + rest
		}
	}
	return key
}

// libraryCharset looks a name up in the Encoding Standard, then in the list of IANA.
func libraryCharset(name string) *charset {
	set, err := htmlindex.Get(name)
	if err != nil || set == encoding.Replacement {
		set, err = ianaindex.IANA.Encoding(name)
	}
	if err != nil || set == nil {
		return nil
	}
	return &charset{decode: decoderOf(set)}
}

// lettersAndDigits returns what tells the names of sets apart, in lower case.
func lettersAndDigits(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r | 0x20
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

func decoderOf(set encoding.Encoding) func([]byte) []byte {
	return func(text []byte) []byte { return convert(set, text) }
}

// convert decodes a text; what makes no sense becomes U+FFFD.
func convert(set encoding.Encoding, text []byte) []byte {
	out, err := set.NewDecoder().Bytes(text)
	if err != nil {
		out = text
	}
	return replaceInvalid(out)
}

func replaceInvalid(text []byte) []byte { return bytes.ToValidUTF8(text, []byte("\uFFFD")) }

// decodeUTF16 decodes UTF-16 without a declared order: a mark tells it, else the half of most
// characters that is zero.
func decodeUTF16(text []byte) []byte {
	zeros := [2]int{}
	for i, c := range text {
		if c == 0 {
			zeros[i&1]++
		}
	}
	order := unicode.BigEndian
	if zeros[1] > zeros[0] {
		order = unicode.LittleEndian
	}
	return convert(unicode.UTF16(order, unicode.UseBOM), text)
}

// toUTF8 converts a text of a character set, "": of one that is not declared. asDeclared is false
// where the set had to be guessed, since it is missing, not known, or cannot have these bytes.
func toUTF8(text []byte, name string) (converted []byte, asDeclared bool) {
	if name == "" {
		return guess(text)
	}
	set := charsetNamed(name)
	switch {
	case set == isASCII:
		return guess(text)
	case set == nil || set.may != nil && !set.may(text):
		converted, _ = guess(text)
		return converted, isASCIIText(text)
	}
	return withoutMark(set.decode(text)), true
}

func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\uFEFF")) }

func isASCIIText(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// isWide reports whether a text may have characters of two bytes or four: a mark says so, or zeros,
// or what is no UTF-8.
func isWide(text []byte) bool {
	mark := bytes.HasPrefix(text, []byte("\xFF\xFE")) || bytes.HasPrefix(text, []byte("\xFE\xFF"))
	return mark || bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text)
}

// mayBeUTF8 reports whether a text was meant as UTF-8: some characters are, or no wrong byte is in
// a word, as a letter of another set is.
func mayBeUTF8(text []byte) bool {
	letters := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case size > 1:
			return true
		case r == utf8.RuneError && (i > 0 && isLetter(text[i-1]) || i+1 < len(text) && isLetter(text[i+1])):
			letters++
		}
		i += size
	}
	return letters == 0
}

// isLetter reports a letter of ASCII or of a set of eight bits.
func isLetter(c byte) bool { return c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z' }
