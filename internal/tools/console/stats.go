package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
)

// statsJSON are the figures of the strip.
type statsJSON struct {
	Time        time.Time            `json:"time"`
	Decisions   int64                `json:"decisions"`
	PerSecond   float64              `json:"per_second"`
	Labels      []labelRateJSON      `json:"labels"`
	Statuses    map[string]int64     `json:"statuses"`
	Lag         lagJSON              `json:"lag"`
	Latency     latencyJSON          `json:"latency"`
	Streams     int64                `json:"streams"`
	Sampled     bool                 `json:"sampled"`
	Behind      int64                `json:"behind"`
	Documents   int64                `json:"documents"`
	ModelOffset int64                `json:"model_offset"`
	Corrections correctionCountsJSON `json:"corrections"`
	Sources     []sourceStateJSON    `json:"sources"`
	History     []secondJSON         `json:"history"`
	Workers     []workerStateJSON    `json:"workers"`
	Agree       *bool                `json:"agree"` // the replicas at one offset; nil: no two stand at one
}

// labelRateJSON is how often a label is decided; nil: no label.
type labelRateJSON struct {
	Label     *string `json:"label"`
	PerSecond float64 `json:"per_second"`
	Decisions int64   `json:"decisions"`
}

// lagJSON counts records that wait. Nil is not known.
type lagJSON struct {
	Documents *int64 `json:"documents"`
	Training  *int64 `json:"training"`
	Model     *int64 `json:"model"`
}

// latencyJSON is how long documents took to their decisions.
type latencyJSON struct {
	P50       *float64 `json:"p50_ms"`
	P99       *float64 `json:"p99_ms"`
	Decisions int      `json:"decisions"`
}

// correctionCountsJSON counts corrections by outcome.
type correctionCountsJSON struct {
	Written int `json:"written"`
	Counted int `json:"counted"`
}

// sourceStateJSON says whether a partition of the training topic is counted.
type sourceStateJSON struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	State     string `json:"state"`
	Detail    string `json:"detail"`
}

// secondJSON is how many decisions came in a second.
type secondJSON struct {
	Time      time.Time `json:"time"`
	Decisions int64     `json:"decisions"`
}

// stats answers GET /v1/stats.
func (c *Console) stats(w http.ResponseWriter, r *http.Request) {
	if !c.checked(w, queryOf(r)) {
		return
	}
	now := time.Now().UTC()
	s := statsJSON{Time: now, Statuses: map[string]int64{}, Streams: c.streams.Load(), Corrections: c.corrections.counts(),
		Workers: c.workers.all(), History: []secondJSON{}, ModelOffset: -1}
	c.meter.mu.Lock()
	m := c.meter
	s.Decisions, s.PerSecond, s.Labels, s.Latency = m.total, m.all.rate(now), m.rates(now), m.latency(now)
	s.Sampled = now.Sub(m.sampled) < rateSeconds*time.Second
	for _, status := range []string{"ok", "unsure", "cold", "empty", "impossible"} {
		s.Statuses[status] = m.statuses[status]
	}
	for _, behind := range m.behind {
		s.Behind += behind
	}
	s.Lag.Documents, s.Lag.Training, s.Sources = m.lagged.documents, m.lagged.training, m.lagged.sources
	for at := now.Unix() - seconds; at < now.Unix(); at++ {
		s.History = append(s.History, secondJSON{time.Unix(at, 0).UTC(), m.all.at(at)})
	}
	m.mu.Unlock()
	if s.Sources == nil {
		s.Sources = []sourceStateJSON{}
	}
	if _, behind := c.replica.Freshness(); behind >= 0 {
		s.Lag.Model = &behind
	}
	c.replica.Read(func(state *fold.State) {
		s.ModelOffset = state.Next() - 1
		if state.Model() != nil {
			s.Documents = state.Model().Classes().Total()
		}
	})
	s.Agree = agree(c.ownDigest(), s.Workers)
	c.answer(w, s)
}

