//go:build browser

package browser

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"bayestream/internal/tools/broker"
)

// backlog is how many documents classify labels in one measurement; taught, how many it has learned
// from.
const backlog, taught = 50_000, 200

// BenchmarkClassify measures what classify loses of its rate while a console follows it and a page
// is open: five pairs, with and without. All of it shares the processors of this machine, the
// broker too.
func BenchmarkClassify(b *testing.B) {
	kafka, err := broker.Start(broker.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(kafka.Close)
	brokers := "--brokers=" + strings.Join(kafka.Addrs, ",")
	untilReady(b, run(b, "ingest", brokers, "--create-topics", "--http=127.0.0.1:0", "--state="+b.TempDir()+"/ingest.db").served())
	run(b, "send", brokers, "--json", stories(b, taught)).after(`{"topic"`)
	first := run(b, "classify", brokers, "--create-topics", "--http=127.0.0.1:0", "--group=first", "--state="+b.TempDir()+"/classify.db")
	untilReady(b, first.served()) // the topics are there
	first.stop()
	run(b, "send", brokers, "--json", "--documents", stories(b, backlog)).after(`{"topic"`)
	browser := open(b)
	var alone, watched, lost []float64
	for i := range 5 {
		a := rate(b, brokers, fmt.Sprintf("alone-%d", i))
		labels := fmt.Sprintf("watched-%d", i)
		console, page := startConsole(b, brokers, "--labels-topic="+labels)
		tab := load(browser, b, page)
		w := rate(b, brokers, labels)
		tab.until("decisions", `document.querySelectorAll(".decision").length > 20`)
		console.stop()
		alone, watched, lost = append(alone, a), append(watched, w), append(lost, 100*(1-w/a))
	}
	b.ReportMetric(0, "ns/op")
	tell(b, "rate of classify alone", "decisions/s", alone)
	tell(b, "rate of classify with a console and a page", "decisions/s", watched)
	tell(b, "what it loses, on the same processors", "%", lost)
}

// rate returns how many decisions a second a new classify writes to a topic of labels of its own.
func rate(b *testing.B, brokers, labels string) float64 {
	b.Helper()
	w := run(b, "classify", brokers, "--create-topics", "--http=127.0.0.1:0", "--group="+labels, "--labels-topic="+labels, "--state="+b.TempDir()+"/classify.db")
	address := w.served()
	var begin time.Time
	var before float64
	for limit := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		n := decided(b, address)
		if begin.IsZero() && n > 0 {
			begin, before = time.Now(), n
		}
		if n >= backlog {
			w.stop()
			return (n - before) / time.Since(begin).Seconds()
		}
		if time.Now().After(limit) {
			b.Fatalf("%v of %d documents are labelled", n, backlog)
		}
	}
}

// untilReady waits until a worker does its work.
func untilReady(b *testing.B, address string) {
	b.Helper()
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		resp := get(b, address+"/readyz")
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	b.Fatalf("%s is not ready within a minute", address)
}

func get(b *testing.B, url string) *http.Response {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	return resp
}

// decided returns how many decisions a classify has made.
func decided(b *testing.B, address string) (sum float64) {
	b.Helper()
	resp := get(b, address+"/metrics")
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "bayestream_decisions_total{") {
			n, err := strconv.ParseFloat(lines.Text()[strings.LastIndex(lines.Text(), " ")+1:], 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
