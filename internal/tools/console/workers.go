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

// WorkerState is the health of a worker, in short.
type WorkerState struct {
	Name   string `json:"name"`
	Role   string `json:"role"`
	Up     bool   `json:"up"`
	Ready  bool   `json:"ready"`
	Detail string `json:"detail"`
}

// Worker is what a worker said last.
type Worker struct {
	URL     string          `json:"url"`
	Name    string          `json:"name"`
	Role    string          `json:"role"`
	Version string          `json:"version"`
	Up      bool            `json:"up"`
	Ready   bool            `json:"ready"`
	Detail  string          `json:"detail"`
	Checks  []httpapi.Check `json:"checks"`
	Digest  *WorkerDigest   `json:"digest"`
	Asked   *time.Time      `json:"asked"`

	says *httpapi.Worker // nil: a worker of an older version
}

// WorkerDigest is the digest after an offset of the model log.
type WorkerDigest struct {
	Offset int64   `json:"offset"`
	Counts string  `json:"counts"`
	Ledger *string `json:"ledger"`
}

// Workers is the answer of GET /v1/workers.
type Workers struct {
	Workers []Worker      `json:"workers"`
	Own     *WorkerDigest `json:"own"`
	Agree   *bool         `json:"agree"`
}

// workers asks the workers now and then.
type workers struct {
	client http.Client
	mu     sync.Mutex
	list   []Worker
	urls   []string
}

const (
	askWorkersEach = 3 * time.Second
	workerTimeout  = 2 * time.Second
	workerBytes    = 4 << 20 // of an answer
)

func newWorkers(urls []string) *workers {
	ws := &workers{client: http.Client{Timeout: workerTimeout}}
	for _, text := range urls {
		text = strings.TrimRight(text, "/")
		name := text
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			name = u.Host
		}
		ws.list = append(ws.list, Worker{URL: config.Redact(text), Name: name, Checks: []httpapi.Check{}, Detail: "not asked yet"})
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
func (ws *workers) ask(ctx context.Context, base string, was Worker) Worker {
	now := time.Now().UTC()
	w := Worker{URL: was.URL, Name: was.Name, Role: was.Role, Version: was.Version, Checks: []httpapi.Check{}, Asked: &now}
	var ready httpapi.Readiness
	if err := ws.get(ctx, base+"/readyz", &ready); err != nil {
		w.Detail = "it does not answer: " + config.RedactError(err).Error()
		return w
	}
	w.Up, w.Ready = true, ready.Ready
	w.Checks = append(w.Checks, ready.Checks...)
	for _, check := range ready.Checks {
		if !check.OK {
			w.Detail = check.Name + ": " + check.Detail
			break
		}
	}
	var version struct{ Role, Version string }
	if ws.get(ctx, base+"/version", &version) == nil {
		w.Role, w.Version = version.Role, version.Version
	}
	var digest WorkerDigest
	if ws.get(ctx, base+"/v1/digest", &digest) == nil && digest.Counts != "" {
		w.Digest = &digest
	}
	var says httpapi.Worker
	if ws.get(ctx, base+"/v1/worker", &says) == nil && says.Role != "" {
		w.says = &says
	}
	return w
}

// fetch returns the body of an answer, that of a worker that is not ready too.
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

// states returns the health of all workers.
func (ws *workers) states() []WorkerState {
	out := []WorkerState{}
	for _, w := range ws.all() {
		out = append(out, WorkerState{w.Name, w.Role, w.Up, w.Ready, w.Detail})
	}
	return out
}

func (ws *workers) all() []Worker {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return append([]Worker{}, ws.list...)
}

// ownDigest returns that of the replica of the console.
func (c *Console) ownDigest() *WorkerDigest {
	var d WorkerDigest
	c.replica.Read(func(s *fold.State) {
		counts, ledgers := s.Digests()
		d = WorkerDigest{Offset: s.Next() - 1, Counts: counts.String()}
		if s.KeepsLedger() {
			text := ledgers.String()
			d.Ledger = &text
		}
	})
	return &d
}

// agree reports whether the replicas at one offset have the same digests; nil: no two stand at one offset.
func agree(own *WorkerDigest, workers []Worker) *bool {
	all := []*WorkerDigest{own}
	for i := range workers {
		if workers[i].Digest != nil {
			all = append(all, workers[i].Digest)
		}
	}
	var same *bool
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.Offset != b.Offset {
				continue
			}
			equal := a.Counts == b.Counts && (a.Ledger == nil || b.Ledger == nil || *a.Ledger == *b.Ledger) && (same == nil || *same)
			same = &equal
		}
	}
	return same
}

// listWorkers answers GET /v1/workers.
func (c *Console) listWorkers(w http.ResponseWriter, r *http.Request) {
	if !c.checked(w, queryOf(r)) {
		return
	}
	out := Workers{Workers: c.workers.all(), Own: c.ownDigest()}
	out.Agree = agree(out.Own, out.Workers)
	c.answer(w, out)
}
