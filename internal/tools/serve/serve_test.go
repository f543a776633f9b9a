package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/console"
	"bayestream/internal/tools/status"
)

// running is a pipeline that a test asks.
type running struct {
	t     *testing.T
	url   string
	token string
	said  []string
	stop  func()
}

// start runs a pipeline on a model file until it is ready.
func start(t *testing.T, model string) *running {
	t.Helper()
	return startWith(t, model, func(*Options) {})
}

// optionsOf returns the options of a model file on free ports.
func optionsOf(model string) Options {
	o := Options{Model: model, Addr: "127.0.0.1:0", Kafka: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}
	o.Console = console.Options{Kafka: config.Default[config.Classify]().Kafka, Keep: console.UsualKeep}
	return o
}

// startWith is start with other options.
func startWith(t *testing.T, model string, change func(*Options)) *running {
	t.Helper()
	r := &running{t: t}
	ready, ended := make(chan struct{}), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	o := optionsOf(model)
	o.Said = func(line string) {
		r.said = append(r.said, line)
		if page, is := strings.CutPrefix(line, "console  "); is {
			r.url, r.token, _ = strings.Cut(page, "/#token=")
		}
		if line == "ready" {
			close(ready)
		}
	}
	change(&o)
	go func() { ended <- Run(ctx, o) }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("it has ended before it was ready: %v", err)
	}
	r.stop = func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("it ends with %v", err)
		}
	}
	return r
}

// ask sends a request, and decodes the answer where there is something to decode into.
func (r *running) ask(method, path, body string, into any) (status int) {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "Subject:") {
		q.Header.Set("Content-Type", "message/rfc822")
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if whole, ok := into.(*string); ok {
		*whole = string(text)
	} else if err == nil && into != nil {
		err = json.NewDecoder(bytes.NewReader(text)).Decode(into)
	}
	if err != nil {
		r.t.Errorf("%s %s: %v: %s", method, path, err, text)
	}
	return resp.StatusCode
}

// label says a label and wants its outcome.
func (r *running) label(body, outcome string) {
	r.t.Helper()
	var got struct{ Outcome, Reason string }
	if status := r.ask("POST", "/v1/labels?wait=30s", body, &got); status != http.StatusOK || got.Outcome != outcome {
		r.t.Errorf("%s: %d %+v, want %s", body, status, got, outcome)
	}
}

