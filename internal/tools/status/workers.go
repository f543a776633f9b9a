package status

import (
	"cmp"
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

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
)

// Worker is what a worker says of its health.
type Worker struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Role   string `json:"role"`
	Named  bool   `json:"named"` // somebody said that it runs there
	Up     bool   `json:"up"`
	Ready  bool   `json:"ready"`
	Detail string `json:"detail"` // the first check that does not hold, or why there is no answer

	address string // with what URL leaves out
	check   string // the name of that check
	digest  *httpapi.Digest
}

// Bounds on asking a worker.
const (
	workerTimeout = 2 * time.Second
	workerBytes   = 4 << 20 // of an answer
)

var workerClient = http.Client{Timeout: workerTimeout}

// URLOf returns the URL of an address, which may be HOST:PORT alone.
func URLOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return strings.TrimRight(address, "/")
}

// NewWorker returns a worker that was not asked yet.
func NewWorker(address, role string, named bool) Worker {
	address = URLOf(address)
	w := Worker{Name: address, URL: config.Redact(address), Role: role, Named: named, Detail: "not asked yet",
		address: address}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		w.Name = u.Host
	}
	return w
}

// AskAll asks all workers at once, and returns what they say.
func AskAll(ctx context.Context, list []Worker) []Worker {
	now := make([]Worker, len(list))
	var all sync.WaitGroup
	for i, w := range list {
		all.Go(func() { now[i] = w.Ask(ctx) })
	}
	all.Wait()
	return now
}

// Ask returns what a worker says now.
func (w Worker) Ask(ctx context.Context) Worker {
	w = Worker{Name: w.Name, URL: w.URL, Role: w.Role, Named: w.Named, address: w.address}
	var ready httpapi.Readiness
	if err := Get(ctx, w.address+"/readyz", &ready); err != nil {
		w.Detail = config.RedactError(err).Error()
		return w
	}
	w.Up = true
	w.Ready = ready.Ready
	for _, check := range ready.Checks {
		if !check.OK {
			w.Detail, w.check = check.Name+": "+check.Detail, check.Name
			break
		}
	}
	var version struct{ Role string }
	if Get(ctx, w.address+"/version", &version) == nil {
		w.Role = version.Role
	}
	var digest httpapi.Digest
	if Get(ctx, w.address+"/v1/digest", &digest) == nil && digest.Counts != "" {
		w.digest = &digest
	}
	return w
}

// Get reads an answer in JSON, also of a worker that is not ready.
func Get(ctx context.Context, address string, into any) error {
	body, err := ask(ctx, address)
	if err == nil && json.Unmarshal(body, into) != nil {
		err = errors.New("the answer is no JSON: it is nothing of Bayestream")
	}
	return err
}

// ask reads an answer, also of a worker that is not ready.
func ask(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := workerClient.Do(req)
	if err != nil {
		if wrong, ok := errors.AsType[*url.Error](err); ok {
			err = wrong.Err // the address is said already
		}
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
		return nil, fmt.Errorf("the answer is %s", resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, workerBytes))
}

// label names a worker in a sentence.
func (w *Worker) label() string { return cmp.Or(w.Role, w.Name) }

// next says what to do about a worker that is not ready.
func (w *Worker) next() string {
	switch w.check {
	case "model":
		return "bayestream send FILE sends more labelled documents"
	case "broker", "fold", "kafka":
		return "are the brokers there? The worker goes on by itself"
	}
	return "docs/operations.md#health has what each check means"
}

// Agree reports whether the replicas at one offset have the same digests; nil: no two are at one.
// own is one that is no worker, or nil.
func Agree(own *httpapi.Digest, workers []Worker) *bool {
	var all []*httpapi.Digest
	if own != nil {
		all = append(all, own)
	}
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
			equal := a.Counts == b.Counts && (a.Ledger == nil || b.Ledger == nil || *a.Ledger == *b.Ledger) &&
				(same == nil || *same)
			same = &equal
		}
	}
	return same
}
