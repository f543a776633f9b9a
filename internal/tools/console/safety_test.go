package console

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/status"
)

// alone returns a console that reaches no broker and does not run.
func alone(t *testing.T, change func(*Options)) *Console {
	t.Helper()
	kafka := config.Default[config.Ingest]().Kafka
	kafka.Brokers = []string{"127.0.0.1:1"}
	o := Options{
		Kafka: kafka, Topics: status.Topics{Model: "model", Training: "training", Documents: "documents", Labels: []string{"labels"}, Dead: "dead"}, Keep: 10, Log: slog.New(slog.DiscardHandler),
		Token: func() ([]byte, error) { return []byte(testToken), nil },
	}
	if change != nil {
		change(&o)
	}
	c, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.client.Close)
	c.guard.Loopback = true
	return c
}

// send sends a request to a console, whose headers are pairs.
func send(c *Console, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:7430"+path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	return w
}

// What would change something needs the token, JSON and the same origin; a refusal says why in one
// word.
func TestWritingIsGuarded(t *testing.T) {
	c := alone(t, nil)
	const body = `{"documents":["m1"],"label":"ham"}`
	token := []string{"Authorization", "Bearer " + testToken}
	json := append([]string{"Content-Type", "application/json"}, token...)
	for name, x := range map[string]struct {
		path, body string
		header     []string
		status     int
		reason     string
	}{
		"no token":            {"/v1/corrections", body, []string{"Content-Type", "application/json"}, 401, "bad_token"},
		"another token":       {"/v1/corrections", body, []string{"Content-Type", "application/json", "Authorization", "Bearer 0123456789abcdeg"}, 401, "bad_token"},
		"a cookie alone":      {"/v1/corrections", body, []string{"Content-Type", "application/json", "Cookie", cookieName + "=" + cookieOf([]byte(testToken))}, 401, "bad_token"},
		"a form":              {"/v1/corrections", "label=ham", append([]string{"Content-Type", "application/x-www-form-urlencoded"}, token...), 415, "bad_type"},
		"text":                {"/v1/corrections", body, append([]string{"Content-Type", "text/plain"}, token...), 415, "bad_type"},
		"another site":        {"/v1/corrections", body, append([]string{"Sec-Fetch-Site", "cross-site"}, json...), 403, "cross_site"},
		"another origin":      {"/v1/corrections", body, append([]string{"Origin", "http://evil.example"}, json...), 403, "cross_site"},
		"try of another site": {"/v1/try", `{"format":"text","document":"x"}`, append([]string{"Origin", "http://evil.example"}, json...), 403, "cross_site"},
		"an unknown field":    {"/v1/corrections", `{"documents":["m1"],"lable":"ham"}`, json, 400, "bad_request"},
		"label and forget":    {"/v1/corrections", `{"documents":["m1"],"label":"ham","forget":true}`, json, 400, "bad_request"},
		"nothing":             {"/v1/corrections", `{"documents":["m1"]}`, json, 400, "bad_request"},
		"two values":          {"/v1/corrections", body + body, json, 400, "bad_request"},
		"too large":           {"/v1/corrections", `{"label":"` + strings.Repeat("x", maxBody) + `"}`, json, 413, "too_large"},
		"not ready":           {"/v1/corrections", body, json, 503, "not_ready"},
		"a parameter":         {"/v1/corrections?x=1", body, json, 400, "bad_request"},
	} {
		w := send(c, http.MethodPost, x.path, x.body, x.header...)
		if w.Code != x.status || !strings.Contains(w.Body.String(), `"reason":"`+x.reason+`"`) {
			t.Errorf("%s: %d %s, want %d %s", name, w.Code, w.Body, x.status, x.reason)
		}
	}
	for name, change := range map[string]func(*Options){"read_only": func(o *Options) { o.ReadOnly = true }, "no_token": func(o *Options) { o.Token = nil }} {
		if w := send(alone(t, change), http.MethodPost, "/v1/corrections", body, json...); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), name) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// A page of a foreign name that resolves to loopback reads nothing, and neither does a page of
