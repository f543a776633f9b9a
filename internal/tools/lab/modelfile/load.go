package modelfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/store"
	"bayestream/internal/tools/cli/progress"
)

// lockWait is how long opening waits for another process that holds the model file.
const lockWait = time.Second

// Load returns the state in a model file, or in the snapshot of a running worker
// (http://HOST:PORT/v1/snapshot).
func Load(ctx context.Context, model string) (*fold.State, error) {
	if !store.IsURL(model) {
		return store.ReadModel(model, lockWait)
	}
	dir, err := os.MkdirTemp("", "bayestream-snapshot-")
	if err != nil {
		return nil, fmt.Errorf("load model: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "model.db")
	if err := fetch(ctx, model, path); err != nil {
		return nil, err
	}
	return store.ReadModel(path, lockWait)
}

// fetch installs a copy of a model file, or of the snapshot of a running worker, at path.
func fetch(ctx context.Context, from, path string) error {
	in, err := open(ctx, from)
	if err != nil {
		return err
	}
	incoming := &store.Incoming{From: from, Reader: in, Bytes: in.size}
	return errors.Join(incoming.Install(path), in.Close())
}

// open opens a model file or a snapshot and shows the progress of reading it.
func open(ctx context.Context, from string) (*watchedFile, error) {
	snapshot, size, err := store.OpenSnapshot(ctx, from)
	if err != nil {
		return nil, err
	}
	task := progress.From(ctx).Begin("copying "+filepath.Base(config.Redact(from)), progress.Bytes, size)
	return &watchedFile{Reader: task.Reader(snapshot), file: snapshot, size: size, task: task}, nil
}

// watchedFile is a file whose reading is a progress task.
type watchedFile struct {
	io.Reader
	file io.Closer
	size int64 // as of store.OpenSnapshot
	task *progress.Task
}

// Close ends the task and closes the file.
func (f *watchedFile) Close() error {
	f.task.End()
	return f.file.Close()
}
