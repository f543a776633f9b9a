package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/filetest"
)

// logged is a log that a test reads while the server writes it.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// serve starts a server on a free port of loopback and returns its base URL.
func serve(t *testing.T, o httpapi.Options) string {
	t.Helper()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = httpapi.NewMetrics(httpapi.Ingest)
	}
	return start(t, httpapi.New(o))
}

// start starts a server, and returns its address.
func start(t *testing.T, s *httpapi.Server) string {
	t.Helper()
	if _, err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return "http://" + s.Addr()
}

// reply is an answer that was read to its end.
type reply struct {
	*http.Response
	body string
}

func ask(t *testing.T, method, url string, body io.Reader, change ...func(*http.Request)) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, c := range change {
		c(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return reply{resp, string(b)}
}

// reason returns the reason of a failure, and checks that it has a sentence.
func (r reply) reason(t *testing.T) string {
	t.Helper()
	var f struct {
		Error struct{ Reason, Message string }
	}
	if err := json.Unmarshal([]byte(r.body), &f); err != nil || f.Error.Message == "" || r.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("got %q of type %q, want an error in JSON (%v)", r.body, r.Header.Get("Content-Type"), err)
	}
	return f.Error.Reason
}

func (r reply) wantFailure(t *testing.T, status int, reason string) {
	t.Helper()
	if got := r.reason(t); r.StatusCode != status || got != reason {
		t.Errorf("got %d %s, want %d %s: %s", r.StatusCode, got, status, reason, r.body)
	}
}

func TestMetricsRoute(t *testing.T) {
	m := httpapi.NewMetrics(httpapi.Ingest)
	m.Learned(12)
	l := learn(t, true, "")
	m.ObserveState(l.read)
	r := ask(t, http.MethodGet, serve(t, httpapi.Options{Metrics: m})+"/metrics", nil)
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("got %d of type %q, want 200 of text/plain", r.StatusCode, r.Header.Get("Content-Type"))
	}
	for _, line := range []string{"bayestream_learned_records_total 12\n", "bayestream_log_next_offset 1\n", "go_goroutines ", `bayestream_build_info{`} {
		if !strings.Contains(r.body, line) {
			t.Errorf("the scrape lacks %q", line)
		}
	}
	r = ask(t, http.MethodGet, serve(t, httpapi.Options{Metrics: m})+"/metrics", nil, func(req *http.Request) {
		req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	})
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/openmetrics-text") || !strings.HasSuffix(r.body, "# EOF\n") {
		t.Errorf("got type %q, want OpenMetrics for who asks for it", r.Header.Get("Content-Type"))
	}
}

func TestLivez(t *testing.T) {
	url := serve(t, httpapi.Options{Ready: func() httpapi.Readiness { return httpapi.Readiness{} }})
	if r := ask(t, http.MethodGet, url+"/livez", nil); r.StatusCode != http.StatusOK || r.body != "ok\n" {
		t.Errorf("got %d %q of a worker that is not ready, want 200 ok", r.StatusCode, r.body)
	}
}

func TestReadyz(t *testing.T) {
	ready := httpapi.Readiness{Ready: true, Checks: []httpapi.Check{{Name: "store", OK: true, Detail: "open"}}}
	url := serve(t, httpapi.Options{Ready: func() httpapi.Readiness { return ready }})
	for _, want := range []struct {
		status int
		body   string
	}{
		{200, `{"ready":true,"checks":[{"name":"store","ok":true,"detail":"open"}]}`},
		{503, `{"ready":false,"checks":[]}`},
	} {
		r := ask(t, http.MethodGet, url+"/readyz", nil)
		if r.StatusCode != want.status || r.body != want.body+"\n" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %d %s, want %d %s", r.StatusCode, r.body, want.status, want.body)
		}
		ready = httpapi.Readiness{}
	}
}

func TestVersion(t *testing.T) {
	r := ask(t, http.MethodGet, serve(t, httpapi.Options{Role: "ingest"})+"/version", nil)
	var v map[string]any
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatal(err)
	}
	if v["version"] == "" || v["role"] != "ingest" || v["go"] != runtime.Version() || v["format"] != float64(codec.Format) {
		t.Errorf("got %s, want the build of ingest with its Go version and format", r.body)
	}
}

