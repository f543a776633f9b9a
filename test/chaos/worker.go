//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"bayestream/bench/probe"
)

// worker is ingest or classify in a process of its own, which can be ended and started again with
// the same arguments.
type worker struct {
	name, role string
	path, dir  string
	http       string
	args       []string
	wrap       []string // a command before the worker's own, such as strace

	mu      sync.Mutex
	process *os.Process
	exited  chan struct{}
	err     error // of the last exit
	started time.Time
	logged  int64 // bytes of the log before this start
}

// newWorker prepares a worker.
func newWorker(bin, dir, name, role string, args ...string) (*worker, error) {
	address, err := probe.FreeAddress(context.Background())
	w := &worker{name: name, role: role, path: filepath.Join(bin, role), dir: dir, http: address}
	w.args = append([]string{"--state", w.state(), "--http", w.http, "--checkpoint-each", "500ms"}, args...)
	return w, err
}

func (w *worker) state() string { return filepath.Join(w.dir, w.name, "model.db") }

func (w *worker) log() string { return filepath.Join(w.dir, w.name+".log") }

func (w *worker) start() error {
	f, err := os.OpenFile(w.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	command := append(append([]string{}, w.wrap...), append([]string{w.path}, w.args...)...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = f, f
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return errors.Join(err, f.Close())
	}
	exited := make(chan struct{})
	w.process, w.exited, w.err = cmd.Process, exited, nil
	w.started = time.Now()
	w.logged = info.Size()
	go func() {
		err := errors.Join(cmd.Wait(), f.Close())
		w.mu.Lock()
		w.err = err
		w.mu.Unlock()
		close(exited)
	}()
	return nil
}

// running reports whether the process lives, and why it ended.
func (w *worker) running() (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.exited:
		return false, w.err
	default:
		return true, nil
	}
}

// age is how long ago the process was started.
func (w *worker) age() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.started)
}

// said returns what the worker has logged since it was started.
func (w *worker) said() string {
	text, err := os.ReadFile(w.log())
	if err != nil {
		return err.Error()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(text[w.logged:])
}

// assigned reports whether the worker was given partitions since it was started: its start is over
// then.
func (w *worker) assigned() bool { return strings.Contains(w.said(), "partitions assigned") }

func (w *worker) signal(s syscall.Signal) error { return w.process.Signal(s) }

// end sends a signal and waits for the exit.
func (w *worker) end(s syscall.Signal, patience time.Duration) error {
	if w.process == nil {
		return nil
	}
	_ = w.signal(s) // it may have ended by itself, which the caller sees by the error of the exit
	select {
	case <-w.exited:
		_, err := w.running()
		return err
	case <-time.After(patience):
		return fmt.Errorf("%s runs on %v after %v: %s", w.name, patience, s, w.goroutines())
	}
}

// goroutines makes a process that hangs write what it does to its log, and says where.
func (w *worker) goroutines() string {
	_ = w.signal(syscall.SIGQUIT)
	<-w.exited
	return "its goroutines are in " + w.log()
}

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
