package mail

import (
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

// A hostile mail is made to be slow: one thing again and again.
type hostile struct{ name, value string }

// hostileMails returns mails of about n bytes.
func hostileMails(n int) []hostile {
	rep := func(s string) string { return strings.Repeat(s, n/len(s)) }
	html := "Subject: a\nContent-Type: text/html\n\n"
	var nested, params, rules, attrs, fmts strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&nested, "--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n", i, i+1)
		fmt.Fprintf(&params, "; a*%d=b", i)
		fmt.Fprintf(&rules, ".a%d{display:none}", i)
		fmt.Fprintf(&attrs, " a%d=b", i)
		fmt.Fprintf(&fmts, "<font color=%d>", i)
	}
	return []hostile{
		{"plain", "Subject: a\n\n" + rep("some plain words and more of them ")},
		{"html plain", html + rep("<p>some <b>plain</b> words and more of them ")},
		{"parts", "Content-Type: multipart/mixed; boundary=b\n\n" + rep("--b\n\n")},
		{"nested", ("Content-Type: multipart/mixed; boundary=b0\n\n" + nested.String())},
		{"dash", "Content-Type: multipart/mixed; boundary=\"" + strings.Repeat("-", 60) + "\"\n\n" + rep("-")},
		{"params", "Content-Type: text/plain" + params.String() + "\n\nx"},
		{"eq", "Content-Type: text/plain; " + rep("a= ") + "\n\nx"},
		{"quote", "Content-Type: text/plain; " + rep("a=\"b ") + "\n\nx"},
		{"parens", "Content-Type: text/plain; " + rep("(") + "\n\nx"},
		{"words", "Subject: " + rep("=?utf-8?q?a?= ") + "\n\nx"},
		{"words open", "Subject: " + rep("=?utf-8?q?a") + "\n\nx"},
		{"words b", "Subject: " + rep("=?a?b?") + " ?=\n\nx"},
		{"fields", rep("a:\n") + "\n\nx"},
		{"fold", "Subject: x\n" + rep(" \ty\n") + "\n\nx"},
		{"garbage header", "Subject: x\n" + rep("garb\n") + "\n\nx"},
		{"base64", "Content-Transfer-Encoding: base64\n\n" + rep("!")},
		{"base64 eq", "Content-Transfer-Encoding: base64\n\n" + rep("A===")},
		{"qp", "Content-Transfer-Encoding: quoted-printable\n\n" + rep("= ")},
		{"qp2", "Content-Transfer-Encoding: quoted-printable\n\n" + rep("=\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t")},
		{"qp3", "Content-Transfer-Encoding: quoted-printable\n\n=" + rep(" ") + "x"},
		{"utf7", "Content-Type: text/plain; charset=utf-7\n\n" + rep("+A")},
		{"utf7b", "Content-Type: text/plain; charset=utf-7\n\n" + rep("+AOk-")},
		{"big5", "Content-Type: text/plain; charset=big5\n\n" + rep("\xa7K")},
		{"latin", "Content-Type: text/plain\n\n" + rep("\xe9")},
		{"colons", "A: b\n\n" + rep("http://")},
		{"www", "A: b\n\n" + rep("www.")},
		{"urls", "A: b\n\n" + rep("http://a%61@")},
		{"b", html + rep("<b>")},
		{"bp", html + strings.Repeat("<b>", 500) + rep("</p>x<p>")},
		{"fonts p", html + fmts.String()[:1000] + rep("<p>x")},
		{"fonts /p", html + fmts.String()[:1000] + rep("x</p>")},
		{"b/b", html + rep("<b><p></b>")},
		{"deep end", html + strings.Repeat("<div>", 520) + rep("</x>")},
		{"deep p", html + strings.Repeat("<b>", 520) + rep("<p></p>")},
		{"deep b", html + strings.Repeat("<div>", 520) + rep("<b>x</b>")},
		{"adopt", html + strings.Repeat("<div>", 500) + rep("<b><p></b>x</p>")},
		{"adopt deep", html + rep("<b>"+strings.Repeat("<div>", 400)+"</b>")},
		{"a", html + rep("<a href=x><p>")},
		{"tables", html + rep("<table><a>")},
		{"td", html + rep("<table><td>")},
		{"div", html + rep("<div>")},
		{"bodies", html + strings.Repeat("<b>", 500) + rep("<body>")},
		{"body styles", html + strings.Repeat("<b>", 500) + rep("<body style=opacity:0>")},
		{"ends", html + strings.Repeat("<span>", 500) + rep("</p></h1></y>")},
		{"fields in it", html + strings.Repeat("<span>", 500) + rep("<input><form>")},
		{"selects", html + rep("<select><option>")},
		{"attrs", html + "<p " + attrs.String() + ">"},
		{"attr a", html + "<p" + rep(" a") + ">"},
		{"classes", html + "<style>.a{display:none}</style><p class='" + rep("a ") + "'>"},
		{"style ;", html + "<p style='" + rep(";:") + "'>"},
		{"style (", html + "<p style='" + rep("a:(") + "'>"},
		{"style esc", html + "<p style='" + rep("\\") + "'>"},
		{"styles", html + rep("<style>")},
		{"styles2", html + rep("<style></style>")},
		{"style attrs", html + rep("<p style='display:none'>")},
		{"rules", html + "<style>" + rules.String() + "</style>" + "<p class=a1>x"},
		{"rule list", html + "<style>" + rep("a,") + "{display:none}</style>"},
		{"rule {", html + "<style>" + rep("a{") + "</style>"},
		{"rule ;", html + "<style>" + rep("a;") + "</style>"},
		{"comments", html + "<style>" + rep("/*") + "</style>"},
		{"<", html + rep("<")},
		{"<!", html + rep("<!--")},
		{"&", html + rep("&a")},
		{"svg", html + rep("<svg><p>")},
		{"svg2", html + rep("<svg>")},
		{"links", html + rep("<a href='http://a.example'>")},
		{"idn", html + rep("<a href='http://\u00e4.example'>")},
		{"hidden", html + "<p hidden>" + rep("word ")},
		{"hidden2", html + rep("<p hidden>word</p>")},
		{"guess", "Content-Type: multipart/mixed\n\n" + rep("--a\n")},
		{"guess2", "Content-Type: multipart/mixed\n\n" + strings.Repeat("--abc\n", 4) + rep("-")},
		{"cr", rep("\r")},
		{"cr2", "A: b\r" + rep("\r")},
	}
}