func TestDigest(t *testing.T) {
	for _, ledger := range []bool{true, false} {
		l := learn(t, ledger, "")
		l.documents(fold.Source{Topic: "training"}, "spam", 3, "win a prize")
		counts, ledgers := l.state.Digests()
		want := fmt.Sprintf(`{"offset":1,"counts":%q}`, counts)
		if ledger {
			want = fmt.Sprintf(`{"offset":1,"counts":%q,"ledger":%q}`, counts, ledgers)
		}
		r := ask(t, http.MethodGet, serve(t, httpapi.Options{State: l.read})+"/v1/digest", nil)
		if r.StatusCode != http.StatusOK || r.body != want+"\n" {
			t.Errorf("got %d %s, want %s", r.StatusCode, r.body, want)
		}
	}
}

func TestIndex(t *testing.T) {
	classify := func(context.Context, io.Writer, []byte, bool) error { return nil }
	r := ask(t, http.MethodGet, serve(t, httpapi.Options{Role: "classify", Classify: classify})+"/", nil)
	for _, part := range []string{"Bayestream classify", "/readyz", "/v1/snapshot", "/v1/classify", "color-scheme"} {
		if !strings.Contains(r.body, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	for _, part := range []string{"<script", "/v1/labels", "http:", "https:"} {
		if strings.Contains(r.body, part) {
			t.Errorf("the page has %q: want no script, nothing from elsewhere, nothing that is not offered", part)
		}
	}
	if r.StatusCode != http.StatusOK || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("got %d with policy %q", r.StatusCode, r.Header.Get("Content-Security-Policy"))
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	url := serve(t, httpapi.Options{})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{http.MethodGet, "/v1/nothing", 404, ""},
		{http.MethodGet, "/metrics/x", 404, ""},
		{http.MethodPost, "/metrics", 405, "GET, HEAD"},
		{http.MethodDelete, "/readyz", 405, "GET, HEAD"},
		{http.MethodPut, "/v1/snapshot", 405, "GET, HEAD"},
		{http.MethodGet, "/v1/classify", 405, "POST"},
		{http.MethodPost, "/", 405, "GET, HEAD"},
	} {
		r := ask(t, c.method, url+c.path, nil)
		r.wantFailure(t, c.status, map[int]string{404: "no_such_call", 405: "bad_method"}[c.status])
		if r.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: got %d allowing %q, want %d allowing %q", c.method, c.path, r.StatusCode, r.Header.Get("Allow"), c.status, c.allow)
		}
	}
}

// answering returns a Classify that writes what f returns.
func answering(f func(ctx context.Context, body []byte, spans bool) ([]byte, error)) func(context.Context, io.Writer, []byte, bool) error {
	return func(ctx context.Context, to io.Writer, body []byte, spans bool) error {
		answer, err := f(ctx, body, spans)
		if err == nil {
			_, err = to.Write(answer)
		}
		return err
	}
}

// An answer that cannot be finished does not look like a whole one.
func TestClassifyBreaksOff(t *testing.T) {
	url := serve(t, httpapi.Options{Classify: func(_ context.Context, to io.Writer, _ []byte, _ bool) error {
		_, err := to.Write([]byte("[{}"))
		return errors.Join(err, errors.New("as this test wants"))
	}}) + "/v1/classify"
	r, err := http.Post(url, "application/json", strings.NewReader("[]"))
	if err != nil {
		return // nothing came at all
	}
	defer func() { _ = r.Body.Close() }()
	if body, err := io.ReadAll(r.Body); err == nil {
		t.Errorf("got %d %s as a whole answer", r.StatusCode, body)
	}
}

