package mail

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

// TestUTF7 reads what a library reads that nobody keeps: a text, a name, and what is not UTF-7.
func TestUTF7(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Hi Mom +Jjo- 1 +- 1 +AD0 2", "Hi Mom ☺ 1 + 1 = 2"},
		{"good +2D3cqQ- end", "good 💩 end"},
		{"left as it is +A", "left as it is +A"},
		{"left as it is ~", "left as it is ~"},
	} {
		for _, charset := range []string{"utf-7", "UTF7", `"charset=utf-7"`} {
			value := fmt.Sprintf("Content-Type: text/plain; charset=%s\n\n%s", charset, c.text)
			if got := body(read(t, []byte(value))); got != c.want {
				t.Errorf("%s %q: got %q, want %q", charset, c.text, got, c.want)
			}
		}
	}
	named := "Content-Type: text/plain; name==?utf-7?q?+AOQ-.txt?=\n\nx"
	for _, s := range read(t, []byte(named)) {
		if s.Mark == markFile && string(s.Text) != "ä.txt" {
			t.Errorf("the file is %q", s.Text)
		}
	}
}

// TestCharsets reads a word of each family under the names that mail has for its set.
func TestCharsets(t *testing.T) {
	for _, c := range []struct{ names, text, want string }{
		{"utf-8 UTF8 utf8mb4 unicode-1-1-utf-8 \"utf-8\" 'utf-8'", "caf\xc3\xa9", "café"},
		{"iso-8859-1 ISO8859-1 iso_8859-1 latin1 l1 windows-1252 cp1252 x-cp1252 win-1252 ansi 8859-1 charset=iso-8859-1", "caf\xe9 \x80", "café €"},
		{"iso-8859-15 latin9 iso8859-15", "caf\xe9 \xa4", "café €"},
		{"iso-8859-2 latin2 csISOLatin2", "\xb3\xf3d\xbc", "łódź"},
		{"windows-1250 cp1250 win1250", "\xb3\xf3d\x9f", "łódź"},
		{"windows-1251 cp1251 CP-1251 win-1251 ansi-1251", "\xef\xf0\xe8\xe2\xe5\xf2", "привет"},
		{"koi8-r KOI8R koi8 cskoi8r", "\xd0\xd2\xc9\xd7\xc5\xd4", "привет"},
		{"koi8-u koi8-ru", "\xd0\xd2\xc9\xd7\xa6\xd4", "привіт"},
		{"iso-8859-5 cyrillic", "\xdf\xe0\xd8\xd2\xd5\xe2", "привет"},
		{"ibm866 cp866 dos-866 866", "\xaf\xe0\xa8\xa2\xa5\xe2", "привет"},
		{"x-mac-cyrillic", "\xef\xf0\xe8\xe2\xe5\xf2", "привет"},
		{"cp850 ibm850 IBM-850 oem850 cp437 ibm437 cp858 cp860", "caf\x82", "café"},
		{"macintosh mac x-mac-roman macroman", "caf\x8e", "café"},
		{"iso-8859-7 greek windows-1253 cp1253", "\xea\xe1\xeb\xfc", "καλό"},
		{"iso-8859-8 iso-8859-8-i windows-1255", "\xf9\xec\xe5\xed", "שלום"},
		{"iso-8859-9 windows-1254 latin5", "\xfe\xf0\xfd", "şğı"},
		{"windows-1256 cp1256", "\xe3\xd1\xcd\xc8\xc7", "مرحبا"},
		{"windows-1257 cp1257", "\xf0\xe0", "šą"},
		{"tis-620 iso-8859-11 windows-874 cp874", "\xa1\xd2\xc3", "การ"},
		{"gb2312 gbk cp936 ms936 windows-936 x-gbk gb18030 GB_2312-80 euc-cn", "\xc3\xe2\xb7\xd1", "免费"},
		{"hz-gb-2312 hz", "~{Cb7Q~}", "免费"},
		{"iso-2022-cn", "\x1b$)A\x0eCb7Q\x0f ok", "免费 ok"},
		{"big5 cp950 x-windows-950 big5-hkscs big5hkscs ms950 csbig5", "\xa7K\xb6O", "免費"},
		{"euc-kr ks_c_5601-1987 ksc5601 cp949 uhc windows-949 ms949 ksc_5601 korean", "\xb9\xab\xb7\xe1", "무료"},
		{"iso-2022-kr csiso2022kr", "\x1b$)C\x0e9+7a\x0f end", "무료 end"},
		{"shift_jis sjis x-sjis shift-jis cp932 windows-31j ms_kanji windows-932", "\x96\xb3\x97\xbf", "無料"},
		{"euc-jp eucjp x-euc-jp ujis cp51932 eucjp-ms", "\xcc\xb5\xce\xc1", "無料"},
		{"iso-2022-jp iso-2022-jp-ms iso-2022-jp-1 iso-2022-jp-3 cp50220 cp50221 csiso2022jp jis", "\x1b$BL5NA\x1b(B", "無料"},
		{"utf-16 utf-16le unicode utf16", "\xff\xfea\x00b\x00", "ab"},
		{"utf-16 utf-16be ucs-2", "\x00a\x00b", "ab"},
		{"utf-32be ucs-4", "\x00\x00\x00a\x00\x00\x00b", "ab"},
		// What the declared set cannot have.
		{"utf-16 utf-32 iso-2022-jp utf-7 utf-8 us-ascii nonsense iso-8859-1", "plain", "plain"},
		{"iso-2022-jp iso-2022-kr utf-7 hz us-ascii nonsense", "caf\xc3\xa9", "café"},
		{"utf-8 us-ascii nonsense utf-7", "caf\xe9", "café"},
		{"utf-8", "half \xc3 a rune", "half \uFFFD a rune"},
		{"utf-8", "\xc3\xa9 caf\xe9", "é caf\uFFFD"},
		{"utf-8", "cut \xc3", "cut \uFFFD"},
	} {
		for _, name := range strings.Fields(c.names) {
			value := fmt.Sprintf("Content-Type: text/plain; charset=%s\n\n%s", name, c.text)
			if got := body(read(t, []byte(value))); got != c.want {
				t.Errorf("%s %q: got %q, want %q", name, c.text, got, c.want)
			}
		}
	}
}