// TestHostile: what is made to be slow takes work and memory that grow with its size. Each takes
// some milliseconds; what grows faster than the mail takes minutes.
func TestHostile(t *testing.T) {
	for _, c := range hostileMails(1 << 18) {
		value := []byte(c.value)
		t.Run(c.name, func(t *testing.T) {
			alloctest.Bound(t, len(value), func() { AppendSegments(nil, WithoutEnvelope(value)) })
		})
	}
}

// TestHostileAllocations: what is repeated without end costs few allocations by itself, also where
// nothing is kept of it.
func TestHostileAllocations(t *testing.T) {
	few := map[string]int{"fields": 50, "colons": 40_000, "b": 100, "tables": 100, "rule list": 100}
	for _, c := range hostileMails(1 << 18) {
		limit, ok := few[c.name]
		if !ok {
			continue
		}
		value := []byte(c.value)
		if n := int(testing.AllocsPerRun(2, func() { AppendSegments(nil, value) })); n > limit {
			t.Errorf("%s: %d allocations, want at most %d", c.name, n, limit)
		}
	}
}

// BenchmarkHostile reads mails of 1 MiB.
func BenchmarkHostile(b *testing.B) {
	for _, c := range hostileMails(1 << 20) {
		value := []byte(c.value)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				AppendSegments(nil, WithoutEnvelope(value))
			}
		})
	}
}