// A body for which there is no room waits, and is refused in the end.
func TestBodiesWaitForRoom(t *testing.T) {
	memory := budget.New(1600)
	o := httpapi.Options{Addr: "127.0.0.1:0", Metrics: httpapi.NewMetrics(httpapi.Ingest), Log: slog.New(slog.DiscardHandler), Memory: memory}
	o.Classify = answering(func(context.Context, []byte, bool) ([]byte, error) { return []byte("{}"), nil })
	s := httpapi.New(o)
	s.RoomTime(50 * time.Millisecond)
	url := start(t, s) + "/v1/classify"
	all, ok := memory.Try(budget.Requests, 1)
	if !ok {
		t.Fatal("no room in an empty budget")
	}
	body := strings.Repeat("x", 1000)
	ask(t, http.MethodPost, url, strings.NewReader(body)).wantFailure(t, 503, "busy")
	all.Release()
	if r := ask(t, http.MethodPost, url, strings.NewReader(body)); r.StatusCode != http.StatusOK || memory.Held(budget.Requests) != 0 {
		t.Errorf("got %d, and %d bytes are held", r.StatusCode, memory.Held(budget.Requests))
	}
}

func TestClassify(t *testing.T) {
	var answer []byte
	var failure error
	url := serve(t, httpapi.Options{Classify: answering(func(_ context.Context, body []byte, _ bool) ([]byte, error) {
		return append(answer, body...), failure
	})}) + "/v1/classify"
	answer = []byte("seen: ")
	if r := ask(t, http.MethodPost, url, strings.NewReader(`{"text":"hi"}`)); r.StatusCode != http.StatusOK || r.body != `seen: {"text":"hi"}` || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %d %q of type %q", r.StatusCode, r.body, r.Header.Get("Content-Type"))
	}
	failure = fmt.Errorf("decode: %w", wire.Rejectf(wire.NoText, "field %q", "text"))
	r := ask(t, http.MethodPost, url, nil)
	r.wantFailure(t, 400, "no_text")
	if !strings.Contains(r.body, `no text: field \"text\"`) {
		t.Errorf("got %s, want the sentence of the reject", r.body)
	}
	failure = fmt.Errorf("no spec in the model log yet: %w", httpapi.ErrNotReady)
	r = ask(t, http.MethodPost, url, nil)
	r.wantFailure(t, 503, "not_ready")
	if r.Header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	failure = errors.New("/var/lib/secret: broken")
	r = ask(t, http.MethodPost, url, nil)
	r.wantFailure(t, 500, "internal")
	if strings.Contains(r.body, "secret") {
		t.Errorf("got %s, want no detail of a failure inside", r.body)
	}
}

// A form or script of another page cannot send a document: browsers say where it comes from, and a
// form has no JSON.
func TestClassifyRefusesOtherSites(t *testing.T) {
	url := serve(t, httpapi.Options{Classify: answering(func(context.Context, []byte, bool) ([]byte, error) { return []byte("{}"), nil })})
	own := strings.TrimPrefix(url, "http://")
	for _, c := range []struct {
		header, value string
		status        int
		reason        string
	}{
		{"Sec-Fetch-Site", "cross-site", 403, "cross_site"},
		{"Sec-Fetch-Site", "same-site", 403, "cross_site"}, // another port of this machine
		{"Sec-Fetch-Site", "same-origin", 200, ""},
		{"Sec-Fetch-Site", "none", 200, ""},
		{"Origin", "https://evil.example", 403, "cross_site"},
		{"Origin", "null", 403, "cross_site"},
		{"Origin", "http://127.0.0.1:1", 403, "cross_site"},
		{"Origin", "http://" + own, 200, ""},
		{"Content-Type", "", 415, "bad_type"},
		{"Content-Type", "text/plain", 415, "bad_type"},
		{"Content-Type", "application/x-www-form-urlencoded", 415, "bad_type"},
		{"Content-Type", "multipart/form-data; boundary=x", 415, "bad_type"},
		{"Content-Type", "application/json; charset=utf-8", 200, ""},
		{"Content-Type", "Application/JSON", 200, ""},
		{"Content-Type", "message/rfc822", 200, ""},
		{"Content-Type", "application/octet-stream", 200, ""},
		{"Content-Type", "application/x-ndjson", 200, ""},
	} {
		r := ask(t, http.MethodPost, url+"/v1/classify", strings.NewReader("{}"), func(req *http.Request) { req.Header.Set(c.header, c.value) })
		if c.reason != "" {
			r.wantFailure(t, c.status, c.reason)
		} else if r.StatusCode != c.status {
			t.Errorf("%s: %s: %d %s, want %d", c.header, c.value, r.StatusCode, r.body, c.status)
		}
	}
	if r := ask(t, http.MethodGet, url+"/livez", nil, func(req *http.Request) { req.Header.Set("Sec-Fetch-Site", "cross-site") }); r.StatusCode != http.StatusOK {
		t.Errorf("GET /livez: %d", r.StatusCode)
	}
}

