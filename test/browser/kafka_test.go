//go:build browser && kafka

package browser

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
)

// A pipeline runs as in production: one ingest and two classify, each a process, on a Kafka.
type pipeline struct {
	t       *testing.T
	name    string // of this run; topics and groups begin with it
	brokers string // flag
	workers []string
}

func startPipeline(t *testing.T) *pipeline {
	t.Helper()
	p := &pipeline{t: t, name: kafkatest.Topic(t, 1, nil), brokers: "--brokers=" + strings.Join(kafkatest.Start(t), ",")}
	p.worker("ingest", 1, "--training-topic="+p.topic("training"), "--ref-topics="+p.topic("documents"))
	for i := range 2 {
		p.worker("classify", i+1, "--documents-topic="+p.topic("documents"), "--labels-topic="+p.topic("labels"), "--wait-documents=0")
	}
	return p
}

func (p *pipeline) topic(use string) string { return p.name + "-" + use }

func (p *pipeline) worker(role string, number int, args ...string) {
	p.t.Helper()
	w := run(p.t, append([]string{
		role, p.brokers, "--create-topics", "--partitions=4", "--http=127.0.0.1:0", "--group=" + p.topic(role), "--model-topic=" + p.topic("model"), "--dead-letter-topic=" + p.topic("dead"),
		"--state=" + filepath.Join(p.t.TempDir(), fmt.Sprintf("%s-%d.db", role, number)),
	}, args...)...)
	p.workers = append(p.workers, w.served())
}

// console returns the flags of a console of the pipeline.
func (p *pipeline) console() []string {
	return []string{
		p.brokers, "--model-topic=" + p.topic("model"), "--training-topic=" + p.topic("training"), "--documents-topic=" + p.topic("documents"), "--labels-topic=" + p.topic("labels"),
		"--workers=" + strings.Join(p.workers, ","),
	}
}

// send writes a file to a topic and waits for the end of it.
func (p *pipeline) send(use, path string) {
	p.t.Helper()
	args := []string{"send", p.brokers, "--json", "--model-topic=" + p.topic("model"), "--topic=" + p.topic(use), path}
	if use == "documents" {
		args = append(args, "--documents")
	}
	run(p.t, args...).after(`{"topic"`)
}

// TestTwoClassify is a person at the console of a pipeline on a real Kafka, with two classify that
// divide the documents.
func TestTwoClassify(t *testing.T) {
	pipeline := startPipeline(t)
	console, page := startConsole(t, pipeline.console()...)
	origin, _, _ := strings.Cut(page, "/#")
	browser := open(t)
	p := load(browser, t, page)
	p.until("all to be ready", `fetch("/v1/stats").then((r) => r.json()).then((s) => s.status?.workers.length === 3 && s.status.workers.every((x) => x.ready))`)
	earlier, later := halves(t, stories(t, records))
	pipeline.send("training", earlier)
	p.learned(records / 2)
	pipeline.send("documents", later)
	p.until("decisions on the page", `document.querySelectorAll(".decision").length > 10 && `+p.has(records/2))
	pipeline.send("training", later)
	p.learned(records)

	p.correctsAndUndoes()
	p.worksTheQueue()
	p.knowsTheWorkers(pipeline)
	p.quiet(origin)
	console.stop()
	startsAgain(browser, t, records/2, 4, pipeline.console()...)
}

// halves writes the first and the other half of the lines of a file to files of their own.
func halves(t *testing.T, path string) (first, second string) {
	t.Helper()
	text := filetest.Read(t, path)
	lines := slices.Collect(strings.Lines(string(text)))
	return file(t, "first.jsonl", strings.Join(lines[:len(lines)/2], "")), file(t, "second.jsonl", strings.Join(lines[len(lines)/2:], ""))
}

// learned waits until the model has so many documents.
func (p *tab) learned(documents int) {
	p.t.Helper()
	p.until("the records to be learned", fmt.Sprintf(`fetch("/v1/model").then((r) => r.json()).then((m) => m.documents === %d)`, documents))
}

// knowsTheWorkers sees on the page Live that all workers are well and that the replicas agree.
func (p *tab) knowsTheWorkers(pipeline *pipeline) {
	p.t.Helper()
	p.press("gl")
	p.until("replicas at one offset that agree", `fetch("/v1/stats").then((r) => r.json()).then((s) => s.status?.agree)`)
	p.until("the strip", `document.querySelectorAll(".strip a").length === 3`)
	links := evaluate[[]string](p, `[...document.querySelectorAll(".strip a")].map((a) => a.href.replace(/\/$/, ""))`)
	for _, want := range pipeline.workers {
		if !slices.Contains(links, want) {
			p.t.Errorf("the strip links to %q, not to %s", links, want)
		}
	}
	p.judge("two classify", wholly)
	p.picture("two-classify")
}