// TestUndeclared reads texts whose set nothing declares.
func TestUndeclared(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain", "plain"},
		{"caf\xc3\xa9", "café"},
		{"\xef\xbb\xbfmarked", "marked"},
		{"caf\xe9 \xe0 la fa\xe7on", "café à la façon"},
		{"Gr\xfc\xdfe", "Grüße"},
		{"\xc3\xe2\xb7\xd1 \xbf\xaa\xb7\xa2\xc6\xb1, \xc7\xeb\xc0\xb4\xb5\xe7", "免费 开发票, 请来电"},
		{strings.Repeat("\xb9\xab\xb7\xe1 \xb4\xe7\xc3\xb7 ", 3), strings.Repeat("무료 당첨 ", 3)},
		{"\xa4\xb3\xa4\xf3\xa4\xcb\xa4\xc1\xa4\xcf\xcc\xb5\xce\xc1", "こんにちは無料"},
		{"\xef\xf0\xe8\xe2\xe5\xf2 \xe4\xee\xf0\xee\xe3\xee\xe9 \xe4\xf0\xf3\xe3", "привет дорогой друг"},
		{"\xd0\xd2\xc9\xd7\xc5\xd4 \xc4\xcf\xd2\xcf\xc7\xcf\xca \xc4\xd2\xd5\xc7", "привет дорогой друг"},
		{"\x1b$BL5NA\x1b(B", "無料"},
	} {
		if got := body(read(t, []byte("A: b\n\n"+c.text))); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzCharset reads text in the character sets that mail names, in a part, a name and a subject.
func FuzzCharset(f *testing.F) {
	for _, charset := range []string{"utf-7", "charset=utf-7", "iso-2022-jp", "gb18030", "hz-gb-2312", "big5", "utf-16", "euc-kr", "koi8-r", "replacement", ""} {
		f.Add(charset, []byte("+2D3cqQ- a\x1b$B$A ~{<:Ky~} \xff\xfe\x81\x30 \\ +"))
	}
	f.Fuzz(func(t *testing.T, charset string, text []byte) {
		value := mailIn(charset, text)
		var first *message
		alloctest.Bound(t, len(value), func() { first = parse(value) })
		if second := parse(value); !reflect.DeepEqual(first, second) {
			t.Fatalf("two readings differ: %v, %v", first, second)
		}
	})
}

// mailIn returns a mail with text in a character set wherever one may be named.
func mailIn(charset string, text []byte) []byte {
	charset = strings.NewReplacer("\r", "", "\n", "").Replace(charset)
	coded := base64.StdEncoding.EncodeToString(text)
	word := fmt.Sprintf("=?%s?b?%s?=", charset, coded)
	var m bytes.Buffer
	fmt.Fprintf(&m, "Subject: %s\nContent-Type: multipart/mixed; boundary=b\n\n", word)
	fmt.Fprintf(&m, "--b\nContent-Type: text/plain; charset=%s\n\n%s\n", charset, text)
	fmt.Fprintf(&m, "--b\nContent-Type: text/html; charset=\"%s\"; name=\"%s\"\nContent-Transfer-Encoding: base64\n", charset, word)
	fmt.Fprintf(&m, "Content-Disposition: inline; filename*0*=%s''x; filename=\"%s\"\n\n%s\n--b--\n", charset, word, coded)
	return m.Bytes()
}
