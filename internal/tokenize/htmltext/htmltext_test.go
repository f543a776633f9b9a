package htmltext_test

import (
	"bytes"
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
	"bayestream/internal/tokenize/htmltext"

	"golang.org/x/net/html/atom"
)

// where shows where links lead in brackets.
func where(dst []byte, _ atom.Atom, key string, value []byte) []byte {
	return append(append(append(append(dst, '['), key...), ' '), append(value, ']')...)
}

// shown returns the lines of the visible text.
func shown(document string) string {
	text, _ := htmltext.Append(nil, nil, []byte(document), where)
	return strings.TrimSuffix(string(text), "\n")
}

func TestAppend(t *testing.T) {
	for _, c := range []struct{ html, want string }{
		{"", ""},
		{"v<b>i</b>ag<!-- x -->ra", "viagra"},
		{"<p>a<p>b", "a\nb"},
		{"<table><td>a<td>b</table>c", "a\nb\nc"},
		{"<title>a</title><script>b</script><style>c</style>d", "a\nd"},
		{"<noscript>a</noscript><iframe>b</iframe>", "a"},
		{"<a href=x>a</a><img src=y alt='b c'>", "[href x]a b c [src y]"},
		{"&lt;b&gt; &amp; c", "<b> & c"},
		// An element that hides is as long as in a browser: the second paragraph ends the first.
		{"<p hidden>a<p>b", "b"},
		{"<div style='DISPLAY : none !important'>a<div>b</div>c</div>d", "d"},
		{"<i style='visibility:hidden'>a<p>b", ""},
		{"<span style='font-size: 0.0em'>a</span>b", "b"},
		{"<span style='font-size: 1em; color: red'>a</span>b", "ab"},
		{"a<select><option>b</select>c<template>d</template>e<svg><defs>x</defs><text>f</text></svg>g", "a\nb\ncefg"},
		{"<b><a hidden href=x>a</a></b>b", "b"},
		{strings.Repeat("<div>", 600) + "<i hidden>deep</i>out", "out"},
	} {
		if got := shown(c.html); got != c.want {
			t.Errorf("%.60q shows %q, want %q", c.html, got, c.want)
		}
	}
	got, _ := htmltext.Append([]byte("before "), nil, []byte("<p hidden>x</p>a<p>b"), where)
	if string(got) != "before a\nb" {
		t.Errorf("behind another text: %q", got)
	}
}

// TestLinksOfHidden: links of hidden elements are told, and show nothing.
func TestLinksOfHidden(t *testing.T) {
	var keys []string
	note := func(dst []byte, tag atom.Atom, key string, value []byte) []byte {
		keys = append(keys, tag.String()+" "+key+" "+string(value))
		return where(dst, tag, key, value)
	}
	got, hidden := htmltext.Append(nil, nil, []byte("<a hidden href=x>a</a><form action=y>b</form>"), note)
	if string(got) != "[action y]b\n" || string(hidden) != "a " {
		t.Errorf("shows %q and hides %q", got, hidden)
	}
	if got := strings.Join(keys, ", "); !strings.HasSuffix(got, "a href x, form action y") {
		t.Errorf("links: %s", got)
	}
}

// Tags cost no memory, whatever their names; what an attribute has in it is copied.
func TestTagsCostNoMemory(t *testing.T) {
	page := func(n int) []byte { return bytes.Repeat([]byte("<b><TABLE><tr></b>x<td></x-y><br>"), n) }
	few, many := page(100), page(10_000)
	out := make([]byte, 0, len(many))
	read := func(page []byte) float64 {
		return testing.AllocsPerRun(5, func() { htmltext.Append(out, nil, page, where) })
	}
	if few, many := read(few), read(many); many > few+10 {
		t.Errorf("a page takes %.0f allocations, and one with a hundred times the tags %.0f", few, many)
	}
}

// Style sheets are looked for up to the last one, and a bounded number of selectors is read.
func TestSheetsAreBounded(t *testing.T) {
	for _, c := range []struct{ what, page, want string }{
		{"two sheets", "<style>a{}</style><STYLE>p{display:none}</STYLE><p>h</p>s", "s"},
		{"a sheet without end", "<p>h</p>s<style>p{display:none}", "s"},
		{"many selectors", "<style>" + strings.Repeat("i,", 19_999) + "p,b{display:none}</style><p>h</p><b>s</b>", "s"},
	} {
		text, _ := htmltext.Append(nil, nil, []byte(c.page), where)
		if got := strings.TrimSpace(string(text)); got != c.want {
			t.Errorf("%s: shows %q, want %q", c.what, got, c.want)
		}
	}
}

// FuzzAppend checks that any bytes show the same text twice, in bounded memory, and behind any
// other text, and that little counts of what is hidden.
func FuzzAppend(f *testing.F) {
	for _, s := range []string{
		"<p>a<p>b", "v<b>i</b>ag<!-- x -->ra", "<p hidden>a<div>b</div>", "<a href=//x>y</a><img alt=z>", "<script>a", "<table><a>b<td>c",
		"<noscript><b>a</noscript>", "<textarea><p hidden></textarea>", "<svg><title>a</title></svg>b", "&#0;&amp;&x",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var first []byte
		var hidden []byte
		alloctest.Bound(t, len(document), func() { first, hidden = htmltext.Append(nil, nil, document, where) })
		again, hiddenAgain := htmltext.Append([]byte("x"), nil, document, where)
		if !bytes.Equal(again, append([]byte("x"), first...)) || !bytes.Equal(hidden, hiddenAgain) {
			t.Errorf("%q shows %q, and behind another text %q", document, first, again)
		}
		if len(hidden) > 256 {
			t.Errorf("%q: %d bytes of hidden text count", document, len(hidden))
		}
	})
}
