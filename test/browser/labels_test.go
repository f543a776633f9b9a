//go:build browser

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestManyLabels is a person at the console of a model with 77 labels, and with 999 that have long
// names: the right label is at hand, nothing scrolls sideways, and what goes wrong is said.
func TestManyLabels(t *testing.T) {
	browser := open(t)
	for _, n := range []int{77, 999} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := t.TempDir()
			serve := run(t, "serve", "--model="+filepath.Join(dir, "m.db"), "--addr=127.0.0.1:0", "--kafka=127.0.0.1:0")
			page := serve.address()
			brokers := "--brokers=" + strings.Fields(serve.after("kafka "))[1]
			serve.after("ready")
			send(t, dir, brokers, n)
			p := load(browser, t, page)
			p.until("decisions", `document.querySelectorAll(".decision").length >= 40`)
			origin, _, _ := strings.Cut(page, "/#")
			p.accessible(fmt.Sprint(n, " labels, live"))
			p.picture(fmt.Sprint(n, "-live"))
			p.choosesAmongMany(n)
			for _, v := range []struct{ name, hash, ready string }{
				{"quality", "#/quality", `[...document.querySelectorAll(".tile small")].some((s) => s.textContent.includes("before they were learned"))`},
				{"model", "#/model", `document.querySelectorAll(".strong-words li").length > 0`},
				{"try", "#/try", `document.querySelector("textarea")`},
				{"review", "#/review", `document.querySelector(".queue [data-label]")`},
				{"review-word", "#/review?order=word&word=please", `document.querySelector(".many:not([hidden]) button")`},
			} {
				if n == 999 && (v.name == "quality" || v.name == "try") {
					continue // they look as with 77
				}
				evaluate[any](p, fmt.Sprintf("location.hash = %q", v.hash))
				p.until(v.name, v.ready)
				p.judge(fmt.Sprint(n, " labels, ", v.name), wholly)
				p.picture(fmt.Sprint(n, "-", v.name))
			}
			p.seesDeadLetters(t, dir, brokers)
			p.quiet(origin)
		})
	}
}

// queueName returns the name of a label.
func queueName(n, i int) string {
	if n < 100 {
		return fmt.Sprintf("queue_%02d_not_working", i)
	}
	return fmt.Sprintf("the queue %d of a department whose name is as long as people make them", i)
}

// send sends three labelled records of each label, and 50 documents.
func send(t *testing.T, dir, brokers string, n int) {
	t.Helper()
	var training, documents strings.Builder
	for i := range 3 * n {
		fmt.Fprintf(&training, `{"id":"t%d","text":"please w%d v%d","label":%q}`+"\n", i, i%n, i%n, queueName(n, i%n))
	}
	for i := range 50 {
		fmt.Fprintf(&documents, `{"id":"d%d","text":"please w%d or w%d v%d"}`+"\n", i, i, i+1, i)
	}
	for name, text := range map[string]string{"training": training.String(), "documents": documents.String()} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "send", brokers, "--wait", filepath.Join(dir, "training.jsonl")).after("records learned")
	run(t, "send", brokers, "--documents", filepath.Join(dir, "documents.jsonl")).after("sent")
}

// choosesAmongMany: the likeliest labels have the keys, any other is typed, and one that no document
// has is asked about.
func (p *tab) choosesAmongMany(n int) {
	p.t.Helper()
	evaluate[any](p, `location.hash = document.querySelector(".decision").getAttribute("href")`)
	p.until("the choices", `document.querySelectorAll(".choices button").length === 9 && document.querySelector(".other-label")`)
	p.accessible(fmt.Sprint(n, " labels, message"))
	p.picture(fmt.Sprint(n, "-message"))
	const order = `[...document.querySelectorAll(".choices .label")].slice(0, 8).map((e) => e.textContent).join("|") === [...document.querySelector(".posterior").querySelectorAll(".label")].slice(0, 8).map((e) => e.textContent).join("|")`
	if !evaluate[bool](p, order) {
		p.t.Error("the choices are not in the order of the posterior")
	}
	p.press("/")
	p.until("the field of other labels", `document.activeElement.matches(".other-label")`)
	evaluate[any](p, `document.activeElement.value = ""`) // a key that is dispatched by hand is typed as well
	p.do(chromedp.SendKeys(".other-label", queueName(n, 60)+"x"))
	p.until("all labels to choose from", `document.querySelector(".other-label").list.options.length >= `+fmt.Sprint(n))
	p.do(chromedp.SendKeys(".other-label", "\r"))
	p.until("a question", `document.querySelector(".toast.bad")?.textContent.includes("did you mean")`)
	evaluate[any](p, `document.querySelector(".toast.bad button").click()`)
	p.until("the new label", `document.querySelector(".toast:not(.bad)")?.textContent.includes("learned from")`)
	p.press("2")
	p.until("the second choice", `document.querySelectorAll(".choices button")[1]?.getAttribute("aria-pressed") === "true"`)
}

// seesDeadLetters: the page Live says at once when what comes in is of no use.
func (p *tab) seesDeadLetters(t *testing.T, dir, brokers string) {
	t.Helper()
	bad := filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(bad, []byte(strings.Repeat(`{"text":"no label"}`+"\n", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "send", brokers, "--documents", "--topic=training", bad).after("sent")
	evaluate[any](p, `location.hash = "#/live"`)
	p.until("a warning", `document.querySelector(".verdict").textContent.includes("training") && document.querySelector(".strip").textContent.includes("became dead letters")`)
	p.judge("dead letters", wholly)
	p.picture("live-dead-letters")
}
