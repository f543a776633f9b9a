//go:build browser

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// sizes are the windows in which the console is looked at.
var sizes = []look{
	{"light", 1440, 900, "light", "screen", false},
	{"dark", 1440, 900, "dark", "screen", false},
	{"telephone-light", 380, 800, "light", "screen", true},
	{"telephone-dark", 380, 800, "dark", "screen", true},
}

// until waits for an expression of the page, or what it promises, to be true.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if evaluate[bool](p, "(async () => !!(await ("+expression+")))().catch(() => false)") {
			return
		}
	}
	text := evaluate[string](p, "document.body.innerText")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Fatalf("%s: not within a minute; the page says %q, and shows:\n%.600s", what, p.said, text)
}

// picture keeps a picture of the page in all sizes, and says what is wrong with it there.
func (p *tab) picture(name string) {
	p.t.Helper()
	for _, l := range sizes {
		p.window(l)
		if width := p.settled(l.width); width > l.width {
			p.t.Errorf("%s, %s: the page is %d wide, the window %d", name, l.name, width, l.width)
		}
		const spills = `[...document.querySelectorAll(".label")].filter((e) => getComputedStyle(e).overflow === "visible" && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)`
		if over := evaluate[[]string](p, spills); len(over) > 0 {
			p.t.Errorf("%s, %s: %d labels lie over what stands beside them, the first is %q", name, l.name, len(over), over[0])
		}
		folder := os.Getenv("BAYESTREAM_SCREENSHOTS")
		if folder == "" {
			continue
		}
		shot := chromedp.FullScreenshot(100)
		if strings.Contains(name, "live") { // a list without end
			shot = chromedp.CaptureScreenshot()
		}
		png, err := chromedp.Run(p.ctx, shot)
		if err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "console-"+name+"-"+l.name+".png"), png, 0o600); err != nil {
			p.t.Error(err)
		}
	}
	p.window(sizes[0])
}

// settled returns the width of the page, once it fits into the window: charts are drawn anew a
// moment after it has changed.
func (p *tab) settled(window int64) (width int64) {
	p.t.Helper()
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		if width = evaluate[int64](p, "document.documentElement.scrollWidth"); width <= window {
			break
		}
	}
	return width
}

// window sets the size and the colours of the window.
func (p *tab) window(l look) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1, Mobile: l.mobile})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: l.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// quiet checks that the page said nothing in the console and asked for nothing elsewhere.
func (p *tab) quiet(origin string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		p.t.Errorf("the page says in the console: %q", p.said)
	}
	for _, url := range p.loaded {
		if !strings.HasPrefix(url, origin+"/") {
			p.t.Errorf("the page asks for %s", url)
		}
	}
}

// TestPages opens the pages of the console over made data, in all sizes.
func TestPages(t *testing.T) {
	server := pretend(t)
	p := load(open(t), t, server.URL+"/")
	p.until("decisions", `document.querySelectorAll(".decision").length > 20`)
	p.window(sizes[0])
	p.accessible("live")
	p.picture("live")
	if title := evaluate[string](p, "document.title"); title != "Live · Bayestream" {
		t.Errorf("the title is %q", title)
	}
	for _, v := range []struct{ name, hash, ready string }{
		{"message", "#/message?place=labels/3/41", `document.querySelector(".waterfall") && document.querySelector(".change") && [...document.querySelectorAll(".density")].some((f) => f.textContent.includes("16-23 does not vote"))`},
		{"review", "#/review", `document.querySelectorAll(".queue li").length > 5`},
		{"review-word", "#/review?order=word&word=goal", `document.querySelectorAll(".queue li").length > 5`},
		{"review-conflicts", "#/review?order=conflicts", `document.querySelectorAll(".queue li").length > 0`},
		{"review-history", "#/review?order=history", `document.querySelector("tbody")`},
		{"quality", "#/quality?truth=election&label=sports", `document.querySelectorAll(".plot canvas").length > 2 && document.querySelector(".cell-messages .decision") && document.querySelectorAll("a.moved-word").length === 2 && document.querySelector("span.moved-word").textContent.includes("length 24-31")`},
		{"model", "#/model?term=goal", `document.querySelectorAll(".plot canvas").length > 1 && document.querySelector(".between")`},
		{"try", "#/try", `document.querySelector("textarea")`},
	} {
		evaluate[any](p, fmt.Sprintf("location.hash = %q", v.hash))
		p.until(v.name, v.ready)
		if v.name == "try" {
			p.do(chromedp.SendKeys("textarea", "Goal keeper votes on the ballot zxq"))
			p.until("tried", `document.querySelector(".tokens")`)
		}
		if v.name == "message" || v.name == "quality" || v.name == "model" {
			p.accessible(v.name)
		} else {
			p.judge(v.name, wholly)
		}
		p.picture(v.name)
	}
	p.standsTheFlood(server)
	p.quiet(server.URL)
}

// TestTrouble hides the page, refuses its questions, and works it by keys: it lets the stream go
// and takes it up again, says what is wrong and goes on by itself.
func TestTrouble(t *testing.T) {
	server := pretend(t)
	p := load(open(t), t, server.URL+"/")
	p.until("decisions", `document.querySelectorAll(".decision").length > 20`)

	const turn = `Object.defineProperty(document, "hidden", {configurable: true, value: %v}); document.dispatchEvent(new Event("visibilitychange"))`
	evaluate[any](p, fmt.Sprintf(turn, true))
	server.waitForStreams(t, 0)
	evaluate[any](p, fmt.Sprintf(turn, false))
	server.waitForStreams(t, 1)

	p.press("j")
	p.until("a row with the focus", `document.activeElement.matches(".decision")`)
	p.until("a list that stands still", `document.querySelector(".controls").textContent.includes("stands still")`)
	p.press("?")
	p.until("the keys", `document.querySelector("#keys[open] kbd")`)
	p.press("?")
	p.until("no keys", `!document.querySelector("#keys[open]")`)

	server.refuses.Store(true)
	p.until("what is wrong", `document.querySelector(".verdict").textContent.includes("The brokers do not answer")`)
	p.window(sizes[2])
	p.judge("in trouble", wholly)
	server.refuses.Store(false)
	p.until("the figures", `document.querySelector(".verdict").textContent.includes("needs a look")`)
}

// press types keys, one after the other.
func (p *tab) press(keys string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(string(k)))
	}
}

func (p *pretender) waitForStreams(t *testing.T, n int64) {
	t.Helper()
	for begin := time.Now(); p.streams.Load() != n; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("%d streams are open, want %d", p.streams.Load(), n)
		}
	}
}

// standsTheFlood sees a list that does not grow while thousands of decisions come, and says so.
func (p *tab) standsTheFlood(server *pretender) {
	p.t.Helper()
	evaluate[any](p, `location.hash = "#/live"`)
	p.until("decisions", `document.querySelector(".decision")`)
	server.perSecond.Store(5000)
	p.until("the page to say that it shows a part", `document.querySelector(".controls").textContent.includes("one in")`)
	p.until("a full list", `document.querySelectorAll(".decision").length >= 100`)
	if rows := evaluate[int](p, `document.querySelectorAll(".decision").length`); rows > 150 {
		p.t.Errorf("the list has %d rows", rows)
	}
	if title := evaluate[string](p, "document.title"); title != "Live · Bayestream" {
		p.t.Errorf("a text has changed the title to %q", title)
	}
}
