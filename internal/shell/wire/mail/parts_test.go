package mail

import (
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

// TestParts reads bodies of several parts; want is the text that is shown, in words.
func TestParts(t *testing.T) {
	const alternative = "Content-Type: multipart/alternative; boundary=b\n\n"
	for _, c := range []struct{ name, mail, want string }{
		{"mixed", "Content-Type: multipart/mixed; boundary=b\n\nno\n--b\n\none\n--b\n\ntwo\n--b--\nno", "one two"},
		{"a boundary in quotes with blanks", "Content-Type: multipart/mixed; boundary=\" b c \"\n\n-- b c\n\none\n-- b c--", "one"},
		{"a boundary of one hyphen", "Content-Type: multipart/mixed; boundary=\"-\"\n\n---\n\none\n-----", "one"},
		{"blanks behind a boundary", "Content-Type: multipart/mixed; boundary=b\n\n--b \t\n\none\n--b-- ", "one"},
		{"a boundary that begins another", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--bc\ntwo\n--b--", "one --bc two"},
		{"never closed", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo", "one two"},
		{"an inner one that is not closed", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--", "one two"},
		{"another boundary than declared", "Content-Type: multipart/mixed; boundary=x\n\n--b\n\none\n--b\n\ntwo\n--b--", "one two"},
		{"no boundary declared", "Content-Type: multipart/mixed\n\n--b\n\none\n--b--", "one"},
		{"no boundary anywhere", "Content-Type: multipart/mixed; boundary=x\n\nonly words", "only words"},
		{"no semicolon", "Content-Type: multipart/mixed boundary=b\n\n--b\n\none\n--b--", "one"},
		{"a type without its second half", "Content-Type: multipart; boundary=b\n\n--b\n\none\n--b--", "one"},
		{"CR CR LF", "Content-Type: multipart/mixed; boundary=b\r\r\n\r\r\n--b\r\r\nContent-Type: text/html\r\r\n\r\r\n<p>one\r\r\n--b--", "one"},
		{"a part that begins with its text", "Content-Type: multipart/mixed; boundary=b\n\n--b\none two\n--b--", "one two"},
		{"a multipart that is encoded", "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\nLS1iCgpvbmUKLS1iLS0=", "one"},
		{"a multipart that says so and is not", "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\n--b\n\none\n--b--", "one"},
		{"HTML is the better alternative", alternative + "--b\n\nplain\n--b\nContent-Type: text/html\n\n<p>page\n--b--", "page"},
		{"the last one counts", alternative + "--b\nContent-Type: text/html\n\n<p>page\n--b\n\nplain\n--b--", "plain"},
		{"one that shows nothing does not", alternative + "--b\n\nplain\n--b\nContent-Type: text/html\n\n<p hidden>page\n--b--", "plain"},
		{"a calendar beside", alternative + "--b\n\nplain\n--b\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\n--b--", "plain"},
		{"rtf beside", alternative + "--b\n\nplain\n--b\nContent-Type: text/rtf\n\n{\\rtf1}\n--b--", "plain"},
		{"a card beside", alternative + "--b\n\nplain\n--b\nContent-Type: text/x-vcard\n\nBEGIN:VCARD\n--b--", "plain"},
		{"xml beside", alternative + "--b\n\nplain\n--b\nContent-Type: text/xml\n\n<x>y</x>\n--b--", "plain"},
		{"a page for phones behind the text", alternative + "--b\n\nplain\n--b\nContent-Type: text/x-amp-html\n\n<x>y</x>\n--b--", "plain"},
		{"a calendar alone", alternative + "--b\nContent-Type: text/calendar\n\nSUMMARY:standup\n--b--", "SUMMARY:standup"},
		{"a calendar as the mail", "Content-Type: text/calendar\n\nSUMMARY:standup", "SUMMARY:standup"},
		{"pictures beside the page", alternative + "--b\n\nplain\n--b\nContent-Type: multipart/related; boundary=c\n\n--c\nContent-Type: text/html\n\n<p>page\n--c\nContent-Type: image/png\n\nx\n--c--\n--b--", "page"},
		{"a text as a file", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Disposition: ATTACHMENT\n\nno\n--b--", "one"},
		{"a text that is shown in place", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Disposition: inline; filename=x\n\ntwo\n--b--", "one two"},
		{"an enclosed message", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Type: message/rfc822\n\nSubject: no\n\nno\n--b--", "one"},
		{"html for short", "Content-Type: html\n\n<p>page", "page"},
		{"XHTML", "Content-Type: application/xhtml+xml\n\n<p>page", "page"},
		{"a type of three words", "Content-Type: text/html/plain\n\n<p>page", "page"},
		{"no type", "Content-Type: nonsense\n\nplain <p>", "plain <p>"},
		{"another text", "Content-Type: text/markdown\n\n*plain*", "*plain*"},
		{"the encoding in the line of the type", "Content-Type: text/plain; charset=\"utf-8\" Content-Transfer-Encoding: base64\n\nZnJlZQ==", "free"},
	} {
		got := strings.Join(strings.Fields(body(read(t, []byte(c.mail)))), " ")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestGuessedIsSaid: what is read in another way than it says has a mark.
func TestGuessedIsSaid(t *testing.T) {
	for _, c := range []struct {
		mail string
		said bool
	}{
		{"A: b\n\nplain", false},
		{"A: b\n\ncaf\xc3\xa9", false},
		{"A: b\n\ncaf\xe9", true},
		{"Content-Type: text/plain; charset=utf-8\n\ncaf\xc3\xa9", false},
		{"Content-Type: text/plain; charset=utf-8\n\ncaf\xe9", true},
		{"Content-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9", false},
		{"Content-Type: text/plain; charset=nonsense\n\nplain", false},
		{"Content-Type: text/plain; charset=nonsense\n\ncaf\xe9", true},
		{"Content-Type: multipart/mixed; boundary=x\n\n--b\n\none\n--b--", true},
		{"Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--", false},
		{"Content-Transfer-Encoding: base64\n\nThese are words, and no base64.", true},
	} {
		if got := strings.Contains(textOf(read(t, []byte(c.mail)), markType), "<guessed>"); got != c.said {
			t.Errorf("%q: said is %t, want %t", c.mail, got, c.said)
		}
	}
}

func FuzzParts(f *testing.F) {
	f.Add([]byte("--b\nA: b\n\nx\n--b--"), []byte("b"))
	f.Add([]byte("----\n-----\n"), []byte("-"))
	f.Fuzz(func(t *testing.T, body, boundary []byte) {
		alloctest.Bound(t, len(body)+len(boundary), func() {
			var r parser
			total := 0
			for _, piece := range r.cut(body, boundary) {
				total += len(piece)
			}
			if total > len(body) || r.parts > maxParts {
				t.Errorf("%d bytes in %d parts of a body of %d", total, r.parts, len(body))
			}
			guessBoundary(body)
		})
	})
}

func TestEncodingInside(t *testing.T) {
	for field, want := range map[string]string{
		"text/plain; Content-Transfer-Encoding: base64": " base64",
		"text/plain": "",
		strings.Repeat("x", maxParameterBytes+100): "",
	} {
		if got := encodingInside([]byte(field)); string(got) != want {
			t.Errorf("in %.60q is the encoding %.60q, want %q", field, got, want)
		}
	}
}