// another site; beyond loopback nobody does without the token. Every answer has the headers that
// keep a browser from doing something with it.
func TestReadingIsGuarded(t *testing.T) {
	c := alone(t, nil)
	w := send(c, http.MethodGet, "/v1/stats", "")
	h := w.Header()
	if w.Code != http.StatusOK || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'self'") ||
		!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'; base-uri 'none'; form-action 'none'") || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", w.Code, h)
	}
	if w := send(c, http.MethodGet, "/v1/stats", "", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("a page of another site gets %d", w.Code)
	}
	r := httptest.NewRequest(http.MethodGet, "http://evil.example/v1/stats", nil)
	foreign := httptest.NewRecorder()
	c.Handler().ServeHTTP(foreign, r)
	if foreign.Code != http.StatusForbidden {
		t.Errorf("a foreign name gets %d", foreign.Code)
	}
	for _, path := range []string{"/v1/corrections", "/v1/try"} {
		if w := send(c, http.MethodGet, path+"?label=ham&documents=m1", "", "Authorization", "Bearer "+testToken); w.Code == http.StatusOK {
			t.Errorf("GET %s with parameters of a POST is answered", path)
		}
	}
	c.guard.Loopback = false
	for path := range c.reads() {
		if w := send(c, http.MethodGet, strings.NewReplacer("{class}", "a", "{term}", "b").Replace(path), ""); w.Code != http.StatusUnauthorized {
			t.Errorf("%s gets %d without the token", path, w.Code)
		}
	}
	session := send(c, http.MethodGet, "/v1/session", "", "Authorization", "Bearer "+testToken)
	cookie := session.Header().Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || !strings.Contains(cookie, "Secure") || strings.Contains(cookie, testToken) {
		t.Errorf("the cookie is %q", cookie)
	}
	value, _, _ := strings.Cut(cookie, ";")
	if w := send(c, http.MethodGet, "/v1/stats", "", "Cookie", value); w.Code != http.StatusOK {
		t.Errorf("with the cookie: %d", w.Code)
	}
	if w := send(c, http.MethodGet, "/v1/session", ""); strings.Contains(w.Body.String(), "training") && strings.Contains(w.Body.String(), `"model":"model"`) {
		t.Errorf("the session tells a stranger %s", w.Body)
	}
}

// Beyond loopback the console starts only with a certificate and a token.
func TestBeyondLoopback(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := alone(t, nil).server(l); err != ErrOpen {
		t.Errorf("without a certificate: %v", err)
	}
	if _, err := alone(t, func(o *Options) { o.Cert, o.CertKey, o.Token = "c", "k", nil }).server(l); err != ErrOpen {
		t.Errorf("without a token: %v", err)
	}
	site, cert := certificate(t)
	told := ""
	server, err := alone(t, func(o *Options) {
		o.Cert, o.CertKey = cert, cert
		o.Serving = func(url string) error {
			told = url
			return nil
		}
	}).opened(l)
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if err != nil || told != "https://localhost:"+port { // which a browser can open
		t.Fatalf("it tells %q, %v", told, err)
	}
	defer func() { _ = server.Close() }()
	go func() { _ = serve(server, l) }()
	if answer, err := site.Client().Get("https://127.0.0.1:" + port + "/v1/session"); err != nil {
		t.Error(err)
	} else if _ = answer.Body.Close(); answer.StatusCode != http.StatusOK {
		t.Errorf("a page gets %s", answer.Status)
	}
}

// certificate returns a server, whose client trusts a certificate, and the file with the
// certificate and its key.
func certificate(t *testing.T) (site *httptest.Server, file string) {
	t.Helper()
	site = httptest.NewTLSServer(nil)
	t.Cleanup(site.Close)
	pair := site.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	file = filepath.Join(t.TempDir(), "console.pem")
	filetest.Write(t, file, text)
	return site, file
}

// decisionRecord returns a decision as classify writes it.
func decisionRecord(i int) *stream.Record {
	n := strconv.Itoa(i)
	return &stream.Record{Topic: "labels", Offset: int64(i), Time: time.Unix(int64(i), 0), Value: []byte(`{"id":"m` + n + `","label":"spam","status":"ok","posterior":{"ham":0.1,"spam":0.9},"margin":2.2,` +
		`"evidence":[{"term":"word` + n + `","count":1,"weight":1.5}],"model":{"name":"m","spec":"s","offset":3,"documents":4},"source":{"topic":"documents","partition":0,"offset":` + n + `}}`)}
}

// slowReader takes one write and then nothing until it is released.
type slowReader struct {
	http.ResponseWriter
	begun   *sync.WaitGroup
	once    sync.Once
	release chan struct{}
}

func (w *slowReader) Write(b []byte) (int, error) {
	w.once.Do(w.begun.Done)
	<-w.release
	return 0, net.ErrClosed
}

func (w *slowReader) Flush() {}

// A thousand readers that take nothing cost little, and nobody waits for them; streams beyond the
// limit are refused.
func TestSlowReadersCostLittle(t *testing.T) {
	c := alone(t, nil)
	for i := range 100 {
		c.memory.add([]*entry{remember(decisionRecord(i), "bayestream")})
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse)
	}
	before := heap()
	const readers = 1000
	var begun, ended sync.WaitGroup
	release := make(chan struct{})
	handler := c.Handler()
	begun.Add(readers)
	for range readers {
		ended.Go(func() {
			w := &slowReader{ResponseWriter: httptest.NewRecorder(), begun: &begun, release: release}
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/events", nil))
		})
	}
	begun.Wait()
	const kept = 2000
	for i := range kept { // nobody waits
		c.memory.add([]*entry{remember(decisionRecord(100+i), "bayestream")})
	}
	if got := c.streams.Load(); got != readers {
		t.Errorf("%d streams are open", got)
	}
	if each := (heap() - before) / readers; each > 128<<10 {
		t.Errorf("a reader costs %d bytes", each)
	}
	c.streams.Add(mostStreams)
	if w := send(c, http.MethodGet, "/v1/events", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("one more stream gets %d", w.Code)
	}
	c.streams.Add(-mostStreams)
	close(release)
	ended.Wait()
	if got := c.streams.Load(); got != 0 {
		t.Errorf("%d streams are open at the end", got)
	}
}

