// Package modelfile works on model files without a broker: it loads them from disk or from a
// running worker, trains them on records of files, labels records with them, and makes and restores
// backups.
//
// The model file is the file that a worker keeps, and counting and scoring are the code that runs
// on the stream, so a model behaves the same in both places.
package modelfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/tools/cli/progress"
)

// ExistsError reports an output file that exists and must not be overwritten.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string {
	return e.Path + " exists and is not overwritten: move it away, or choose another name"
}

// Take writes a copy of a model file, packed or not, or of the snapshot of a running worker, to a
// path that must be free. The copy is checked before it gets its name. While a model file is
// copied, no other process can write it. The error may be a *CopyError.
func Take(ctx context.Context, from, path string) error {
	if !store.IsURL(from) {
		held, err := store.OpenReadOnly(from, lockWait)
		if errors.Is(err, store.ErrHeld) {
			return err
		}
		if err == nil { // else it is packed, or no model, which shows below
			defer func() { _ = held.Close() }()
		}
	}
	in, err := open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was read only
	unpacked, err := unpack.Reader(in)
	if err == nil {
		err = (&store.Incoming{From: from, Reader: unpacked}).Install(path)
	}
	return asCopyError(from, err)
}

// Pack compresses a file beside it, decompresses the result to compare it, and returns its path.
func Pack(ctx context.Context, path string) (packed string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	packed = path + ".gz"
	out, err := os.OpenFile(packed, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	z := gzip.NewWriter(out)
	task := progress.From(ctx).Begin("packing", progress.Bytes, progress.Size(in))
	defer task.End()
	plain := sha256.New()
	size, err := io.Copy(z, io.TeeReader(task.Reader(in), plain))
	if err = errors.Join(err, z.Close(), out.Sync()); err == nil {
		err = checkPacked(out, size, plain.Sum(nil))
	}
	return packed, errors.Join(err, out.Close())
}

// checkPacked reads a packed file from its start and compares the checksum of its content, which has so
// many bytes.
func checkPacked(packed *os.File, size int64, want []byte) error {
	if _, err := packed.Seek(0, io.SeekStart); err != nil {
		return err
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	got := sha256.New()
	if _, err := io.Copy(got, io.LimitReader(z, size+1)); err != nil {
		return err
	}
	if !bytes.Equal(got.Sum(nil), want) {
		return errors.New("the compressed copy does not decompress to the same bytes")
	}
	return nil
}

// asCopyError returns err as a *CopyError if it says that the source is damaged.
func asCopyError(from string, err error) error {
	if err == nil {
		return nil
	}
	for _, damage := range []error{io.ErrUnexpectedEOF, gzip.ErrChecksum, gzip.ErrHeader, store.ErrDamaged} {
		if errors.Is(err, damage) {
			return &CopyError{From: from, Err: err}
		}
	}
	return err
}

// CopyError reports a source that cannot be copied, because it is no whole model.
type CopyError struct {
	From string
	Err  error
}

func (e *CopyError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return e.From + " is truncated: it ends before the gzip data does; nothing was copied"
	}
	if notModel, ok := errors.AsType[*store.NotModelError](e.Err); ok {
		return notModel.Error() + "; nothing was copied"
	}
	return fmt.Sprintf("%s is not a whole model: %v; nothing was copied", e.From, e.Err)
}

// Unwrap returns the reason.
func (e *CopyError) Unwrap() error { return e.Err }

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
