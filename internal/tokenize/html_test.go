package tokenize

import (
	"strings"
	"testing"

	"bayestream/internal/tokenize/htmltext"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ what, page, want string }{
		{"plain text", "no tags", "no tags"},
		{"entities", "a&amp;b &#65;&eacute; &unknown;", "a&b Aé &unknown;"},
		{"inside a line", "vi<b>ag</b>r<font color=red>a</font><x>!", "viagra!"},
		{"lines", "a<p>b</p>c<br>d<div>e</div>f<table><td>g<td>h", "a b c d e f g h"},
		{"script and style", "a<script>b<p></script>c<STYLE>d</STYLE>e", "ace"},
		{"script without end", "a<script>b<p>c", "a"},
		{"empty script", "a<script></script>b<script src=x></script>c", "abc"},
		{"frames", "a<iframe>b</iframe>c<noscript>d</noscript>e", "acde"}, // no scripts run
		{"hidden", "a<p hidden>b<p>c<i style='display:none'><a href=http://x.example>d</a></i>e", "a ce"},
		{"hidden link", "<a hidden href=http://x.example>a</a>b", "b"},
		{"comment", "a<!-- b -->c<!doctype html>d", "acd"},
		{"title and text area", "<title>a</title><textarea>b<i></textarea>c", "a b<i> c"},
		{"alternative text", "a<img src=x alt='b &amp; c'>d<img alt=e/>", "a b & c d e/"},
		{"link", "<a href='http://example.com/x?y'>a</a>", "http://example.com a"},
		{"link with capitals and spaces", "<A HREF=' HTTPS://Example.com:80#x '>a</A>", "http://example.com a"},
		{"link without scheme", "<a href=//example.com/x>a</a>", "http://example.com a"},
		{"link within the site", "<a href=/x>a</a><a href='#b'>b</a><a name=c>c", "abc"},
		{"link with spaces", "<a href='http://example.com evil words'>a</a>", "http://example.com a"},
		{"script as link", "<a href='javascript://comment'>a</a>", "a"},
		{"mail link", "<a href='mailto:bob@example.com?subject=words'>a</a>", "bob@example.com a"},
		{"map", "<area href=ftp://example.com>", "http://example.com"},
		{"half a tag", "a<b", "a"},
	} {
		got := strings.Join(strings.Fields(visible(c.page)), " ")
		if got != c.want {
			t.Errorf("%s: %q shows %q, want %q", c.what, c.page, got, c.want)
		}
	}
}

func visible(page string) string {
	text, _ := htmltext.Append(nil, nil, []byte(page), appendWhere)
	return string(text)
}
