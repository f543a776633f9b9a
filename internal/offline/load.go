package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/progress"
	"bayestream/internal/store"
)

// lockWait is how long a model file may be held by somebody else.
const lockWait = time.Second

// Load returns the state in a model file, or in the snapshot of a running worker
// (http://HOST:PORT/v1/snapshot).
func Load(ctx context.Context, model string) (*fold.State, error) {
	if !IsURL(model) {
		return loadFile(model)
	}
	dir, err := os.MkdirTemp("", "bayestream-snapshot-")
	if err != nil {
		return nil, fmt.Errorf("load model: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "model.db")
	if err := Fetch(ctx, model, path); err != nil {
		return nil, err
	}
	return loadFile(path)
}

// IsURL reports whether a model is named by an address and not as a file.
func IsURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }

// CheckFile refuses a folder where a model file is wanted. The error is a *NoFileError.
func CheckFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &NoFileError{Path: path, Why: "is a folder: want a model file"}
	}
	return nil
}

// CheckModel refuses what is seen at a glance to be no model file: a folder, an address, a packed backup. The
// error is a *NoFileError.
func CheckModel(path string) error {
	if IsURL(path) {
		return &NoFileError{Path: path, Why: "is an address: want a model file; bayestream backup makes one of the snapshot of a worker"}
	}
	if err := CheckFile(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // opening it as a model says more
	}
	defer func() { _ = f.Close() }()
	var magic [2]byte
	if _, err := io.ReadFull(f, magic[:]); err == nil && magic == [2]byte{0x1f, 0x8b} {
		return &NoFileError{Path: path, Why: "is packed: bayestream restore makes a model file of it"}
	}
	return nil
}

// NoFileError says that something else was named where a file is wanted.
type NoFileError struct{ Path, Why string }

func (e *NoFileError) Error() string { return e.Path + " " + e.Why }

func loadFile(path string) (*fold.State, error) {
	if err := CheckModel(path); err != nil {
		return nil, err
	}
	s, err := store.OpenReadOnly(path, lockWait)
	if err != nil {
		return nil, err
	}
	state, err := s.Load()
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	if state == nil || state.Model() == nil {
		return nil, fmt.Errorf("%s holds no model: nothing was learned into it", path)
	}
	return state, nil
}

// Fetch installs the snapshot of a running worker, or a copy of a file, at path.
func Fetch(ctx context.Context, from, path string) error {
	r, err := OpenSnapshot(ctx, from)
	if err != nil {
		return err
	}
	return errors.Join(store.Install(path, from, r), r.Close())
}

// OpenSnapshot opens a model file for reading it as bytes: a file, or a worker's snapshot.
func OpenSnapshot(ctx context.Context, from string) (io.ReadCloser, error) {
	if !IsURL(from) {
		if err := CheckFile(from); err != nil {
			return nil, err
		}
		f, err := os.Open(from)
		if err != nil {
			return nil, fmt.Errorf("open snapshot: %w", err)
		}
		return watched(ctx, from, f, progress.Size(f)), nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("open snapshot: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("open snapshot: %s answers %s; the path of a worker's snapshot is /v1/snapshot", from, resp.Status), resp.Body.Close())
	}
	if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/") {
		return nil, errors.Join(fmt.Errorf("open snapshot: %s answers with %s and not with a model; the path of a worker's snapshot is /v1/snapshot", from, kind), resp.Body.Close())
	}
	return watched(ctx, from, resp.Body, resp.ContentLength), nil // -1 where the worker does not say
}

// watched returns what is copied so that its bytes show as they come.
func watched(ctx context.Context, from string, in io.ReadCloser, total int64) io.ReadCloser {
	line := progress.From(ctx)
	if line == nil {
		return in
	}
	c := &copying{ReadCloser: in, task: line.Begin("copying "+filepath.Base(from), progress.Bytes, total)}
	c.from = c.task.Reader(in)
	return c
}

// copying is a model on its way.
type copying struct {
	io.ReadCloser
	from io.Reader
	task *progress.Task
}

func (c *copying) Read(p []byte) (int, error) { return c.from.Read(p) }

func (c *copying) Close() error {
	c.task.End()
	return c.ReadCloser.Close()
}
