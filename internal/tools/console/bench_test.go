package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/bench/labelled"
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/classify"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/ingest"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/status"
)

const testToken = "0123456789abcdef"

// patience is how long a test waits for what must come; on a loaded machine that may be long.
const patience = 2 * time.Minute

// bench is a pipeline: ingest, classify, and consoles.
type bench struct {
	t      *testing.T
	topics status.Topics
	worker string // HTTP of what answers as a worker
}

// newBench starts the workers on topics of their own.
func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchOf(t, "")
}

// newBenchOf starts the workers with a spec in a file; "": the default.
func newBenchOf(t *testing.T, spec string) *bench {
	t.Helper()
	b := &bench{t: t, topics: status.Topics{
		Model: kafkatest.Topic(t, 1, map[string]string{"retention.ms": "-1", "retention.bytes": "-1"}), Training: kafkatest.Topic(t, 2, nil), Documents: kafkatest.Topic(t, 2, nil),
		Labels: []string{kafkatest.Topic(t, 2, nil)}, Dead: kafkatest.Topic(t, 1, nil)},
	}
	in := config.Default[config.Ingest]()
	in.Spec = spec
	in.TrainingTopic, in.RefTopics = b.topics.Training, []string{b.topics.Documents}
	b.configure(&in.Worker, "ingest")
	b.run(func(ctx context.Context) error { return ingest.Run(ctx, in, slog.New(slog.DiscardHandler)) })
	out := config.Default[config.Classify]()
	out.DocumentsTopic, out.LabelsTopic = b.topics.Documents, b.topics.Labels[0]
	b.configure(&out.Worker, "classify")
	b.run(func(ctx context.Context) error { return classify.Run(ctx, out, slog.New(slog.DiscardHandler)) })
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{
			"/readyz": `{"ready":true,"checks":[{"name":"broker","ok":true,"detail":"fine"}]}`, "/version": `{"role":"ingest","version":"1"}`, "/v1/digest": `{"offset":-1,"counts":"00"}`,
		}[r.URL.Path])
	}))
	t.Cleanup(worker.Close)
	b.worker = worker.URL
	return b
}

func (b *bench) configure(c *config.Worker, name string) {
	c.Kafka.Brokers = kafkatest.Start(b.t)
	c.Group = b.topics.Model + "-" + name
	c.ModelTopic, c.DeadTopic = b.topics.Model, b.topics.Dead
	c.State = filepath.Join(b.t.TempDir(), name+".db")
	c.HTTP = ""
	c.AllowWeakTopic = true
}

// run runs a part of the pipeline until the test ends.
func (b *bench) run(part func(ctx context.Context) error) (stop func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- part(ctx) }()
	stopped := false
	stop = func() {
		cancel()
		if stopped {
			return
		}
		stopped = true
		if err := <-ended; err != nil {
			b.t.Errorf("a part of the pipeline ended with %v", err)
		}
	}
	b.t.Cleanup(stop)
	return stop
}

// site is a running console as a browser sees it.
type site struct {
	t       *testing.T
	console *Console
	url     string
	stop    func()
}

// open starts a console and waits until it has read the past.
func (b *bench) open(change ...func(*Options)) *site {
	b.t.Helper()
	kafka := config.Default[config.Ingest]().Kafka
	kafka.Brokers = kafkatest.Start(b.t)
	o := Options{
		Kafka: kafka, Topics: b.topics, EnrichField: "bayestream", Keep: 1000,
		Workers: []string{b.worker}, Token: func() ([]byte, error) { return []byte(testToken), nil }, Version: "test", Log: slog.New(slog.DiscardHandler),
	}
	for _, f := range change {
		f(&o)
	}
	c, err := Open(b.t.Context(), o)
	if err != nil {
		b.t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	s := &site{t: b.t, console: c, url: "http://" + l.Addr().String()}
	s.stop = b.run(func(ctx context.Context) error { return c.Serve(ctx, l) })
	s.await("the console is ready", func() bool { return c.ready.Load() })
	return s
}

// await waits for a condition.
func (s *site) await(what string, cond func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("in vain: %s", what)
		}
	}
}

// ask sends a request and returns the status and the body.
func (s *site) ask(method, path string, body any, header ...string) (int, []byte) {
	s.t.Helper()
	var payload io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		payload = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, payload)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+testToken)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp.StatusCode, firstEvent(s.t, resp.Body)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// firstEvent returns the data of the first event of a stream.
func firstEvent(t *testing.T, body io.Reader) []byte {
	t.Helper()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return []byte(data)
		}
	}
	t.Fatalf("the stream ended: %v", lines.Err())
	return nil
}

// get reads the answer of a call into a value.
func (s *site) get(path string, into any) {
	s.t.Helper()
	status, body := s.ask(http.MethodGet, path, nil)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, status, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		s.t.Fatalf("%s: %v: %s", path, err, body)
	}
}

// teach writes labelled records and waits until the console has them counted.
func (b *bench) teach(s *site, n int) {
	b.t.Helper()
	for i := range n {
		label, text := "ham", fmt.Sprintf("lunch on friday with friend %d", i%7)
		if i%2 == 1 {
			label, text = "spam", fmt.Sprintf("you won a prize of %d, call now", i%5)
		}
		id := fmt.Sprintf("t%d", i)
		kafkatest.Produce(b.t, b.topics.Training, i%2, stream.Record{Key: []byte(id), Value: labelled.AppendTraining(nil, id, label, text)})
	}
	s.await("the records are counted", func() bool { return s.documents() == int64(n) })
}

func (s *site) documents() (n int64) {
	s.console.replica.Read(func(state *fold.State) {
		if m := state.Model(); m != nil {
			n = m.Classes().Total()
		}
	})
	return n
}

// label writes a document and returns the decision on it.
func (b *bench) label(s *site, id, text string) decisionJSON {
	b.t.Helper()
	kafkatest.Produce(b.t, b.topics.Documents, len(id)%2, stream.Record{Key: []byte(id), Value: labelled.AppendDocument(nil, id, text)})
	var d decisionJSON
	s.await("the decision on "+id, func() bool {
		m := s.console.memory
		m.mu.RLock()
		defer m.mu.RUnlock()
		e := m.find(id)
		if e != nil {
			d = e.decisionJSON
		}
		return e != nil
	})
	return d
}
