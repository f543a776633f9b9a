package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/httpapi"
)

// serve starts HTTP, if an address is configured.
func (w *Worker) serve() (*httpapi.Server, error) {
	token, err := w.token()
	if err != nil {
		return nil, err
	}
	server := httpapi.New(httpapi.Options{
		Addr: w.config.HTTP, Listener: w.config.Listener, Role: w.role.Name, Metrics: w.Metrics,
		Ready: w.ready, State: w.Replica.Read, Worker: w.describe, Classify: w.role.Classify, Correct: w.role.Correct,
		Decision: w.role.Decision, Token: token,
		Snapshot: w.snapshot, Memory: w.Memory, Log: w.log,
	})
	_, err = server.Start()
	return server, err
}

// token returns what reads the token of the HTTP calls that write, nil if none is configured. It
// refuses a token at the start that no request could use.
func (w *Worker) token() (read func() ([]byte, error), err error) {
	if w.config.HTTPTokenFile == "" {
		return nil, nil
	}
	read = func() ([]byte, error) { return config.ReadToken("--http-token-file", w.config.HTTPTokenFile) }
	_, err = read()
	return read, err
}

// ready returns the checks of /readyz.
func (w *Worker) ready() httpapi.Readiness {
	last, behind := w.Replica.Freshness()
	var window *fold.WindowState
	hasSpec := false
	w.Replica.Read(func(s *fold.State) {
		window = s.Window()
		hasSpec = s.Spec() != nil
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	_, waits := w.trouble[partModel] // then the rest of the start is over
	facts := httpapi.Facts{
		RoundTrip: w.Client.LastRoundTrip(), Folded: last, Behind: behind, Serving: w.serving || waits && hasSpec,
		Store: w.store != nil, Trouble: w.trouble,
	}
	r := facts.Readiness(time.Now())
	if window != nil {
		r.Checks = append(r.Checks, httpapi.Check{Name: "window", OK: true, Detail: window.String()})
	}
	for _, field := range w.unread {
		r.Checks = append(r.Checks, httpapi.Check{Name: "field " + field, OK: true, Detail: unreadField})
	}
	for _, topic := range w.unseen { // the operator may have chosen to hide them
		r.Checks = append(r.Checks, httpapi.Check{Name: partSettings + topic, OK: true, Detail: "not " +
			"checked: " + settingsHidden})
	}
	return r
}

// describe returns what the worker works on and how it is set.
func (w *Worker) describe() httpapi.Worker {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := httpapi.Worker{
		Role: w.role.Name, Group: w.config.Group, Topic: w.topic, Partitions: append([]int{}, w.assigned...),
		File: w.config.State, Checkpoint: w.Metrics.LastCheckpoint(), Settings: w.role.Settings,
	}
	if path, err := filepath.Abs(d.File); err == nil {
		d.File = path
	}
	if info, err := os.Stat(d.File); err == nil {
		d.FileBytes = new(info.Size())
	}
	return d
}

// copy copies the model file beside itself.
func (w *Worker) copy() (path string, err error) {
	w.storeMu.Lock()
	defer w.storeMu.Unlock()
	if w.store == nil {
		return "", errNoFile
	}
	return w.store.Copy()
}

// snapshot returns a copy of the model file as it is after one more checkpoint.
func (w *Worker) snapshot(context.Context) (file *os.File, ledger bool, err error) {
	if _, err := w.checkpoint(); err != nil {
		return nil, false, err
	}
	path, err := w.copy()
	if err != nil {
		return nil, false, err
	}
	w.Replica.Read(func(s *fold.State) { ledger = s.KeepsLedger() })
	file, err = os.Open(path)
	if err != nil {
		return nil, false, errors.Join(err, os.Remove(path))
	}
	return file, ledger, nil
}
