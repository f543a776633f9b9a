package modelfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/shell/store"
	"bayestream/internal/shell/wire/unpack"
	"bayestream/internal/tools/cli/progress"
)

// ExistsError reports an output file that exists and must not be overwritten.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string {
	return e.Path + " exists and is not overwritten: move it away, or choose another name"
}

// Backup writes a consistent copy of a model file, or of the snapshot of a running worker, to the file out.
// The copy is compressed with gzip if the name ends in .gz. It is verified before it gets its name.
func Backup(ctx context.Context, model, out string) (err error) {
	if _, err := os.Lstat(out); err == nil {
		return &ExistsError{Path: out}
	}
	dir, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+"-*")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, "model.db")
	if err := fetchLocked(ctx, model, copied); err != nil {
		return err
	}
	if strings.HasSuffix(out, ".gz") {
		copied, err = pack(ctx, copied)
		if err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	err = store.Place(copied, out)
	switch {
	case errors.Is(err, fs.ErrExist):
		return &ExistsError{Path: out}
	case err != nil:
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// fetchLocked is fetch with the lock of the file held, so that no other process writes it meanwhile.
func fetchLocked(ctx context.Context, model, path string) (err error) {
	if !store.IsURL(model) {
		if err := store.CheckModel(model); err != nil {
			return err
		}
		held, err := store.OpenReadOnly(model, lockWait)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, held.Close()) }()
	}
	return fetch(ctx, model, path)
}

// pack compresses a file, decompresses the result to compare it, and returns its name.
func pack(ctx context.Context, path string) (packed string, err error) {
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
	_, err = io.Copy(z, task.Reader(in))
	if err = errors.Join(err, z.Close(), out.Sync()); err == nil {
		err = comparePacked(in, out)
	}
	return packed, errors.Join(err, out.Close())
}

// comparePacked reads both files from their start and compares their contents.
func comparePacked(plain, packed *os.File) error {
	for _, f := range []*os.File{plain, packed} {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	var a, b [1 << 16]byte
	for {
		n, errA := io.ReadFull(plain, a[:])
		m, errB := io.ReadFull(z, b[:])
		if !bytes.Equal(a[:n], b[:m]) {
			return errors.New("the compressed copy does not decompress to the same bytes")
		}
		if ended(errA) && ended(errB) {
			return nil
		}
		if errA != nil || errB != nil {
			return errors.Join(errA, errB)
		}
	}
}

// ended reports whether io.ReadFull reached the end of a file.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// Restore writes a model file from a backup, compressed or not, or from the snapshot of a running worker. The
// content is checked before the file gets its name. An existing file is not touched.
func Restore(ctx context.Context, from, model string) (err error) {
	if _, err := os.Lstat(model); err == nil {
		return &ExistsError{Path: model}
	}
	backup, err := open(ctx, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backup.Close()) }()
	in, err := unpack.Reader(backup)
	if err != nil {
		return asBackupError(from, err)
	}
	return asBackupError(from, (&store.Incoming{From: from, Reader: in}).Install(model))
}

// asBackupError returns err as a *BackupError if it says that the backup is damaged.
func asBackupError(from string, err error) error {
	if err == nil {
		return nil
	}
	for _, damage := range []error{io.ErrUnexpectedEOF, gzip.ErrChecksum, gzip.ErrHeader, store.ErrDamaged} {
		if errors.Is(err, damage) {
			return &BackupError{From: from, Err: err}
		}
	}
	return err
}

// BackupError reports a backup that cannot be restored.
type BackupError struct {
	From string
	Err  error
}

func (e *BackupError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return e.From + " is truncated: it ends before the gzip data does; nothing was restored"
	}
	var notModel *store.NotModelError
	if errors.As(e.Err, &notModel) {
		return notModel.Error() + "; nothing was restored"
	}
	return fmt.Sprintf("%s is not a usable backup: %v; nothing was restored", e.From, e.Err)
}

// Unwrap returns the reason.
func (e *BackupError) Unwrap() error { return e.Err }
