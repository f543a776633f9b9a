package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/cli/progress"
	"bayestream/internal/fold"
	"bayestream/internal/store"
)

// lockWait is how long a model file may be held by somebody else.
const lockWait = time.Second

// Load returns the state in a model file, or in the snapshot of a running worker
// (http://HOST:PORT/v1/snapshot).
func Load(ctx context.Context, model string) (*fold.State, error) {
	if !store.IsURL(model) {
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

func loadFile(path string) (*fold.State, error) {
	if err := store.CheckModel(path); err != nil {
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
	snapshot, size, err := store.OpenSnapshot(ctx, from)
	if err != nil {
		return err
	}
	r := watched(ctx, from, snapshot, size)
	return errors.Join(store.Install(path, from, r), r.Close())
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
