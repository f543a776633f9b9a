//go:build browser

package browser

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"bayestream/internal/testing/filetest"
)

// state is what a correction changes: the documents of each class, the probability of each, and how
// the words are scored.
type state struct {
	Documents map[string]int     `json:"documents"`
	Posterior map[string]float64 `json:"posterior"`
	Scoring   string             `json:"scoring"`
}

// look returns the state as the page shows it, and the counts of the model.
func (p *tab) look() state {
	p.t.Helper()
	return evaluate[state](p, `fetch("/v1/model").then((r) => r.json()).then((m) => ({
		documents: Object.fromEntries(m.classes.map((c) => [c.name, c.documents])),
		posterior: Object.fromEntries([...document.querySelectorAll(".now [data-posterior]")].map((e) => [e.dataset.class, Number(e.dataset.posterior)])),
		scoring: [...document.querySelectorAll(".provenance div")].map((e) => e.textContent).filter((x) => x.startsWith("Scored by")).join(),
	}))`)
}

// correctsAndUndoes opens a decision, checks that its waterfall adds up, gives it the other label,
// and takes that back.
func (p *tab) correctsAndUndoes() {
	p.t.Helper()
	p.until("a label that came", `fetch("/v1/history?limit=1").then((r) => r.json()).then((h) => h.decisions[0].truth !== null)`)
	place := evaluate[string](p, `fetch("/v1/history?limit=1").then((r) => r.json()).then((h) => h.decisions[0].place)`)
	p.until("the decision in the list", fmt.Sprintf(`document.getElementById("d-%s")`, place))
	evaluate[any](p, fmt.Sprintf(`document.getElementById("d-%s").querySelector("a").click()`, place))
	p.until("the waterfall", `document.querySelector(".waterfall .sum") && document.querySelector(".choices button[aria-pressed=true]")`)
	if off := evaluate[float64](p, `Math.abs([...document.querySelectorAll(".step:not(.sum)")].reduce((s, e) => s + Number(e.dataset.weight), 0) - Number(document.querySelector(".step.sum").dataset.weight))`); !(off < 1e-9) {
		p.t.Errorf("the waterfall is off by %v", off)
	}
	before := p.look()
	other := evaluate[int](p, `1 + [...document.querySelectorAll(".choices button")].findIndex((b) => b.getAttribute("aria-pressed") === "false")`)
	names := evaluate[[]string](p, `[...document.querySelectorAll(".choices button bdi")].map((e) => e.textContent)`)
	to := names[other-1]
	from := evaluate[string](p, `document.querySelector(".choices button[aria-pressed=true] bdi").textContent`)
	p.press(fmt.Sprint(other))
	p.until("the correction to be counted", `document.querySelector(".change[data-outcome=counted]") && document.querySelector(".choices button[aria-pressed=true] bdi").textContent === `+fmt.Sprintf("%q", to))
	after := p.look()
	for class, n := range before.Documents {
		want := n
		switch class {
		case to:
			want++
		case from:
			want--
		}
		if after.Documents[class] != want {
			p.t.Errorf("%s has %d documents, had %d, want %d", class, after.Documents[class], n, want)
		}
	}
	if !(after.Posterior[to] > before.Posterior[to]) {
		p.t.Errorf("the probability of %s was %v and is %v", to, before.Posterior[to], after.Posterior[to])
	}
	p.judge("corrected message", wholly)
	p.picture("corrected")
	p.press("u")
	p.until("the undo to be counted", `document.querySelector(".change[data-outcome=counted]")?.textContent.includes("undone") && document.querySelector(".choices button[aria-pressed=true] bdi").textContent === `+fmt.Sprintf("%q", from))
	if evaluate[bool](p, `!!document.querySelector(".toast button")`) {
		p.t.Error("the page offers to undo what is undone")
	}
	undone := p.look()
	for class, n := range before.Documents {
		if undone.Documents[class] != n {
			p.t.Errorf("undone, %s has %d documents, had %d", class, undone.Documents[class], n)
		}
		if d := undone.Posterior[class] - before.Posterior[class]; !(d < 1e-12 && d > -1e-12) {
			p.t.Errorf("undone, the probability of %s is off by %v", class, d)
		}
	}
	if undone.Scoring != before.Scoring {
		p.t.Errorf("undone, it is %q, was %q", undone.Scoring, before.Scoring)
	}
	if len(before.Documents) != 2 || len(before.Posterior) != 2 {
		p.t.Errorf("of two classes the page shows %v", before)
	}
}

// worksTheQueue labels, skips and undoes in the review queue with keys alone.
func (p *tab) worksTheQueue() {
	p.t.Helper()
	p.press("gr")
	p.until("the queue", `document.querySelector(".queue > li:focus .choices") || document.querySelector(".queue ~ .empty:not([hidden])")`)
	if evaluate[bool](p, `!document.querySelector(".queue > li")`) {
		p.t.Error("nothing waits in the queue")
		return
	}
	first := evaluate[string](p, `document.activeElement.dataset.place`)
	p.press("1")
	p.until("the first to be labelled", fmt.Sprintf(`fetch("/v1/corrections?limit=1").then((r) => r.json()).then((c) => c.corrections[0].action === "correct" && c.corrections[0].outcome === "counted")
		.then((counted) => counted && document.querySelector("[data-place='%s']").classList.contains("done"))`, first))
	if evaluate[int](p, `document.querySelectorAll(".queue > li:not(.done)").length`) > 0 {
		if evaluate[string](p, `document.activeElement.dataset.place`) == first {
			p.t.Error("the queue does not go on")
		}
		p.press("s")
	}
	p.press("u")
	p.until("the label to be undone", `fetch("/v1/corrections?limit=1").then((r) => r.json()).then((c) => c.corrections[0].action === "undo" && c.corrections[0].outcome === "counted")`)
}

// has returns an expression that is true when the console remembers so many decisions, whether it
// saw them come or read them at its start.
func (p *tab) has(decisions int) string {
	return fmt.Sprintf(`(await fetch("/v1/history?limit=1").then((r) => r.json())).kept >= %d`, decisions)
}

// startConsole starts a console of its own that takes corrections, and returns it and the address
// of its page.
func startConsole(t testing.TB, args ...string) (console *program, page string) {
	t.Helper()
	const secret = "a-token-of-the-test"
	token := filepath.Join(t.TempDir(), "token")
	filetest.Write(t, token, secret+"\n")
	console = run(t, append([]string{"console", "--addr=127.0.0.1:0", "--token-file=" + token}, args...)...)
	return console, console.address() + "/#token=" + secret
}

// startsAgain starts a console beside or after another one: it finds the decisions and the
// corrections of before.
func startsAgain(browser context.Context, t *testing.T, decisions, corrections int, args ...string) {
	t.Helper()
	_, page := startConsole(t, args...)
	p := load(browser, t, page)
	p.until("the decisions of before", `document.querySelector(".decision") && `+p.has(decisions))
	p.press("gr")
	p.until("the page Review", `document.querySelector(".tabs a")`)
	evaluate[any](p, `document.querySelector(".tabs a:last-child").click()`)
	p.until("the corrections of before", fmt.Sprintf(`document.querySelectorAll("tbody tr").length >= %d`, corrections))
}