// What a console remembers is bounded, and so is what it finds by id and place.
func TestMemoryIsBounded(t *testing.T) {
	m := newMemory(50, 1<<20)
	for i := range 500 {
		m.add([]*entry{remember(decisionRecord(i), "bayestream")})
		label := "ham"
		m.learn("m"+strconv.Itoa(i), said{label: &label, at: time.Now()})
	}
	if len(m.entries) != 50 || len(m.byPlace) != 50 || len(m.byID) != 50 || len(m.bySource) != 50 || m.oldest() != 450 {
		t.Errorf("%d decisions from %d on, %d places, %d ids, %d sources", len(m.entries), m.oldest(), len(m.byPlace), len(m.byID), len(m.bySource))
	}
	if e := m.find("m499"); e == nil || e.Truth == nil || *e.Truth != "ham" || m.find("m1") != nil || m.find("labels/0/460").Number != 460 || m.find("documents/0/460").Number != 460 {
		t.Error("the ring finds other decisions than it holds")
	}
}

// However large decisions and ids are, what is remembered of them has a size.
func TestMemoryIsBoundedInBytes(t *testing.T) {
	const limit = 100_000
	m := newMemory(1000, limit)
	long := strings.Repeat("x", 1000)
	for i := range 500 {
		e := remember(decisionRecord(i), "bayestream")
		m.add([]*entry{e})
		m.describe(e, &long)
		m.weigh(e, []evidenceJSON{{Term: long}})
		m.learn(long+strconv.Itoa(i%200), said{label: &long, at: time.Now()})
		sum := 0
		for _, e := range m.entries {
			sum += e.size()
		}
		labels := 0
		for id, s := range m.labels.All {
			labels += sizeOfSaid(id, s)
		}
		if sum != m.bytes || sum > limit || labels > limit || i == 499 && labels < limit/2 {
			t.Fatalf("after %d decisions: %d bytes, %d by its own count, and %d of labels", i+1, sum, m.bytes, labels)
		}
	}
	if len(m.entries) < 30 || len(m.byPlace) != len(m.entries) {
		t.Errorf("%d decisions, %d places", len(m.entries), len(m.byPlace))
	}
	huge := strings.Repeat("x", limit)
	last := m.at(m.next - 1)
	m.describe(last, &huge)
	if len(m.entries) != 1 || m.at(m.next-1) != last {
		t.Errorf("%d decisions are left beside one that is larger than all may be", len(m.entries))
	}
}

// Of a decision on many classes no more is kept than is counted.
func TestMemoryKeepsWhatItCounts(t *testing.T) {
	var posterior strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&posterior, `"class %d":0.0001,`, i)
	}
	m := newMemory(1000, 1<<30)
	heap := func() int {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int(now.HeapAlloc)
	}
	before := heap()
	for i := range 100 {
		rec := decisionRecord(i)
		rec.Value = []byte(strings.Replace(string(rec.Value), `"ham"`, posterior.String()+`"ham"`, 1))
		m.add([]*entry{remember(rec, "bayestream")})
	}
	if took := heap() - before; took > 4*m.bytes {
		t.Errorf("%d decisions of %d bytes take %d", len(m.entries), m.bytes, took)
	}
	runtime.KeepAlive(m)
}

// A stream that is slower than the decisions is sent some of them evenly, and is told how many it
// missed.
func TestEventsAreThinned(t *testing.T) {
	c := alone(t, nil)
	s := &eventStream{c: c, rate: 10, credit: 10, filter: filter{max: 1}}
	var list []*entry
	for i := range 95 {
		list = append(list, remember(decisionRecord(i), "bayestream"))
	}
	c.memory.add(list)
	s.collect()
	text := s.buffer.String()
	if n := strings.Count(text, "data: "); n != 10 {
		t.Fatalf("%d events were sent:\n%s", n, text)
	}
	sum := 10
	for _, part := range strings.Split(text, `"skipped":`)[1:] {
		n, err := strconv.Atoi(part[:strings.IndexByte(part, '}')])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum != 95 || s.skipped != 0 || s.next != 95 {
		t.Errorf("%d of 95 decisions are accounted for, the next is %d", sum, s.next)
	}
}
