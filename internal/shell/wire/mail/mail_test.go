package mail

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/testing/alloctest"
	"bayestream/internal/testing/filetest"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// read returns the segments of a mail, which must have a header.
func read(t *testing.T, value []byte) []model.Segment {
	t.Helper()
	segments, _, ok := AppendSegments(nil, WithoutEnvelope(value))
	if !ok {
		t.Fatalf("no mail: %.100q", value)
	}
	return segments
}

// body returns the text of the segment without a mark.
func body(segments []model.Segment) string { return textOf(segments, "") }

// textOf returns the text of the first segment with a mark.
func textOf(segments []model.Segment, mark string) string {
	for _, s := range segments {
		if s.Mark == mark {
			return string(s.Text)
		}
	}
	return ""
}

// TestMail shows what the model sees of each mail in testdata.
func TestMail(t *testing.T) {
	files, err := filepath.Glob("testdata/*.eml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no mails in testdata: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".eml")
		t.Run(name, func(t *testing.T) {
			value := filetest.Read(t, file)
			var out bytes.Buffer
			for _, s := range read(t, value) {
				fmt.Fprintf(&out, "[%s]\n%s\n", s.Mark, s.Text)
			}
			filetest.Golden(t, "testdata/"+name+".txt", out.Bytes(), *update)
		})
	}
}

// TestMailPastTheBounds: what stands before the part that is one too many counts.
func TestMailPastTheBounds(t *testing.T) {
	many := "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst\n" + strings.Repeat("--b\n\nmore\n", maxParts) + "--b\n\nlast\n--b--\n"
	if got := body(read(t, []byte(many))); !strings.HasPrefix(got, "first") || strings.Contains(got, "last") || strings.Count(got, "more") != maxParts-1 {
		t.Errorf("got %d more, last: %t", strings.Count(got, "more"), strings.Contains(got, "last"))
	}
	quoted := "Subject: s\n\n" + strings.Repeat("-- a plain mail has no parts, so lines like this do not count --\n", 2*maxParts) + "last"
	if !strings.HasSuffix(body(read(t, []byte(quoted))), "last") {
		t.Error("a plain mail was cut")
	}
}

func TestHosts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"no links: a.b, c://d.e, http:/f.g", ""},
		{"http://a.example/x https://B.Example:443? FTP://c.example", "a.example b.example c.example"},
		{"http://good.example@evil.example/", "evil.example"},
		{"http://user:pa+ss@h.example:80/", "h.example"},
		{"see www.a.example, WWW.B.example. www.", "www.a.example www.b.example www"},
		{"http://www.a.example and awww.no.example", "www.a.example"},
		{"http://a.example http://a.example/2", "a.example"},
		{"http://ex\u00e4mple.example", "ex\u00e4mple.example"},
		{"http:// http://. http://" + strings.Repeat("a", 300), ""},
		{"xhttp://a.example", "a.example"},
	} {
		var h hosts
		h.addText([]byte(c.text))
		if got := strings.Join(h.lines, " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzAppendSegments checks that any bytes give the same text twice, or none.
func FuzzAppendSegments(f *testing.F) {
	for _, s := range []string{
		"Subject: a\n\nb", "Subject: =?utf-8?b?w6Q=?=\nContent-Type: text/html\n\n<p hidden>x<p>y http://a.example",
		"Content-Type: multipart/alternative; boundary=b\n\n--b\n\nplain\n--b\nContent-Type: text/html\n\n<a href=//x.example>h</a>\n--b--\n",
		"A: b\nContent-Transfer-Encoding: base64\nContent-Type: text/plain; charset=koi8-r\n\n8NLJ18XU\n", "From x\nA: b\nContent-Transfer-Encoding: quoted-printable\n\n=C3=A4=\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var first []model.Segment
		var ok bool
		alloctest.Bound(t, len(value), func() { first, _, ok = AppendSegments(nil, WithoutEnvelope(value)) })
		if second, _, okAgain := AppendSegments(nil, WithoutEnvelope(value)); ok != okAgain || !reflect.DeepEqual(first, second) {
			t.Fatalf("two readings differ: %t, %t\n%v\n%v", ok, okAgain, first, second)
		}
		if !ok && len(first) > 0 {
			t.Fatalf("no mail, but the segments %v", first)
		}
		for _, s := range first {
			if len(s.Text) == 0 || !utf8.Valid(s.Text) {
				t.Fatalf("segment %q is empty or not UTF-8: %q", s.Mark, s.Text)
			}
			if s.Mark == markURL && strings.ContainsAny(string(s.Text), " /@") {
				t.Fatalf("hosts %q", s.Text)
			}
		}
	})
}