// A parameter without an effect is refused, and the document is not looked at.
func TestClassifyKnowsNoParameters(t *testing.T) {
	url := serve(t, httpapi.Options{Classify: answering(func(context.Context, []byte, bool) ([]byte, error) { return []byte("{}"), nil })}) + "/v1/classify"
	for query, says := range map[string]string{
		"?prior=spam&evidence=3": `unknown query parameters [\"evidence\" \"prior\"]: leave them out`,
		"?a;b":                   "the query of the address cannot be read",
		"?spans=1&top=3":         `unknown query parameters [\"top\"]: leave them out`,
		"?spans":                 `the query parameter spans is [\"\"]: want 1 or 0`,
		"?spans=1&spans=0":       "want 1 or 0",
	} {
		r := ask(t, http.MethodPost, url+query, nil)
		r.wantFailure(t, 400, "bad_request")
		if !strings.Contains(r.body, says) {
			t.Errorf("%s: got %s, want %s", query, r.body, says)
		}
	}
	if r := ask(t, http.MethodPost, url+"?", nil); r.StatusCode != http.StatusOK {
		t.Errorf("an empty query: %d", r.StatusCode)
	}
}

// The places of the evidence are asked for in the query.
func TestClassifySpans(t *testing.T) {
	url := serve(t, httpapi.Options{Classify: answering(func(_ context.Context, _ []byte, spans bool) ([]byte, error) { return fmt.Append(nil, spans), nil })}) + "/v1/classify"
	for query, want := range map[string]string{"": "false", "?spans=1": "true", "?spans=true": "true", "?spans=0": "false"} {
		if r := ask(t, http.MethodPost, url+query, nil); r.body != want {
			t.Errorf("%s: got %s, want %s", query, r.body, want)
		}
	}
}

func TestClassifyNotOffered(t *testing.T) {
	ask(t, http.MethodPost, serve(t, httpapi.Options{})+"/v1/classify", nil).wantFailure(t, 404, "not_offered")
}

func TestClassifyTakesAMebibyteAndNoMore(t *testing.T) {
	url := serve(t, httpapi.Options{Classify: answering(func(_ context.Context, body []byte, _ bool) ([]byte, error) {
		return fmt.Append(nil, len(body)), nil
	})}) + "/v1/classify"
	if r := ask(t, http.MethodPost, url, strings.NewReader(strings.Repeat("x", 1<<20))); r.StatusCode != http.StatusOK || r.body != "1048576" {
		t.Errorf("got %d %s for 1 MiB, want 200", r.StatusCode, r.body)
	}
	r := ask(t, http.MethodPost, url, strings.NewReader(strings.Repeat("x", 1<<20+1)))
	r.wantFailure(t, 413, "too_large")
	if !r.Close {
		t.Error("the connection stays open after a body that was not read")
	}
}

func TestPanicIsA500(t *testing.T) {
	var log logged
	url := serve(t, httpapi.Options{Log: log.logger(), Ready: func() httpapi.Readiness { panic("bug 17") }})
	ask(t, http.MethodGet, url+"/readyz", nil).wantFailure(t, 500, "internal")
	for _, part := range []string{"bug 17", "path=/readyz", "server_test.go"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q: %s", part, log.String())
		}
	}
	if r := ask(t, http.MethodGet, url+"/livez", nil); r.StatusCode != http.StatusOK {
		t.Errorf("got %d after a panic, want 200", r.StatusCode)
	}
}

