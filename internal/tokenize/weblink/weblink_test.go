package weblink

import (
	"strings"
	"testing"
	"unicode/utf8"

	"bayestream/internal/testing/alloctest"
)

func TestHost(t *testing.T) {
	for _, c := range []struct{ link, want string }{
		{"http://a.example/x", "a.example"},
		{"HTTPS://A.Example:443?q#f", "a.example"},
		{"ftp://a.example", "a.example"},
		{"wss://a.example", "a.example"},
		{"//a.example", "a.example"},
		{"///a.example", "a.example"},
		{`\\a.example`, "a.example"},
		{`/\a.example`, "a.example"},
		{"http:////a.example", "a.example"},
		{`http:\\a.example\x`, "a.example"},
		{"http:/a.example", "a.example"},
		{"http:a.example", "a.example"},
		{" \t\nhttp://a.example ", "a.example"},
		{"\x01\x1fhttp://a.example", "a.example"},
		{"ht\ntp:/\t/a.exa\r\nmple", "a.example"},
		{"http://user@a.example", "a.example"},
		{"http://user:pass@a.example:80/", "a.example"},
		{"http://good.example@evil.example/", "evil.example"},
		{"http://good.example@x@evil.example", "evil.example"},
		{"http://good.example\\@evil.example", "good.example"},
		{"http://good.example?@evil.example", "good.example"},
		{"http://good.example#@evil.example", "good.example"},
		{"http://ex%61mple.test", "example.test"},
		{"http://a%2eexample", "a.example"},
		{"http://a.example./", "a.example"},
		{"http://a_b.example", "a_b.example"},
		{"http://3232235777/", "192.168.1.1"},
		{"http://0xC0A80101", "192.168.1.1"},
		{"http://0300.0250.1.1", "192.168.1.1"},
		{"http://192.168.257", "192.168.1.1"},
		{"http://192.168.1.1:80", "192.168.1.1"},
		{"http://0x7f.1", "127.0.0.1"},
		{"http://1.2.3.4.5", "1.2.3.4.5"},
		{"http://256.1.1.1", "256.1.1.1"},
		{"http://[2001:DB8::0001]:80/", "2001:db8::0001"},
		{"http://[nonsense]/", ""},
		{"http://exämple.test", "exämple.test"},
		{"http://EXÄMPLE.test", "exämple.test"},
		{"http://xn--exmple-cua.test", "exämple.test"},
		{"http://ｅｖｉｌ．example", "evil.example"},
		{"http://evil。example", "evil.example"},
		{"http://ev\u00adil.example", "evil.example"},
		{"http://a.example evil words", "a.example"},
		{"http://a.example<b", "a.example"},
		{"http://", ""},
		{"http://.", ""},
		{"http://@", ""},
		{"http://" + strings.Repeat("a", 300), ""},
		{"//a5\u037a5jw", "a5"},
		{"http://a.\u2100.example", "a.a"},
		{"", ""},
		{"/", ""},
		{"/x", ""},
		{"#x", ""},
		{"x.html", ""},
		{"javascript://comment", ""},
		{"mailto:a@b.example", ""},
		{"data:text/html,//a.example", ""},
		{"httpx://a.example", ""},
		{"1http://a.example", ""},
	} {
		if got, ok := Host([]byte(c.link)); got != c.want || ok != (c.want != "") {
			t.Errorf("%q leads to %q, %t, want %q", c.link, got, ok, c.want)
		}
	}
}

// FuzzHost: a host is one spelling, which leads to itself.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"http://a.example", `\\a@b.example\c`, "http://0x7f.1", "http:%65xample.test:80", "//[::1]", "http://xn--exmple-cua.test", "//5\u037a5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, link []byte) {
		var host string
		alloctest.Bound(t, len(link), func() { host, _ = Host(link) })
		if !utf8.ValidString(host) || strings.ContainsAny(host, " /@\n") || len(host) > maxHostBytes {
			t.Errorf("%q leads to %q", link, host)
		}
	})
}
