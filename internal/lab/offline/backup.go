package offline

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/cli/progress"
	"bayestream/internal/store"
)

// ExistsError says that a file is there which must not be written over.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string {
	return e.Path + " exists and is not written over: move it away, or choose another name"
}

// Backup writes a consistent copy of a model, a file or the snapshot of a running worker, to the file out,
// packed by gzip if its name ends in .gz. The copy is checked whole before it gets its name, and a
// packed one is unpacked once for that.
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
	if err := fetchHeld(ctx, model, copied); err != nil {
		return err
	}
	if strings.HasSuffix(out, ".gz") {
		if copied, err = pack(ctx, copied); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	return place(copied, out)
}

// fetchHeld is Fetch that keeps a file from being written while it is read.
func fetchHeld(ctx context.Context, model, path string) (err error) {
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
	return Fetch(ctx, model, path)
}

// pack compresses a file, unpacks it again to see that it is whole, and returns the new name.
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

// comparePacked reads both files from their start and compares what they hold.
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
			return errors.New("what was packed does not unpack to the same bytes")
		}
		if ended(errA) && ended(errB) {
			return nil
		}
		if errA != nil || errB != nil {
			return errors.Join(errA, errB)
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// place gives a file of the same file system its name, which must be free.
func place(from, to string) error {
	if err := os.Link(from, to); err == nil {
		return nil
	}
	if _, err := os.Lstat(to); err == nil {
		return &ExistsError{Path: to}
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// Restore makes a model file of a backup, packed or not, or of the snapshot of a running worker. What it
// holds is checked before the file gets its name; a file that is there is not touched.
func Restore(ctx context.Context, from, model string) (err error) {
	if _, err := os.Lstat(model); err == nil {
		return &ExistsError{Path: model}
	}
	snapshot, size, err := store.OpenSnapshot(ctx, from)
	if err != nil {
		return err
	}
	r := watched(ctx, from, snapshot, size)
	defer func() { err = errors.Join(err, r.Close()) }()
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return damagedBackup(from, store.Install(model, from, in))
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return damagedBackup(from, err)
	}
	return damagedBackup(from, store.Install(model, from, z))
}

// damagedBackup says which backup it is that cannot be used.
func damagedBackup(from string, err error) error {
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

// BackupError says that a backup cannot be used.
type BackupError struct {
	From string
	Err  error
}

func (e *BackupError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return e.From + " is cut off: it ends before the gzip data do; nothing was restored"
	}
	if no := (*store.NotModelError)(nil); errors.As(e.Err, &no) {
		return no.Error() + "; nothing was restored"
	}
	return fmt.Sprintf("%s is no backup that can be used: %v; nothing was restored", e.From, e.Err)
}

// Unwrap returns the reason.
func (e *BackupError) Unwrap() error { return e.Err }
