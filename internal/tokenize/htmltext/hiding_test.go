package htmltext_test

import (
	"strings"
	"testing"

	"bayestream/internal/tokenize/htmltext"
)

// TestHiding says of each page what a browser shows, where h stands for hidden and s for shown. The
// first page says which.
func TestHiding(t *testing.T) {
	for _, c := range []struct{ kind, page, want string }{
		{"attribute", "<p hidden>h</p>s", "s"},
		{"attribute", "<p hidden=false>h</p>s", "s"},
		{"attribute", "<p hidden=until-found>h</p>s", "s"},
		{"attribute", "<p hidden style='display:block'>s", "s"},
		{"attribute", "<dialog>h</dialog><dialog open>s</dialog>", "s"},
		{"attribute", "<details>h<summary>s</summary>h<p>h</details><details open>t</details>", "s t"},
		{"attribute", "<template>h</template><datalist><option>h</datalist>s", "s"},
		{"attribute", "<object>s</object><select><option>t</select>", "s t"},
		{"attribute", "<input type=hidden value=h><input type=submit value=s><input value=t>", "s t"},
		{"attribute", "<img alt=s><img alt=h hidden><img alt=h style='display:none'>", "s"},
		{"attribute", "<img alt=h width=1 height=1>s<img alt=t width=100>", "s t"},
		{"attribute", "<select>h<b>h</b><option>s<i>t</option><option>u</select>v", "st u v"},
		{"attribute", "<audio>h</audio><video>h</video><canvas>h</canvas><meter>h</meter><ruby>s<rp>h</rp></ruby>", "s"},
		{"attribute", "<script>h</script><style>h</style><iframe>h</iframe><noembed>h</noembed><noframes>h</noframes>s", "s"},
		{"attribute", "<noscript>s</noscript>", "s"},
		{"attribute", "<xmp><b>s</xmp>", "<b>s"},
		{"attribute", "<!-- h -->s<![if !mso]>t<![endif]>", "st"},
		{"attribute", "<svg><title>h</title><desc>h</desc><defs>h</defs><text>s</text><text display=none>h</text></svg>", "s"},
		{"attribute", "<svg>h<g>h</g><text>s</text>h</svg><math>h<mi>t</mi>h</math><svg><font>u", "stu"},
		{"attribute", "<svg opacity=0>h<p>s</svg>", "s"},
		{"attribute", "<p title=h><a href=x style='display:none' style='display:inline'>h</a>s", "s"},

		{"display", "<p style='display:none'>h</p>s", "s"},
		{"display", "<p style='DISPLAY : NONE ;'>h</p>s", "s"},
		{"display", "<p style='display:none!important'>h</p>s", "s"},
		{"display", "<p style='display:none ! important;'>h</p>s", "s"},
		{"display", "<p style='display:none;display:block'>s", "s"},
		{"display", "<p style='display:block;display:none'>h</p>s", "s"},
		{"display", "<p style='display:none!important;display:block'>h</p>s", "s"},
		{"display", "<p style='display:nonee'>s", "s"},
		{"display", "<p style='display:none none'>s", "s"},
		{"display", "<p style='xdisplay:none'>s", "s"},
		{"display", "<p style='display:none!ie'>s", "s"},
		{"display", "<p style='display:/**/none'>h</p>s", "s"},
		{"display", "<p style='d\\69splay:none'>h</p>s", "s"},
		{"display", "<p style='display:no\\6e e'>h</p>s", "s"},
		{"display", "<p style='background:url(x;display:none)'>s", "s"},
		{"display", "<p style='font-family:\"a;display:none\"'>s", "s"},
		{"display", "<p style='color:red display:none'>s", "s"},
		{"display", "<p style='display:none'>h<b style='display:inline'>h</b></p>s", "s"},
		{"display", "<p style='display:&#110;one'>h</p>s", "s"},
		{"display", "<p style='mso-hide:all'>s", "s"},

		{"visibility", "<p style='visibility:hidden'>h</p>s", "s"},
		{"visibility", "<p style='visibility:collapse'>h</p>s", "s"},
		{"visibility", "<p style='visibility:hidden'>h<b style='visibility:visible'>s</b>h</p>", "s"},
		{"visibility", "<p style='visibility:hidden'><b style='visibility:inherit'>h</b></p>s", "s"},
		{"visibility", "<p style='visibility:hidden'><b>h</b></p>s", "s"},
		{"visibility", "<p style='visibility:visible'>s", "s"},

		{"size", "<p style='font-size:0'>h</p>s", "s"},
		{"size", "<p style='font-size:0px'>h</p>s", "s"},
		{"size", "<p style='font-size:.0em'>h</p>s", "s"},
		{"size", "<p style='font-size:0%'>h</p>s", "s"},
		{"size", "<p style='font-size:+0.00pt'>h</p>s", "s"},
		{"size", "<p style='font-size:calc(0px)'>h</p>s", "s"},
		{"size", "<p style='font-size:0 px'>s", "s"},
		{"size", "<p style='font-size:0zz'>s", "s"},
		{"size", "<p style='font-size:-1px'>s", "s"},
		{"size", "<p style='font-size:1px'>s", "s"},
		{"size", "<div style='font-size:0'><b style='font-size:13px'>s</b>h</div>", "s"},
		{"size", "<div style='font-size:0'><b style='font-size:1em'>h</b></div>s", "s"},
		{"size", "<div style='font-size:0'><b style='font-size:200%'>h</b></div>s", "s"},
		{"size", "<div style='font-size:0'><b style='font-size:larger'>h</b></div>s", "s"},
		{"size", "<div style='font-size:0'><b style='font-size:1rem'>s</b></div>", "s"},
		{"size", "<div style='font-size:0'><b style='font-size:small'>s</b></div>", "s"},
		{"size", "<div style='font-size:0'><b style='font:14px Arial'>s</b></div>", "s"},
		{"size", "<div style='font-size:0'><b style='font:bold 14px/1.2 Arial,sans-serif'>s</b></div>", "s"},
		{"size", "<div style='font-size:0'><b style='font:bold 700 Arial'>h</b></div>s", "s"},
		{"size", "<div style='font-size:0'><b style='font:inherit'>h</b></div>s", "s"},
		{"size", "<div style='font-size:0'><font size=3>s</font></div>", "s"},
		{"size", "<div style='font-size:0'><font color=red>h</font></div>s", "s"},
		{"size", "<div style='font-size:0'><big>h</big><h1>h</h1></div>s", "s"},
		{"size", "<p style='font:0/0 a'>h</p>s", "s"},
		{"size", "<p style='font:0'>s", "s"},
		{"size", "<div style='font-size:0'><table><td>s</table>h</div>", "s"},
		{"size", "<!doctype html><div style='font-size:0'><table><td>h</table></div>s", "s"},
		{"size", "<div style='font-size:0'><button>s</button></div>", "s"},

		{"opacity", "<p style='opacity:0'>h</p>s", "s"},
		{"opacity", "<p style='opacity:0.0'>h<b style='opacity:1'>h</b></p>s", "s"},
		{"opacity", "<p style='opacity:0%'>h</p>s", "s"},
		{"opacity", "<p style='opacity:-1'>h</p>s", "s"},
		{"opacity", "<p style='opacity:0.01'>s", "s"},
		{"opacity", "<p style='content-visibility:hidden'>h</p>s", "s"},

		{"extent", "<div style='max-height:0;overflow:hidden'>h</div>s", "s"},
		{"extent", "<div style='height:0px;width:0px;overflow:hidden'>h</div>s", "s"},
		{"extent", "<div style='height:0'>s", "s"},
		{"extent", "<div style='overflow:hidden;height:10px'>s", "s"},
		{"extent", "<span style='height:0;overflow:hidden'>s</span>", "s"},
		{"extent", "<span style='display:inline-block;height:0;overflow:hidden'>h</span>s", "s"},
		{"extent", "<table><td style='height:0;overflow:hidden'>s</table>", "s"},

		// Colours and positions hide nothing here: docs/tokenizer.md says so.
		{"read", "<p style='color:#fff'>s", "s"},
		{"read", "<p style='position:absolute;left:-9999px'>s", "s"},
		{"read", "<p style='text-indent:-999px;line-height:0'>s", "s"},

		{"sheet", "<style>p{display:none}</style><p>h</p>s", "s"},
		{"sheet", "<style>.a{display:none}</style><p class='b a'>h</p><p class=c>s", "s"},
		{"sheet", "<style>#a{display:none}</style><p id=a>h</p>s", "s"},
		{"sheet", "<style>i,.x , b{display:none}</style><b>h</b>s", "s"},
		{"sheet", "<style>p.a{display:none}</style><p class=a>h</p><i class=a>s", "s"},
		{"sheet", "<style>p#a{display:none}</style><p id=a>h</p>s", "s"},
		{"sheet", "<style>*{visibility:hidden}.a{visibility:visible}</style>h<p>h<b class=a>s", "s"},
		{"sheet", "<p class=a>h</p>s<style>.a{display:none}</style>", "s"},
		{"sheet", "<style>.a{display:none}</style><p class=a style='display:block'>s", "s"},
		{"sheet", "<style>.a{display:none!important}</style><p class=a style='display:block'>h</p>s", "s"},
		{"sheet", "<style>.a{display:none!important}</style><p class=a style='display:block!important'>s", "s"},
		{"sheet", "<style>.a{display:none}p{display:block}</style><p class=a>h</p>s", "s"},
		{"sheet", "<style>.a{display:none}#b{display:block}</style><p class=a id=b>s", "s"},
		{"sheet", "<style>.a{display:none}.b{display:block}</style><p class='b a'>s", "s"},
		{"sheet", "<style>.b{display:block}.a{display:none}</style><p class='b a'>h</p>s", "s"},
		{"sheet", "<style>.a{display:none}.a{display:block}</style><p class=a>s", "s"},
		{"sheet", "<style>.a{font-size:0}</style><p class=a>h<b style='font-size:9px'>s", "s"},
		{"sheet", "<style>@media print{.a{display:none}}</style><p class=a>s", "s"},
		{"sheet", "<style>@import 'x'; .a{display:none}</style><p class=a>h</p>s", "s"},
		{"sheet", "<style>@media screen{.a{color:red}} .a{display:none}</style><p class=a>h</p>s", "s"},
		{"sheet", "<style>div .a{display:none} a:hover{display:none} p>b{display:none}</style><div><p class=a>s</p></div>", "s"},
		{"sheet", "<style media=print>p{display:none}</style><p>s", "s"},
		{"sheet", "<style type=text/less>p{display:none}</style><p>s", "s"},
		{"sheet", "<style><!-- .a{display:none} --></style><p class=a>h</p>s", "s"},
		{"sheet", "<style>/* } */.a/**/{/**/display:none}</style><p class=a>h</p>s", "s"},
		{"sheet", "<style>.A{display:none}</style><p class=a>h</p>s", "s"},
		{"sheet", "<!doctype html><style>.A{display:none}</style><p class=a>s", "s"},
		{"sheet", "<style>.a{display:none", ""},
		{"sheet", "<template><style>p{display:none}</style></template><math><style>p{display:none}</style></math><p>s", "s"},
		{"sheet", "<svg><title><style>p{display:none}</style></title></svg><p>h", ""},
		{"sheet", "<math><p><style>p{display:none}</style>h", ""},
		{"sheet", "<STYLE>P{DISPLAY:NONE}</STYLE><p>h</p>s", "s"},

		// Where an element ends is where a browser ends it.
		{"end", "<p hidden>h<p>s", "s"},
		{"end", "<p hidden>h<div>s", "s"},
		{"end", "<div hidden>h<div>h</div>h</div>s", "s"},
		{"end", "<div hidden>h<p>h</div>s", "s"},
		{"end", "<div hidden>h</p>h</div>s", "s"},
		{"end", "<div hidden>h</span>h</div>s", "s"},
		{"end", "<span hidden>h<div>h</span>h</div>h", ""},
		{"end", "<i hidden>h<p>h</i>s", "s"},
		{"end", "<i hidden>h<p>h</p>h", ""},
		{"end", "<p><i hidden>h</p>h<p>h</i>s", "s"},
		{"end", "<p><b hidden>h<i>h</b>s</i>s", "ss"},
		{"end", "<li hidden>h<li>s", "s"},
		{"end", "<dt hidden>h<dd>s", "s"},
		{"end", "<option hidden>h<option>s", "s"},
		{"end", "<h1 hidden>h</h2>s", "s"},
		{"end", "<a hidden>h<a>s", "s"},
		{"end", "<table><tr hidden><td>h<td>h<tr><td>s</table>", "s"},
		{"end", "<table><td hidden>h<td>s</table>", "s"},
		{"end", "<table hidden><td>h</table>s", "s"},
		{"end", "<table><tr><div hidden><object><table><td>s</table>", "s"},
		{"end", "<table><tr><td><p hidden>h</tbody>s<tr><td><p hidden>h</thead>h</table>", "s"},
		{"end", "<table><td><p hidden>h</tr>s</table>", "s"},
		{"end", "<table hidden>s<tr><td>h</table>", "s"},
		{"end", "<div hidden><table><td>h</div>h</table>h</div>s", "s"},
		{"end", "<td hidden>s", "s"},
		{"end", "<br hidden>s<img hidden>t", "st"},
		{"end", "<div hidden/>h</div>s", "s"},
		{"end", "<x-y hidden>h</x-y>s", "s"},
		{"end", "<form hidden>h<form>h</form>s", "s"},
		{"end", "<body hidden>h</body>h", ""},
		{"end", "<b><dialog>h</b>s", "s"},
		{"end", "<frameset hidden>s<frame hidden>t", "st"},
		{"end", "<body style='display:block'>s<body hidden>t", "st"},
		{"end", "<b><svg><foreignobject><p>s</b></p><span hidden/>h", "s"},
		{"end", "<p>s<select><span>h<p>h<td>h</select>t<select>h<input>u<select>h<select>v", "s t u v"},

		// A word is cut where it is on the screen, whatever stands in the source.
		{"line", "s<br hidden>s<p hidden>h</p>s<dialog><p>h</p></dialog>s", "ssss"},
		{"line", "s<div style='display:inline'>s</div>s<p style='display:contents'>s</p>s", "sssss"},
		{"line", "s<html>s<head>s</head>s<body>s</body>s</html>s", "sssssss"},
		{"line", "s</div>s</title>s</td>s<td>s<tr>s", "ssssss"},
		{"line", "s<input type=hidden>s<title style='display:block'>h</title>s", "sss"},
		{"line", "s</p>s</br>s<b style='display:block'>s</b>s<i style='display:table-cell'>s</i>s", "s s s s s s s"},
		{"line", "s<i style='display:inline-block'>s</i>s", "sss"},
		{"end", "<p>s<body hidden>h", "s"},
	} {
		text, _ := htmltext.AppendMail(nil, nil, []byte(c.page), where)
		got := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "[href x]", "")), " ")
		if got != c.want {
			t.Errorf("%s: %s shows %q, want %q", c.kind, c.page, got, c.want)
		}
	}
}

