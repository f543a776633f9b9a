package tokenize

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddresses(t *testing.T) {
	type found struct{ text, host string }
	for _, c := range []struct {
		text string
		want []found
	}{
		{"no address", nil},
		{"http://example.com", []found{{"http://example.com", "example.com"}}},
		{"see https://example.com/a/b?c=d#e, then", []found{{"https://example.com/a/b?c=d#e", "example.com"}}},
		{"http://example.com/).", []found{{"http://example.com/", "example.com"}}},
		{"http://example.com...", []found{{"http://example.com", "example.com"}}},
		{"http://example.com:8080/x", []found{{"http://example.com:8080/x", "example.com"}}},
		{"http://example.com: and", []found{{"http://example.com", "example.com"}}},
		{"http://www.example.com", []found{{"http://www.example.com", "example.com"}}},
		{"http://www.com/", []found{{"http://www.com/", "www.com"}}},
		{"http://user:secret@example.com/", []found{{"http://user:secret@example.com/", "example.com"}}},
		{"http://a@b@example.com/", []found{{"http://a@b@example.com/", "example.com"}}},
		{"http://example.com/@user", []found{{"http://example.com/@user", "example.com"}}},
		{"http://[::1]:80/x", []found{{"http://[::1]:80/x", ""}}},
		{"http://[::1", nil},
		{"http://", nil},
		{"http:///path", nil},
		{"http://-x", nil},
		{"xhttp://example.com", nil},
		{"9http://example.com", nil},
		{"gopher://example.com", nil},
		{"ftp://example.com", []found{{"ftp://example.com", "example.com"}}},
		{"<http://example.com/a>b", []found{{"http://example.com/a", "example.com"}}},
		{"http://a.example/http://b.example/", []found{{"http://a.example/http://b.example/", "a.example"}}},
		{"http://http://b.example/", []found{{"http://http", "http"}}},
		{"www.example.com/x", []found{{"www.example.com/x", "example.com"}}},
		{"(www.example.com)", []found{{"www.example.com", "example.com"}}},
		{"www.example", nil},
		{"awww.example.com", nil},
		{"www.-example.com", nil},
		{"bob@example.com", []found{{"bob@example.com", "example.com"}}},
		{"a.b+c_d%e-f@example.co.uk.", []found{{"a.b+c_d%e-f@example.co.uk", "example.co.uk"}}},
		{"...bob@example.com", []found{{"bob@example.com", "example.com"}}},
		{"jürgen@bücher.example", []found{{"jürgen@bücher.example", "bücher.example"}}},
		{"写信bob@example.com写", []found{{"bob@example.com", "example.com"}}},
		{"bob@example", nil},
		{"bob@example.c", nil},
		{"bob@example.12", nil},
		{"@example.com", nil},
		{"bob@.com", nil},
		{strings.Repeat("a", 64) + "@example.com", []found{{strings.Repeat("a", 64) + "@example.com", "example.com"}}},
		{strings.Repeat("a", 65) + "@example.com", nil},
		{"bob@a.example,eve@b.example http://c.example", []found{
			{"bob@a.example", "a.example"}, {"eve@b.example", "b.example"}, {"http://c.example", "c.example"}}},
	} {
		s := newScanner(t, plainOptions())
		s.read([]byte(c.text))
		s.split()
		var got []found
		for _, tok := range s.tokens {
			switch tok.kind {
			case hostWord:
				got[len(got)-1].host = string(s.textOf(tok))
			case urlClass, mailClass:
				got = append(got, found{text: string(s.text[tok.start:tok.end])})
			}
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(found{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}