// A stranger's page reaches loopback under a name of its own; see the package comment.
func TestStrangersHostIsRefusedOnLoopback(t *testing.T) {
	url := serve(t, httpapi.Options{Addr: "localhost:0"})
	port := url[strings.LastIndex(url, ":"):]
	for host, status := range map[string]int{
		"127.0.0.1" + port: 200, "[::1]" + port: 200, "[::1]": 200, "10.1.2.3": 200, "localhost" + port: 200, "LOCALHOST.": 200,
		"evil.example" + port: 403, "evil.example": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "worker" + port: 403,
	} {
		r := ask(t, http.MethodGet, url+"/livez", nil, func(req *http.Request) { req.Host = host })
		if r.StatusCode != status {
			t.Errorf("Host %q: got %d, want %d", host, r.StatusCode, status)
		}
		if status == 403 {
			r.wantFailure(t, 403, "unknown_host")
		}
	}
}

func TestEveryHostIsAnsweredBeyondLoopback(t *testing.T) {
	var log logged
	_, port, err := net.SplitHostPort(strings.TrimPrefix(serve(t, httpapi.Options{Addr: "0.0.0.0:0", Log: log.logger()}), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	r := ask(t, http.MethodGet, "http://127.0.0.1:"+port+"/livez", nil, func(req *http.Request) { req.Host = "ingest:7431" })
	if r.StatusCode != http.StatusOK {
		t.Errorf("got %d, want 200: other machines know the worker by its name", r.StatusCode)
	}
	if !strings.Contains(log.String(), "open to other machines") {
		t.Errorf("the log does not warn: %s", log.String())
	}
}

func TestStartSaysWhatToDo(t *testing.T) {
	taken := strings.TrimPrefix(serve(t, httpapi.Options{}), "http://")
	for addr, part := range map[string]string{taken: "--http", "nowhere": "host:port"} {
		_, err := httpapi.Start(httpapi.Options{Addr: addr})
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: got %v, want an error with %q", addr, err, part)
		}
	}
}

func TestNoAddressServesNothing(t *testing.T) {
	s, err := httpapi.Start(httpapi.Options{})
	if err != nil || s.Addr() != "" {
		t.Fatalf("got %q, %v, want no address and no error", s.Addr(), err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

// Shutdown waits for what is under way, and cuts off what does not end, but never returns before it
// has.
func TestShutdown(t *testing.T) {
	for _, patient := range []bool{true, false} {
		entered, release, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
		s, err := httpapi.Start(httpapi.Options{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Classify: answering(func(ctx context.Context, _ []byte, _ bool) ([]byte, error) {
			defer close(left)
			close(entered)
			select {
			case <-release:
				return []byte("late"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})})
		if err != nil {
			t.Fatal(err)
		}
		answer := make(chan string)
		go func() {
			resp, err := http.Post("http://"+s.Addr()+"/v1/classify", "application/json", nil)
			if err != nil {
				answer <- "cut off"
				return
			}
			b, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			answer <- string(b)
		}()
		<-entered
		wait, wanted := 10*time.Second, "late"
		if patient {
			time.AfterFunc(100*time.Millisecond, func() { close(release) })
		} else {
			wait, wanted = 100*time.Millisecond, "cut off"
		}
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		cancel()
		select {
		case <-left:
		default:
			t.Error("Shutdown returned while a request was running")
		}
		if got := <-answer; got != wanted {
			t.Errorf("patient %v: got %q, want %q", patient, got, wanted)
		}
		http.DefaultClient.CloseIdleConnections()
		if _, err := net.DialTimeout("tcp", s.Addr(), time.Second); err == nil {
			t.Error("it still accepts connections")
		}
	}
}

// copyOf writes a file as a snapshot is.
func copyOf(t *testing.T, content []byte) *os.File {
	t.Helper()
	name := t.TempDir() + "/snapshot.db"
	filetest.Write(t, name, content)
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