// TestHiddenWords: of hidden text a bounded share counts, and of padding nothing.
func TestHiddenWords(t *testing.T) {
	filler := strings.Repeat("filler ", 1000)
	for _, c := range []struct{ page, want string }{
		{"<p>shown", ""},
		{"<p hidden>two words</p>shown", "two words "},
		{"<p hidden>one</p><p hidden>two</p>shown", "one two "},
		{"<i hidden>&zwnj;&nbsp;&zwnj; - | </i>shown", ""},
		{"<i hidden>" + filler + "</i>short", strings.Repeat("filler ", 4)},
		{"<i hidden>" + filler + "</i>" + strings.Repeat("shown ", 70), strings.Repeat("filler ", 15)},
		{"<i hidden>" + filler + "</i>" + strings.Repeat("shown ", 1000), strings.Repeat("filler ", 36)},
		{"<i hidden>" + strings.Repeat("x", 100) + "</i>", strings.Repeat("x", 31) + " "},
		{"<i hidden>" + strings.Repeat("é", 100) + "</i>", strings.Repeat("é", 15) + " "},
		{"<iframe>inside</iframe>", "inside "},
	} {
		if _, hidden := htmltext.Append(nil, nil, []byte(c.page), where); string(hidden) != c.want {
			t.Errorf("%.60q hides %q, want %q", c.page, hidden, c.want)
		}
	}
}

