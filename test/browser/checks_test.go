//go:build browser

package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"

	"github.com/chromedp/chromedp"
)

// A page with one thing wrong, and the words in which the checks must say so.
var faults = map[string]struct{ body, want string }{
	"too wide":           {`<p style="width: 2000px">x</p>`, "wide, the window"},
	"two titles":         {`<h1>again</h1>`, "there is not one <h1>"},
	"faint":              {`<p style="color: #bbb">faint</p>`, "contrast 1.9"},
	"faint behind glass": {`<div style="background: rgb(0 0 0 / 50%)"><p style="color: #222">glass</p></div>`, `of <p> "glass"`},
	"cut off":            {`<p style="width: 20px; overflow: hidden; white-space: nowrap">much too long for this</p>`, "text is cut off"},
	"tiny":               {`<p style="font-size: 5px">tiny</p>`, "high: <p>"},
	"beyond the window":  {`<div style="overflow: clip"><p style="margin-left: -50px">left</p></div>`, "text from -"},
	"no name":            {`<svg viewBox="0 0 10 10"><path d="M0 0L9 9" stroke="red"/></svg>`, "has no title and description"},
	"no marks":           {picture(``), "has no marks"},
	"mark of no size":    {picture(`<path class="curve" stroke="red" d="M5 5"/>`), "a mark without size"},
	"mark outside":       {picture(`<path class="curve" stroke="red" d="M50 50H900"/>`), "a mark beyond the frame"},
	"mark of no colour":  {picture(`<path fill="none" d="M5 5H90"/>`), "a mark without colour"},
	"faint mark":         {picture(`<path class="curve" fill="none" stroke="#ddd" d="M5 5H90"/>`), "contrast 1."},
	"text over text":     {picture(`<path stroke="red" d="M5 5H90"/><text x="20" y="50">one</text><text x="25" y="50">two</text>`), "lies over"},
	"text outside":       {picture(`<path stroke="red" d="M5 5H90"/><text x="85" y="50">far beyond the frame</text>`), "text beyond the frame"},
	"numbers that touch": {picture(`<path stroke="red" d="M5 5H90"/><text x="20" y="50" font-size="10">1</text><text x="26" y="50" font-size="10">2</text>`), "lies over"},
	"axis of no number":  {picture(`<path stroke="red" d="M5 5H90"/><line class="grid" x2="9"/>`), "1 lines of the grid have 0 numbers"},
	"axis of no name":    {picture(`<path stroke="red" d="M5 5H90"/>`), "0 axes have a name"},
	"table of no heads":  {`<table><tr><td>1</td></tr></table>`, "a table without heads"},
	"ragged table":       {`<table><tr><th scope="col">a</th><th scope="row">b</th></tr><tr><td>1</td></tr></table>`, "rows of 2 and 1 fields"},
	"no keyboard":        {`<div class="scroll"><p>x</p></div>`, "cannot be reached by the keyboard"},
}

func picture(inside string) string {
	return `<svg viewBox="0 0 100 100" width="100" role="img" aria-labelledby="t d"><title id="t">t</title><desc id="d">d</desc>` + inside + `</svg>`
}

func page(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	text := `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title></head>` +
		`<body style="background: white; margin: 0"><h1>t</h1>` + body + `</body></html>`
	filetest.Write(t, path, text)
	return "file://" + path
}

// The checks find each fault, and none in a page without.
func TestChecksFindFaults(t *testing.T) {
	p := load(open(t), t, page(t, `<p>all is well</p>`))
	if found := p.problems(looks[0], false); len(found) > 0 {
		t.Errorf("of a page without faults: %q", found)
	}
	if found := p.problems(looks[1], false); !strings.Contains(strings.Join(found, "\n"), "dark is true") {
		t.Errorf("of a page that stays light: found %q", found)
	}
	for name, f := range faults {
		p.do(chromedp.Navigate(page(t, f.body)))
		if found := p.problems(looks[0], false); !strings.Contains(strings.Join(found, "\n"), f.want) {
			t.Errorf("%s: found %q, want %q", name, found, f.want)
		}
	}
}

// What a page says and asks for is noticed.
func TestChecksListen(t *testing.T) {
	browser := open(t)
	p := load(browser, t, page(t, `<img src="not-there.png" alt=""><script>console.log("hello"); throw new Error("thrown")</script>`))
	evaluate[float64](p, "1")
	p.mu.Lock()
	defer p.mu.Unlock()
	said := strings.Join(p.said, "\n")
	if len(p.loaded) != 2 || !strings.Contains(said, "console.log") || !strings.Contains(said, "thrown") {
		t.Errorf("loaded %q, said %q", p.loaded, said)
	}
}
