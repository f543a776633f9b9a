//go:build browser

package browser

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"bayestream/internal/demo/broker"
)

// records are what the demo streams, about 20 a second, before it stands still: then counts can be compared.
const records = 100

// A program is a running bayestream; lines are what it says but for the figures of the demo.
type program struct {
	t       *testing.T
	command *exec.Cmd
	lines   chan string

	mu   sync.Mutex
	said []string
}

func run(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{t: t, command: exec.CommandContext(t.Context(), needs(t, "BAYESTREAM_BINARY", "the built bayestream"), args...), lines: make(chan string, 100)}
	p.command.Cancel = func() error { return p.command.Process.Signal(syscall.SIGTERM) }
	p.command.WaitDelay = 20 * time.Second
	from, to := io.Pipe()
	p.command.Stdout, p.command.Stderr = to, to
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(from)
	}()
	t.Cleanup(func() {
		p.stop()
		_ = to.Close() // the writer of a pipe in memory
		<-read
		if t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			t.Logf("bayestream %s said:\n%s", args[0], strings.Join(p.said, "\n"))
		}
	})
	return p
}

func (p *program) read(from io.Reader) {
	for s := bufio.NewScanner(from); s.Scan(); {
		if strings.HasPrefix(s.Text(), "{") {
			continue // what the demo counts
		}
		p.mu.Lock()
		p.said = append(p.said, s.Text())
		p.mu.Unlock()
		select {
		case p.lines <- s.Text():
		default: // nobody waits for a line any more
		}
	}
	close(p.lines)
}

// address waits for a line with an address and returns it.
func (p *program) address() string {
	p.t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case line, more := <-p.lines:
			if !more {
				p.t.Fatal("the program ended before it said its address")
			}
			if at := strings.Index(line, "http://"); at >= 0 {
				return strings.Trim(strings.Fields(line[at:])[0], `"`)
			}
		case <-timeout:
			p.t.Fatal("no address within a minute")
		}
	}
}

func (p *program) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = p.command.Wait()
}

// TestDemo is a person at the console of the demo, from its first decision to its restart.
func TestDemo(t *testing.T) {
	b, err := broker.Start("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	brokers := "--brokers=" + strings.Join(b.Addrs, ",")
	browser := open(t)
	begin := time.Now()
	demo := run(t, "demo", "--json", brokers, "--addr=127.0.0.1:0", "--data="+stories(t, records))
	origin := demo.address()
	said := time.Since(begin)
	p := load(browser, t, demo.address())
	p.until("a decision", `document.querySelector(".decision")`)
	t.Logf("the demo says its address after %d ms, and the page shows a decision after %d ms", said.Milliseconds(), time.Since(begin).Milliseconds())
	p.until("the end of the stream", fmt.Sprintf(`fetch("/v1/stats").then((r) => r.json()).then((s) => s.decisions >= %d && s.documents >= %[1]d)`, records))

	p.correctsAndUndoes()
	p.worksTheQueue()
	p.triesAText()
	p.looksGood()
	p.quiet(origin)
	kept := evaluate[int](p, `fetch("/v1/history?limit=1").then((r) => r.json()).then((h) => h.kept)`)
	restarts(browser, t, brokers, kept)
}

// state is what a correction changes: the documents of each class, the probability of each, and how the words are scored.
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

// correctsAndUndoes opens a decision, checks that its waterfall adds up, gives it the other label, and takes that back.
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
		{"go", "operations", `document.querySelectorAll("table").length > 2 && document.querySelector(".letters").firstChild`},
		{"gr", "review", `document.querySelector(".queue > li, .queue ~ .empty:not([hidden])")`},
	} {
		p.press(page.keys)
		p.until(page.name, page.ready)
		p.judge("demo, "+page.name, wholly)
		p.picture("demo-" + page.name)
	}
}

// restarts starts a console of its own beside the demo: it finds what was decided and corrected before it.
func restarts(browser context.Context, t *testing.T, brokers string, kept int) {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a token of the test, long enough\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	console := run(t, "console", brokers, "--addr=127.0.0.1:0", "--token-file="+token, "--model-topic=demo-model", "--training-topic=demo-training", "--documents-topic=demo-documents", "--labels-topic=demo-labels", "--dead-letter-topic=demo-dead-letters")
	p := load(browser, t, console.address())
	p.until("the decisions of before", fmt.Sprintf(`document.querySelector(".decision") && fetch("/v1/history?limit=1").then((r) => r.json()).then((h) => h.kept >= %d)`, kept))
	p.press("gr")
	p.until("the page Review", `document.querySelector(".tabs a")`)
	evaluate[any](p, `document.querySelector(".tabs a:last-child").click()`)
	p.until("the corrections of before", `document.querySelectorAll("tbody tr").length >= 4`)
}