// TestTitle: the title of a page is seen, and that of a mail is not.
func TestTitle(t *testing.T) {
	const document = "<title>name</title>text"
	page, _ := htmltext.Append(nil, nil, []byte(document), where)
	mail, hidden := htmltext.AppendMail(nil, nil, []byte(document), where)
	if string(page) != "name\ntext" || string(mail) != "text" || string(hidden) != "name " {
		t.Errorf("a page shows %q; a mail shows %q and hides %q", page, mail, hidden)
	}
}

// FuzzStyle: a style attribute hides an element, or does not, the same as in a sheet, whatever
// stands before it.
func FuzzStyle(f *testing.F) {
	for _, s := range []string{"display:none", "font:0/0 a", "font-size:0;font-size:1px", "d\\69splay:none!important", "x:'", "a:url(", "opacity:calc(0", "/*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, declarations string) {
		if strings.ContainsAny(declarations, "<>&'\"{}\\\x00\r") || strings.Contains(declarations, "/*") {
			return // of these the end is another one in a sheet
		}
		byAttribute := shown("<p style=\"" + declarations + "\">text")
		bySheet := shown("<style>p{" + declarations + "}</style><p>text")
		if byAttribute != bySheet {
			t.Errorf("%q shows %q as an attribute, and %q in a sheet", declarations, byAttribute, bySheet)
		}
	})
}
