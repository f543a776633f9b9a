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

// FuzzMediaType: a text always names a character set. The parser guesses that of one that names none, with a library that
// nobody keeps.
func FuzzMediaType(f *testing.F) {
	for _, s := range []string{"", "text/plain", "TEXT/HTML; charset=", "text/", "text", "=", "text/plain; charset*0=a; charset*=''", "text/x;charset=\"\"", "multipart/mixed; boundary=b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		kind, params, _, err := parseMediaType(value)
		if err != nil || params == nil {
			t.Fatalf("%q: got the parameters %v and the error %v", value, params, err)
		}
		if strings.HasPrefix(kind, "text/") && params["charset"] == "" {
			t.Fatalf("%q: a text without a character set", value)
		}
	})
}

// FuzzCharset reads text in the character sets that the libraries of the parser decode, in a part, a name and a subject,
// past the guard that hides a panic.
func FuzzCharset(f *testing.F) {
	for _, charset := range []string{"utf-7", "charset=utf-7", "iso-2022-jp", "gb18030", "hz-gb-2312", "big5", "utf-16", "euc-kr", "koi8-r", "replacement", ""} {
		f.Add(charset, []byte("+2D3cqQ- a\x1b$B$A ~{<:Ky~} \xff\xfe\x81\x30 \\ +"))
	}
	f.Fuzz(func(t *testing.T, charset string, text []byte) {
		value := mailIn(charset, text)
		var first *message
		var err error
		alloctest.Bound(t, len(value), func() { first, err = parseStructure(value) })
		second, errAgain := parseStructure(value)
		if (err == nil) != (errAgain == nil) || !reflect.DeepEqual(first, second) {
			t.Fatalf("two readings differ: %v, %v, %v, %v", first, err, second, errAgain)
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