// classes returns how many documents each class has in a model file.
func classes(t *testing.T, model string) string {
	t.Helper()
	state, err := store.ReadModel(model, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range []string{"power", "water"} {
		fmt.Fprintf(&b, "%s %d ", name, documentsOf(state, name))
	}
	return strings.TrimSpace(b.String())
}

func documentsOf(state *fold.State, class string) int64 {
	id, known := state.Model().Classes().ID(class)
	if !known {
		return 0
	}
	return state.Model().Classes().Documents(id)
}

// TestServe learns, labels and corrects at one address. What is kept is there at the next start.
func TestServe(t *testing.T) {
	model := filepath.Join(t.TempDir(), "tickets.db")
	r := start(t, model)
	r.label(`{"id":"T-1","text":"no light in the hall","label":"power"}`, "counted")
	r.label(`{"id":"T-2","text":"no water in the hall","label":"water"}`, "counted")
	r.label(`{"id":"T-2","text":"no water in the hall","label":"water"}`, "counted") // a repeat
	var one struct{ Label string }
	if r.ask("POST", "/v1/classify", `{"id":"T-3","text":"the light is out"}`, &one); one.Label != "power" {
		t.Errorf("the label is %q", one.Label)
	}
	var several []struct{ ID string }
	if r.ask("POST", "/v1/classify", `[{"id":"T-4","text":"wet"},{"id":7},{"id":"T-5","text":"dark"}]`, &several); len(several) != 3 {
		t.Errorf("there are %d answers", len(several))
	}
	for _, id := range []string{"T-3", "T-4"} {
		r.label(fmt.Sprintf(`{"id":%q,"label":"water"}`, id), "counted")
	}
	r.label(`{"id":"T-3","label":"power"}`, "counted")
	for body, want := range map[string]string{`{"id":"T-3","label":"watre"}`: `"watre" yet; did you mean "water"? (?new `, `{"id":"T-8","text":"wet","label":"Water"}`: `did you mean "water"?`} {
		var got struct{ Error struct{ Message string } }
		if status := r.ask("POST", "/v1/labels", body, &got); status != http.StatusConflict || !strings.Contains(got.Error.Message, want) {
			t.Errorf("%s: %d %+v", body, status, got)
		}
	}
	if status := r.ask("POST", "/v1/labels?new&wait=30s", `{"id":"T-8","text":"wet","label":"Water"}`, nil); status != http.StatusOK {
		t.Errorf("a label that is new: %d", status)
	}
	r.label(`{"id":"T-7","text":"it smells","label":"gas"}`, "counted") // new, and like no other
	var metrics string
	if r.ask("GET", "/metrics", "", &metrics); !strings.Contains(metrics, "bayestream_alike_classes_total{worker=\"ingest\"} 1\n") {
		t.Error("the metrics do not count the class that looks like another one")
	}
	if status := r.ask("POST", "/v1/labels", `{"id":"T-9","label":"power"}`, nil); status != http.StatusNotFound {
		t.Errorf("a document that nobody knows: %d", status)
	}
	if status := r.ask("GET", "/readyz", "", nil); status != http.StatusOK {
		t.Errorf("/readyz: %d", status)
	}
	token := r.token
	r.stop()
	if got := classes(t, model); got != "power 2 water 2" {
		t.Errorf("the model has %s", got)
	}
	r = start(t, model)
	r.label(`{"id":"T-5","label":"power"}`, "counted") // which was answered before the stop
	r.label(`{"id":"T-1","label":null}`, "counted")
	r.stop()
	if got := classes(t, model); got != "power 2 water 2" || r.token != token {
		t.Errorf("the model has %s, the token is %s and was %s", got, r.token, token)
	}
}

// TestServeSaysWhyItEnds returns the error of the worker that failed.
func TestServeSaysWhyItEnds(t *testing.T) {
	dir := t.TempDir()
	spec := filepath.Join(dir, "spec.yaml")
	if err := os.WriteFile(spec, []byte("text: {ngrams: 9}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Model: filepath.Join(dir, "m.db"), Addr: "127.0.0.1:0", Kafka: "127.0.0.1:0", Spec: spec,
		Log: slog.New(slog.DiscardHandler), Said: func(string) {}}
	o.Console = console.Options{Kafka: config.Default[config.Classify]().Kafka, Keep: console.UsualKeep}
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "n-grams") {
		t.Errorf("it ends with %v", err)
	}
}

// TestEmptyTokenIsRefused: a start that was killed may leave the file empty, which must not let
// everybody in.
func TestEmptyTokenIsRefused(t *testing.T) {
	p := &pipeline{folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.folder, "token"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.readToken(); err == nil || !strings.Contains(err.Error(), p.folder) {
		t.Errorf("the token is %q, the error %v", p.key, err)
	}
}

// TestMetricsOfBoth have no family twice, and say whose each series is.
func TestMetricsOfBoth(t *testing.T) {
	r := start(t, filepath.Join(t.TempDir(), "m.db"))
	defer r.stop()
	var body string
	if status := r.ask("GET", "/metrics", "", &body); status != http.StatusOK {
		t.Fatal(status)
	}
	for _, want := range []string{`bayestream_assigned_partitions{worker="ingest"} `, `bayestream_assigned_partitions{worker="classify"} `} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if n := strings.Count(body, "# TYPE bayestream_assigned_partitions "); n != 1 {
		t.Errorf("a family is there %d times", n)
	}
}

// TestTakeOver begins with the counts of a model file that has no topics.
func TestTakeOver(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "old.db")
	r := start(t, model)
	r.label(`{"id":"T-1","text":"no light","label":"power"}`, "counted")
	r.stop()
	if err := os.RemoveAll(model + ".topics"); err != nil {
		t.Fatal(err)
	}
	r = start(t, model)
	r.label(`{"id":"T-1","text":"no water","label":"water"}`, "counted") // its id is in no ledger
	r.stop()
	if got := classes(t, model); got != "power 1 water 1" {
		t.Errorf("the model has %s", got)
	}
	aside, err := filepath.Glob(model + ".before-serve-*")
	if err != nil || len(aside) != 1 || !strings.Contains(r.said[0], aside[0]) {
		t.Errorf("the old file is %v, %v; it said %q", aside, err, r.said[0])
	}
}

// TestAnswered pairs documents with their decisions, and leaves out those that were refused.
func TestAnswered(t *testing.T) {
	const a, b, no = `{"id":"a","status":"ok"}`, `{"id":"b","status":"ok"}`, `{"error":{"reason":"no_text"}}`
	for name, c := range map[string]struct {
		body, answer string
		want         []string
	}{
		"one":                  {`{"text":"x"}`, a, []string{`a {"text":"x"}`}},
		"one of several lines": {"{\n\"text\":\"x\"}", a, []string{"a {\n\"text\":\"x\"}"}},
		"an array":             {`[{"n":1}, {"n":2},{"n":3}]`, "[" + a + "," + no + "," + b + "]", []string{`a {"n":1}`, `b {"n":3}`}},
		"lines":                {"{\"n\":1}\n\n{\"n\":2}", no + "\n" + b + "\n", []string{`b {"n":2}`}},
		"no array":             {"[]", "[]", nil},
		"a refusal":            {"{}", no, nil},
	} {
		var got []string
		for _, rec := range answered([]byte(c.body), []byte(c.answer)) {
			got = append(got, string(rec.Key)+" "+string(rec.Value))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestRecentIsBounded: the oldest documents are forgotten, and a body that says its source stays.
func TestRecentIsBounded(t *testing.T) {
	r := newRecent()
	for i := range mostRecent + 5 {
		r.add(fmt.Sprint("id", i), int64(i))
	}
	r.add("", 1)
	n := 0
	for range r.offsets.All {
		n++
	}
	if r.source("id4") != nil || r.source("") != nil || r.source("id5") == nil || n != mostRecent {
		t.Errorf("%d documents, the oldest at %v", n, r.source("id4"))
	}
	for body, want := range map[string]string{
		`{"id":"id9","label":"a"}`:                          `{"id":"id9","label":"a","source":"documents/0/9"}`,
		`{"id":"id9","label":null}`:                         `{"id":"id9","label":null,"source":"documents/0/9"}`,
		`{"id":"id9","label":"a","source":"documents/0/1"}`: `{"id":"id9","label":"a","source":"documents/0/1"}`,
		`{"id":"none","label":"a"}`:                         `{"id":"none","label":"a"}`,
		`no JSON`:                                           `no JSON`,
	} {
		if got := string(r.name([]byte(body))); got != want {
			t.Errorf("%s became %s, want %s", body, got, want)
		}
	}
}

// TestTokenOfServe: with a token file every label needs the token, as Bearer or as the password of a
// URL; without one none does on loopback.
func TestTokenOfServe(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("sixteen characters"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startWith(t, filepath.Join(t.TempDir(), "m.db"), func(o *Options) {
		o.Token = token
		o.Console.Token = func() ([]byte, error) { return os.ReadFile(token) }
	})
	defer r.stop()
	const record = `{"id":"T-1","text":"no light","label":"power"}`
	if status := r.ask("POST", "/v1/labels", record, nil); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	r.url = strings.Replace(r.url, "http://", "http://:sixteen%20characters@", 1)
	r.label(record, "counted")
}

// TestServeRefusesAtOnce: beyond loopback without a certificate, and beside another serve of the model,
// before anything is made.
func TestServeRefusesAtOnce(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	o := Options{Model: model, Addr: "0.0.0.0:0", Kafka: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)}
	if err := Run(t.Context(), o); !errors.Is(err, console.ErrOpen) {
		t.Errorf("beyond loopback: %v", err)
	}
	if left, err := filepath.Glob(model + "*"); err != nil || len(left) > 0 {
		t.Errorf("it leaves %q, %v", left, err)
	}
	r := start(t, model)
	defer r.stop()
	o.Addr = "127.0.0.1:0"
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "another serve has "+model+" open") {
		t.Errorf("a second one: %v", err)
	}
}

// TestRefusedCalls: other methods are refused with those that there are, and large bodies with the limit.
func TestRefusedCalls(t *testing.T) {
	r := start(t, filepath.Join(t.TempDir(), "m.db"))
	defer r.stop()
	for _, path := range []string{"/v1/labels", "/v1/classify"} {
		for _, size := range []int{httpapi.MaxBody + 1, 3 * httpapi.MaxBody} {
			var refused struct{ Error struct{ Message string } }
			if status := r.ask("POST", path, strings.Repeat("x", size), &refused); status != http.StatusRequestEntityTooLarge ||
				refused.Error.Message != "the body has more than 1048576 bytes, the limit: send less at once" {
				t.Errorf("%d bytes to %s: %d %+v", size, path, status, refused)
			}
		}
	}
	for _, path := range []string{"/v1/labels", "/v1/classify", "/v1/stats"} {
		var got struct{ Error struct{ Reason string } }
		if status := r.ask("PUT", path, "{}", &got); status != http.StatusMethodNotAllowed || got.Error.Reason != "bad_method" {
			t.Errorf("PUT %s: %d %+v", path, status, got)
		}
	}
}

// TestStatusAtOnce: what is asked right behind the readiness is true, and needs nobody.
func TestStatusAtOnce(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	for learned := range int64(3) {
		r := start(t, model)
		var got struct{ Status *status.Status }
		r.ask("GET", "/v1/stats", "", &got)
		switch s := got.Status; {
		case s == nil || s.Learned == nil || len(s.Workers) != 2 || !s.Workers[0].Ready || !s.Workers[1].Ready:
			t.Errorf("after %d documents it has not looked: %+v", learned, s)
		case *s.Learned != learned || s.IsWell() != (learned > 0):
			t.Errorf("after %d documents: %d are learned, %s", learned, *s.Learned, s.Summary())
		}
		r.label(fmt.Sprintf(`{"id":"d%d","text":"a text","label":"power"}`, learned), "counted")
		for looks := 0; *got.Status.Learned <= learned; looks++ { // the console folds the log for itself
			if looks == 50 {
				t.Fatalf("after %d documents the same look answers %d times", learned, looks)
			}
			r.ask("GET", "/v1/stats", "", &got)
		}
		r.stop()
	}
}

// TestAnotherCounting: a spec that counts differently needs another file, which is a flag of serve.
func TestAnotherCounting(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.db")
	start(t, model).stop()
	err := failed(t, model, func(o *Options) { o.Preset.Preset = "sms" })
	if !strings.HasPrefix(err.Error(), "--preset=sms counts differently from the model in "+model+": ") ||
		!strings.HasSuffix(err.Error(), "; name a new file with --model") {
		t.Errorf("it ends with %v", err)
	}
}

// TestMailsAreCorrected by their source: they have no id.
func TestMailsAreCorrected(t *testing.T) {
	r := startWith(t, filepath.Join(t.TempDir(), "m.db"), func(o *Options) { o.Preset.Preset = "mail" })
	defer r.stop()
	for i := range 2 {
		var d struct{ Source json.RawMessage }
		const mail = "Subject: cheap\n\ncheap pills \"source\":null\n"
		if status := r.ask("POST", "/v1/classify", mail, &d); status != http.StatusOK {
			t.Errorf("a mail: %d", status)
		}
		if want := fmt.Sprintf(`{"topic":"documents","partition":0,"offset":%d}`, i); string(d.Source) != want {
			t.Errorf("the answer says the source %s, want %s", d.Source, want)
		}
		r.label(fmt.Sprintf(`{"source":%s,"label":"spam"}`, d.Source), "counted")
	}
	var got struct {
		Error struct{ Reason, Message string }
	}
	if r.ask("POST", "/v1/labels", `{"id":"m","text":"x","label":"spam"}`, &got); got.Error.Reason != "bad_correction" {
		t.Errorf("a record in JSON: %+v", got)
	}
}
