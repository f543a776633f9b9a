//go:build browser

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// BenchmarkPage measures what the page makes of 5,000 decisions a second, and how soon it paints:
// medians of five. Beside the time of the longest task stands that of the processor: on a machine
// that has other work a task also waits.
func BenchmarkPage(b *testing.B) {
	server := pretend(b)
	browser := open(b)
	var paints, weights, rates, walls, processors []float64
	for range 5 {
		p := load(browser, b, server.URL+"/")
		p.until("a paint", `performance.getEntriesByName("first-contentful-paint").length`)
		paints = append(paints, evaluate[float64](p, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
		p.until("decisions", `document.querySelector(".decision")`)
		weights = append(weights, evaluate[float64](p, `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].filter((e) => !e.name.includes("/v1/")).reduce((sum, e) => sum + e.encodedBodySize, 0) / 1024`))
		p.do(chromedp.Navigate("about:blank"))
	}
	p := load(browser, b, server.URL+"/")
	p.until("decisions", `document.querySelectorAll(".decision").length > 20`)
	server.perSecond.Store(5000)
	for range 5 {
		begin, from := time.Now(), server.number.Load()
		wall, processor := p.longest(func() {
			for server.number.Load() < from+5000 && time.Since(begin) < 20*time.Second {
				time.Sleep(10 * time.Millisecond)
			}
			rates = append(rates, float64(server.number.Load()-from)/time.Since(begin).Seconds())
		})
		walls, processors = append(walls, wall), append(processors, processor)
	}
	b.ReportMetric(0, "ns/op")
	tell(b, "first paint, from loopback", "ms", paints)
	tell(b, "weight of the page as it is sent", "KiB", weights)
	tell(b, "decisions that arrive at the page", "decisions/s", rates)
	tell(b, "longest task of the main thread meanwhile", "ms", walls)
	tell(b, "the same, in time of the processor", "ms-of-processor", processors)
}

// tell prints the median of five as a row of a table, and gives it to the benchmark.
func tell(b *testing.B, what, unit string, values []float64) {
	b.Helper()
	figure := func(x float64) string {
		if x >= 1000 {
			return fmt.Sprintf("%.0f", x)
		}
		return fmt.Sprintf("%.3g", x)
	}
	fmt.Printf("| %s | %s %s | %s to %s |\n", what, figure(median(values)), unit, figure(slices.Min(values)), figure(slices.Max(values)))
	b.ReportMetric(median(values), strings.ReplaceAll(what+" "+unit, " ", "-"))
}

// longest returns the longest task of the page's main thread while do runs, in milliseconds: by the
// clock, and by the time of the processor.
func (p *tab) longest(do func()) (wall, processor float64) {
	p.t.Helper()
	var mu sync.Mutex
	var events []traced
	done := make(chan struct{})
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	listen := func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, v := range e.Value {
				var one traced
				if json.Unmarshal(v, &one) == nil {
					events = append(events, one)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	}
	if err := chromedp.Listen(ctx, listen); err != nil {
		p.t.Fatal(err)
	}
	call(p, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel"}, ExcludedCategories: []string{"*"}}})
	do()
	call(p, tracing.End, cdp.Empty{})
	select {
	case <-done:
	case <-time.After(time.Minute):
		p.t.Fatal("the browser does not end its trace")
	}
	mu.Lock()
	defer mu.Unlock()
	return longestOf(events)
}

// A traced event of the browser; times are in microseconds.
type traced struct {
	Name string  `json:"name"`
	PID  int     `json:"pid"`
	TID  int     `json:"tid"`
	Dur  float64 `json:"dur"`
	TDur float64 `json:"tdur"`
	Args struct {
		Name string `json:"name"`
	} `json:"args"`
}

func longestOf(events []traced) (wall, processor float64) {
	main := map[[2]int]bool{}
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main[[2]int{e.PID, e.TID}] = true
		}
	}
	for _, e := range events {
		if main[[2]int{e.PID, e.TID}] {
			wall, processor = max(wall, e.Dur/1000), max(processor, e.TDur/1000)
		}
	}
	return wall, processor
}

func median(all []float64) float64 {
	all = slices.Clone(all)
	slices.Sort(all)
	return all[len(all)/2]
}
