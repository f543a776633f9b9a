package mail

import (
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

// TestHeader reads headers as senders write them. want is the subject, then the body.
func TestHeader(t *testing.T) {
	for _, c := range []struct{ name, mail, want string }{
		{"plain", "Subject: a\n\nb", "a|b"},
		{"CR LF", "Subject: a\r\n\r\nb", "a|b"},
		{"CR CR LF, converted twice", "Subject: a\r\r\nFrom: x\r\r\n\r\r\nb", "a|b"},
		{"CR alone", "From: x\rSubject: a\r\rb\rc", "a|b\nc"},
		{"CR alone with other ends in the body", "From: x\rSubject: a\r\rb\r\nc", "a|b\nc"},
		{"a blank in the separating line", "Subject: a\n \nb", "a|b"},
		{"tabs in the separating line", "Subject: a\n\t\t\nb", "a|b"},
		{"a line of blanks among the fields", "From: x\n \nSubject: a\n\nb", "a|b"},
		{"folded", "Subject: a\n b\n\tc\n\nd", "a b c|d"},
		{"folded behind the colon", "Subject:\n a\n\nb", "a|b"},
		{"no blank behind the colon", "Subject:a\n\nb", "a|b"},
		{"a blank before the colon", "Subject : a\n\nb", "a|b"},
		{"capitals", "SUBJECT: a\n\nb", "a|b"},
		{"twice: the first", "Subject: a\nSubject: c\n\nb", "a|b"},
		{"empty", "Subject:\n\nb", "|b"},
		{"no body", "Subject: a", "a|"},
		{"the empty line is missing", "From: x\nSubject: a\nHello there,\nwe write again.", "a|Hello there,\nwe write again."},
		{"and the text has a link", "Subject: a\nLook here:\nhttp://b.example/\nnow", "a|Look here:\nhttp://b.example/\nnow"},
		{"and the text has a style", "Subject: a\nwords\ncolor:red\nand more", "a|words\ncolor:red\nand more"},
		{"a boundary behind it", "Subject: a\nwords\n--b\nX: y", "a|words\n--b\nX: y"},
		{"a line that is none among the fields", "Subject: a\n???\nFrom: x\n\nb", "a ???|b"},
		{"the name of another field before", "X-Subject: c\nSubject: a\n\nb", "a|b"},
		{"envelope", "From x Thu Aug 1 21:37:35 2002\nSubject: a\n\nb", "a|b"},
		{"quoted envelope", ">From x Thu Aug 1 21:37:35 2002\nSubject: a\n\nb", "a|b"},
		{"empty lines before", "\n\r\nSubject: a\n\nb", "a|b"},
	} {
		if got := subjectAndBody(t, c.mail); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func subjectAndBody(t *testing.T, mail string) string {
	t.Helper()
	segments := read(t, []byte(mail))
	return textOf(segments, markSubject) + "|" + textOf(segments, "")
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte("Subject: a\n b\n???\nFrom : x\r\r\n \nc: d\n\nbody"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h header
		var body []byte
		alloctest.Bound(t, len(text), func() { h, body, _, _ = readHeader(withLineFeeds(text)) })
		if len(body) > len(text) {
			t.Errorf("a body of %d bytes from %d", len(body), len(text))
		}
		for name, value := range h {
			if !isRead(name) || strings.Contains(string(value), "\n") {
				t.Errorf("the field %q is %q", name, value)
			}
		}
	})
}
