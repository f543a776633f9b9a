//go:build browser

package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"bayestream/internal/tools/broker"
)

// records are what the demo streams, about 20 a second, before it stands still: then counts can be
// compared.
const records = 100

// latestDecision is far more than the second within which a quiet machine shows the first decision:
// here others work too.
const latestDecision = 30 * time.Second

// TestDemo is a person at the console of the demo, from its first decision to its restart.
func TestDemo(t *testing.T) {
	b, err := broker.Start(broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	brokers := "--brokers=" + strings.Join(b.Addrs, ",")
	browser := open(t)
	demo := run(t, "demo", "--json", brokers, "--addr=127.0.0.1:0", "--data="+stories(t, records))
	origin := demo.address()
	said := time.Now()
	p := load(browser, t, demo.address())
	p.until("a decision", `document.querySelector(".decision")`)
	shown := time.Since(said)
	t.Logf("the page shows a decision %d ms after the demo has said its address", shown.Milliseconds())
	if shown > latestDecision {
		t.Errorf("the first decision came after %v", shown)
	}
	p.until("the end of the stream", p.has(records)+fmt.Sprintf(` && fetch("/v1/stats").then((r) => r.json()).then((s) => s.documents >= %d)`, records))

	p.correctsAndUndoes()
	p.worksTheQueue()
	p.triesAText()
	p.looksGood()
	p.quiet(origin)
	kept := evaluate[int](p, `fetch("/v1/history?limit=1").then((r) => r.json()).then((h) => h.kept)`)
	startsAgain(browser, t, kept, 4, brokers, "--model-topic=demo-model", "--training-topic=demo-training", "--documents-topic=demo-documents", "--labels-topic=demo-labels")
}

// triesAText sees words of a text that nobody sent, as it is written.
func (p *tab) triesAText() {
	p.t.Helper()
	p.press("gt")
	p.until("the page Try", `document.querySelector("textarea")`)
	p.do(chromedp.SendKeys("textarea", "Obama debates the goal zxqwort"))
	p.until("the text to be read", `document.querySelector(".piece.unknown:not(.legend *)")?.textContent === "zxqwort" && document.querySelectorAll(".tokens li").length > 4`)
	p.judge("try", wholly)
	p.picture("demo-try")
	evaluate[any](p, "document.activeElement.blur()")
}

// looksGood judges every page as the demo fills it.
func (p *tab) looksGood() {
	p.t.Helper()
	for _, page := range []struct{ keys, name, ready string }{
		{"gl", "live", `document.querySelectorAll(".decision").length > 20 && document.querySelector(".spark .curve").getAttribute("d")`},
		{"gq", "quality", `document.querySelectorAll(".plot canvas").length > 1 && document.querySelector(".confusion")`},
		{"gm", "model", `document.querySelectorAll(".strong-words li").length > 9`},
		{"gr", "review", `document.querySelector(".queue > li, .queue ~ .empty:not([hidden])")`},
	} {
		p.press(page.keys)
		p.until(page.name, page.ready)
		p.judge("demo, "+page.name, wholly)
		p.picture("demo-" + page.name)
	}
}
