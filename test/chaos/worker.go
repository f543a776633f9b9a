//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bayestream/bench/probe"
	"bayestream/internal/testing/processtest"
)

// worker is ingest or classify in a process of its own, which can be ended and started again with
// the same arguments.
type worker struct {
	name, role string
	path, dir  string
	http       string
	args       []string
	wrap       []string // a command before the worker's own, such as strace
	processtest.Process
}

// newWorker prepares a worker.
func newWorker(bin, dir, name, role string, args ...string) (*worker, error) {
	address, err := probe.FreeAddress(context.Background())
	w := &worker{name: name, role: role, path: filepath.Join(bin, role), dir: dir, http: address}
	w.Log = filepath.Join(dir, name+".log")
	w.args = append([]string{"--state", w.state(), "--http", w.http, "--checkpoint-each", "500ms"}, args...)
	return w, err
}

func (w *worker) state() string { return filepath.Join(w.dir, w.name, "model.db") }

func (w *worker) start() error { return w.Start(slices.Concat(w.wrap, []string{w.path}, w.args)...) }

// assigned reports whether the worker was given partitions since it was started: its start is over
// then.
func (w *worker) assigned() bool { return strings.Contains(w.Said(), "partitions assigned") }

// get asks the worker over HTTP.
func (w *worker) get(ctx context.Context, path string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.http+path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// isReady reports whether /readyz says yes, and what it says.
func (w *worker) isReady(ctx context.Context) (bool, string) {
	status, body, err := w.get(ctx, "/readyz")
	if err != nil {
		return false, err.Error()
	}
	return status == http.StatusOK, string(body)
}

// metrics returns the values of the worker's series.
func (w *worker) metrics(ctx context.Context) (probe.Metrics, error) { return probe.Ask(ctx, w.http) }

// watermark returns how far a partition of the training topic was counted.
func watermark(metrics map[string]float64, topic string, partition int) int64 {
	return int64(metrics[fmt.Sprintf(`bayestream_source_watermark{partition="%d",topic=%q}`, partition, topic)])
}
