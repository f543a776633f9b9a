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
	return strings.TrimSuffix(string(htmltext.Append(nil, []byte(document), where)), "\n")
}

func TestAppend(t *testing.T) {
	for _, c := range []struct{ html, want string }{
		{"", ""},
		{"v<b>i</b>ag<!-- x -->ra", "viagra"},
		{"<p>a<p>b", "a\nb"},
		{"a<td>b<td>c", "a\nb\nc"},
		{"<title>a</title><script>b</script><style>c</style>d", "a\nd"},
		{"<noscript>a</noscript><iframe>b</iframe>", "a"},
		{"<a href=x>a</a><img src=y alt='b c'>", "[href x]a[src y] b c "},
		{"&lt;b&gt; &amp; c", "<b> & c"},
		// An element that hides is as long as in a browser: the second paragraph ends the first.
		{"<p hidden>a<p>b", "b"},
		{"<div style='DISPLAY : none !important'>a<div>b</div>c</div>d", "d"},
		{"<i style='visibility:hidden'>a<p>b", ""},
		{"<span style='font-size: 0.0em'>a</span>b", "b"},
		{"<span style='font-size: 1em; color: red'>a</span>b", "ab"},
		{"a<select><option>b</select>c<template>d</template>e<svg><text>f</text></svg>g", "a\nceg"},
		{"<b><a hidden href=x>a</a></b>b", "b"},
		// What is nested deeper than the parser goes shows all its text.
		{strings.Repeat("<div>", 600) + "<i hidden>deep</i>", "deep"},
	} {
		if got := shown(c.html); got != c.want {
			t.Errorf("%.60q shows %q, want %q", c.html, got, c.want)
		}
	}
	if got := string(htmltext.Append([]byte("before "), []byte("<p hidden>x</p>a<p>b"), where)); got != "before a\nb\n" {
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
	if got := string(htmltext.Append(nil, []byte("<a hidden href=x>a</a><form action=y>b</form>"), note)); got != "[action y]b\n" {
		t.Errorf("shows %q", got)
	}
	if got := strings.Join(keys, ", "); !strings.HasSuffix(got, "a href x, form action y") {
		t.Errorf("links: %s", got)
	}
}

// FuzzAppend checks that any bytes show the same text twice, in bounded memory, behind any other text, and that an
// element that hides nothing, which has the tree built, shows no other words.
func FuzzAppend(f *testing.F) {
	for _, s := range []string{
		"<p>a<p>b", "v<b>i</b>ag<!-- x -->ra", "<p hidden>a<div>b</div>", "<a href=//x>y</a><img alt=z>", "<script>a", "<table><a>b<td>c",
		"<noscript><b>a</noscript>", "<textarea><p hidden></textarea>", "<svg><title>a</title></svg>b", "&#0;&amp;&x",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var first []byte
		alloctest.Bound(t, len(document), func() { first = htmltext.Append(nil, document, where) })
		if again := htmltext.Append([]byte("x"), document, where); !bytes.Equal(again, append([]byte("x"), first...)) {
			t.Errorf("%q shows %q, and behind another text %q", document, first, again)
		}
	})
}