// workerStateJSON is what a worker said last of its health.
type workerStateJSON struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Role   string `json:"role"`
	Up     bool   `json:"up"`
	Ready  bool   `json:"ready"`
	Detail string `json:"detail"`

	digest *httpapi.Digest // nil: it keeps no counts, or is of an older version
}

// workers asks the workers now and then.
type workers struct {
	client http.Client
	mu     sync.Mutex
	list   []workerStateJSON
	urls   []string
}

const (
	askWorkersEach = 3 * time.Second
	workerTimeout  = 2 * time.Second
	workerBytes    = 64 << 10 // of an answer
)

func newWorkers(urls []string) *workers {
	ws := &workers{client: http.Client{Timeout: workerTimeout}}
	for _, text := range urls {
		text = strings.TrimRight(text, "/")
		name := text
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			name = u.Host
		}
		ws.list = append(ws.list, workerStateJSON{URL: config.Redact(text), Name: name, Detail: "not asked yet"})
		ws.urls = append(ws.urls, text)
	}
	return ws
}

// watch asks all workers until ctx ends.
func (ws *workers) watch(ctx context.Context) error {
	for {
		var all sync.WaitGroup
		for i, base := range ws.urls {
			all.Go(func() {
				ws.mu.Lock()
				w := ws.list[i]
				ws.mu.Unlock()
				w = ws.ask(ctx, base, w)
				ws.mu.Lock()
				defer ws.mu.Unlock()
				ws.list[i] = w
			})
		}
		all.Wait()
		if err := pause(ctx, askWorkersEach); err != nil {
			return err
		}
	}
}

// ask returns what a worker says now.
func (ws *workers) ask(ctx context.Context, base string, was workerStateJSON) workerStateJSON {
	w := workerStateJSON{URL: was.URL, Name: was.Name, Role: was.Role}
	var ready httpapi.Readiness
	if err := ws.get(ctx, base+"/readyz", &ready); err != nil {
		w.Detail = "it does not answer: " + config.RedactError(err).Error()
		return w
	}
	w.Up = true
	w.Ready = ready.Ready
	for _, check := range ready.Checks {
		if !check.OK {
			w.Detail = check.Name + ": " + check.Detail
			break
		}
	}
	var version struct{ Role string }
	if ws.get(ctx, base+"/version", &version) == nil {
		w.Role = version.Role
	}
	var digest httpapi.Digest
	if ws.get(ctx, base+"/v1/digest", &digest) == nil && digest.Counts != "" {
		w.digest = &digest
	}
	return w
}

// fetch returns the body of an answer, also from a worker that is not ready.
func (ws *workers) fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := ws.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
		return nil, fmt.Errorf("the answer is %s", resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, workerBytes))
}

func (ws *workers) get(ctx context.Context, address string, into any) error {
	body, err := ws.fetch(ctx, address)
	if err != nil {
		return err
	}
	if json.Unmarshal(body, into) != nil {
		return errors.New("the answer is no JSON: it is no worker of Bayestream")
	}
	return nil
}

// all returns what the workers said last.
func (ws *workers) all() []workerStateJSON {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return append([]workerStateJSON{}, ws.list...)
}

// ownDigest returns the digest of the replica of the console.
func (c *Console) ownDigest() (d httpapi.Digest) {
	c.replica.Read(func(s *fold.State) {
		counts, ledgers := s.Digests()
		d = httpapi.NewDigest(s.Next()-1, counts, &ledgers)
	})
	return d
}

// agree reports whether the replicas at one offset have the same digests; nil: no two stand at one
// offset.
func agree(own httpapi.Digest, workers []workerStateJSON) *bool {
	all := []*httpapi.Digest{&own}
	for i := range workers {
		if workers[i].digest != nil {
			all = append(all, workers[i].digest)
		}
	}
	var same *bool
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.Offset != b.Offset {
				continue
			}
			equal := a.Counts == b.Counts && (a.Ledger == nil || b.Ledger == nil || *a.Ledger == *b.Ledger) && (same == nil ||
				*same)
			same = &equal
		}
	}
	return same
}
