package mail

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/testing/alloctest"
)

// TestParameters reads fields as senders write them; want is the first word and the parameters in
// order.
func TestParameters(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{`text/html; charset=utf-8`, `text/html charset=utf-8`},
		{`Text/HTML ; Charset = "UTF-8"`, `text/html charset=UTF-8`},
		{`text/html charset=utf-8`, `text/html charset=utf-8`},
		{`text/html, charset=utf-8`, `text/html charset=utf-8`},
		{`text/html: charset=utf-8`, `text/html charset=utf-8`},
		{`text/html;; charset=utf-8;`, `text/html charset=utf-8`},
		{`text/html;charset=utf-8;format=flowed`, `text/html charset=utf-8 format=flowed`},
		{`text/html; charset=utf-8 format=flowed`, `text/html charset=utf-8 format=flowed`},
		{`text/html; charset=utf-8, format=flowed`, `text/html charset=utf-8 format=flowed`},
		{`text/html; charset="utf-8`, `text/html charset=utf-8`},
		{`text/html; charset="utf-8; format=flowed`, `text/html charset=utf-8 format=flowed`},
		{`text/html; charset=a; charset=b`, `text/html charset=a`},
		{`text/html; stray; charset=a`, `text/html charset=a`},
		{`text/html (a comment; x=y); charset=a`, `text/html charset=a`},
		{`(first) text/html; charset=a (last)`, `text/html charset=a`},
		{`"text/html"; charset=a`, `text/html charset=a`},
		{`text/plain; charset = "iso-8859-1" Content-Transfer-Encoding: 8bit`, `text/plain charset=iso-8859-1`},
		{`charset=utf-8`, ` charset=utf-8`},
		{`;;;`, ``},
		{``, ``},
		{`multipart/mixed; boundary="a b;c"`, `multipart/mixed boundary=a b;c`},
		{`multipart/mixed; boundary=----=_Part_1.2`, `multipart/mixed boundary=----=_Part_1.2`},
		{`multipart/alternative boundary="abc"`, `multipart/alternative boundary=abc`},
		{`multipart/mixed; boundary=abc type="text/html"`, `multipart/mixed boundary=abc type=text/html`},
		{`a/b; name="x \"y\".txt"`, `a/b name=x "y".txt`},
		{`a/b; name="C:\dir\x.txt"`, `a/b name=C:\dir\x.txt`},
		{`a/b; name=my file.txt; x=y`, `a/b name=my file.txt x=y`},
		{`attachment; filename*=utf-8'en'caf%C3%A9.txt`, `attachment filename=café.txt`},
		{`attachment; filename*=iso-8859-1''caf%E9.txt`, `attachment filename=café.txt`},
		{`attachment; filename*=caf%C3%A9.txt`, `attachment filename=café.txt`},
		{`attachment; filename*0=one; filename*1=two`, `attachment filename=onetwo`},
		{`attachment; filename*1=two; filename*0=one`, `attachment filename=onetwo`},
		{`attachment; filename*0*=utf-8''caf%C3; filename*1*=%A9; filename*2=.txt`, `attachment filename=café.txt`},
		{`attachment; filename=plain.txt; filename*=utf-8''caf%C3%A9.txt`, `attachment filename=café.txt`},
		{`attachment; filename*=utf-8''100%`, `attachment filename=100%`},
	} {
		if got := shownParameters(c.field); got != c.want {
			t.Errorf("%s: got %q, want %q", c.field, got, c.want)
		}
	}
}

func shownParameters(field string) string {
	first, p := cutParameters([]byte(field))
	var list []string
	for name, value := range p {
		list = append(list, fmt.Sprintf(" %s=%s", name, value))
	}
	slices.Sort(list)
	return first + strings.Join(list, "")
}

// TestFileNames reads the names of files, encoded words in them too.
func TestFileNames(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{`Content-Disposition: attachment; filename="=?utf-8?Q?caf=C3=A9?=.txt"`, "café.txt"},
		{`Content-Disposition: attachment; filename==?utf-8?B?Y2Fmw6k?=`, "café"},
		{`Content-Type: a/b; name=" a   b "`, "a b"},
		{"Content-Type: a/b; name=caf\xe9", "café"},
	} {
		if got := textOf(read(t, []byte(c.field+"\n\nx")), markFile); got != c.want {
			t.Errorf("%s: got %q, want %q", c.field, got, c.want)
		}
	}
}

func FuzzParameters(f *testing.F) {
	for _, s := range []string{`text/html; charset="a`, `a*0*=utf-8''%C3; a*1*=%A9`, `;=;"(`, `a/b x = y, z="\"" (c`, "a*999999999999=b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, field []byte) {
		var p parameters
		alloctest.Bound(t, len(field), func() { _, p = cutParameters(field) })
		for name := range p {
			if text := p.text(name); !utf8.ValidString(text) {
				t.Errorf("%q: %s is %q", field, name, text)
			}
		}
	})
}
