package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"bayestream/internal/core/fold"

	"go.etcd.io/bbolt"
)

// A Shelf is a folder of snapshots, where new workers find the newest one. Each is named by the
// offset of the model log that is folded after it.
type Shelf string

// shelved is the form of the name of a snapshot: it sorts by the offset.
var shelved = regexp.MustCompile(`^model-[0-9]{19}\.db$`)

func shelfName(next int64) string { return fmt.Sprintf("model-%019d.db", next) }

// snapshots returns the paths of all snapshots, the newest first.
func (s Shelf) snapshots() ([]string, error) {
	entries, err := os.ReadDir(string(s))
	if err != nil {
		return nil, fmt.Errorf("folder of snapshots: %w", err)
	}
	var paths []string
	for _, e := range slices.Backward(entries) {
		if e.Type().IsRegular() && shelved.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(string(s), e.Name()))
		}
	}
	return paths, nil
}

// OtherLogError says that a snapshot cannot be put into a folder, because workers that start from
// the folder would take one of another model log.
type OtherLogError struct {
	Path string // of the snapshot of the other log
	Next int64  // of the snapshot that was to be put
}

func (e *OtherLogError) Error() string {
	return fmt.Sprintf("%s is a snapshot of another model log, and its offset is not below %d, the offset of this "+
		"snapshot: workers would start from it; "+
		"take another folder for each model topic, or remove the snapshots of the other log", e.Path, e.Next)
}

// Put moves a checked model file of the same file system into the folder, which is made if it is
// not there, under the name of a snapshot. It removes all but this one and the newest others, keep
// together. It returns the new path. The error may be an *OtherLogError.
func (s Shelf) Put(file string, next int64, keep int) (string, error) {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return "", fmt.Errorf("the folder of the snapshots: %w", err)
	}
	path := filepath.Join(string(s), shelfName(next))
	if err := s.checkLogs(file, next); err != nil {
		return "", err
	}
	if err := os.Rename(file, path); err != nil {
		return "", fmt.Errorf("put a snapshot: %w", err)
	}
	if err := syncFolder(path); err != nil {
		return "", err
	}
	paths, err := s.snapshots()
	if err != nil {
		return "", err
	}
	others := slices.DeleteFunc(paths, func(other string) bool { return other == path })
	for _, old := range others[min(keep-1, len(others)):] {
		if err := os.Remove(old); err != nil {
			return "", fmt.Errorf("remove an old snapshot: %w", err)
		}
	}
	return path, nil
}

// checkLogs refuses a folder in which a snapshot of another log would be taken for newer than a
// file, or be replaced by it. What cannot be read is no reason: workers refuse it.
func (s Shelf) checkLogs(file string, next int64) error {
	log, err := logOf(file)
	if err != nil {
		return err
	}
	paths, err := s.snapshots()
	if err != nil {
		return err
	}
	for _, path := range paths {
		if filepath.Base(path) < shelfName(next) {
			return nil
		}
		if other, err := logOf(path); err == nil && !bytes.Equal(other, log) {
			return &OtherLogError{Path: path, Next: next}
		}
	}
	return nil
}

// logOf returns the id of the log that a model file follows, without reading its rows.
func logOf(path string) (id []byte, err error) {
	s, err := OpenReadOnly(path, time.Second)
	if err != nil {
		return nil, err
	}
	err = s.view(func(tx *bbolt.Tx) error {
		meta, err := readMeta(tx)
		id = meta.GetSpec().GetLogId()
		return err
	})
	return id, errors.Join(err, s.Close())
}

// Upload sends a file to a URL with PUT.
func Upload(ctx context.Context, to, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	defer func() { _ = f.Close() }() // it was read only
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, to, f)
	if err != nil {
		return notURL(to)
	}
	req.ContentLength = info.Size()
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // so that the connection can be used again
	if err := resp.Body.Close(); err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("upload: %s answers %s; it must take PUT", to, resp.Status)
	}
	return nil
}

// ErrNoSnapshot says that a folder has no snapshots.
var ErrNoSnapshot = errors.New("there is no snapshot in the folder: bayestream copy puts one there")

// Peek returns the state of a snapshot, from where Fetch takes one.
func Peek(ctx context.Context, from string) (*fold.State, error) {
	dir, err := os.MkdirTemp("", "bayestream-snapshot-")
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return Fetch(ctx, from, filepath.Join(dir, "model.db"), nil)
}

// Fetch installs a snapshot under a path that must be free, and returns its state. from is a file,
// a URL, or a folder with snapshots, of which the newest is taken. watch is as for Incoming. The
// error names the source, and may be ErrNoSnapshot.
func Fetch(ctx context.Context, from, path string, watch func(done, size int64)) (*fold.State, error) {
	source := from
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		newest, err := Shelf(from).snapshots()
		if err != nil {
			return nil, err
		}
		if len(newest) == 0 {
			return nil, fmt.Errorf("%s: %w", from, ErrNoSnapshot)
		}
		source = newest[0]
	}
	r, size, err := OpenSnapshot(ctx, source)
	if err != nil {
		return nil, err
	}
	in := &Incoming{From: source, Reader: r, Bytes: size, Watch: watch}
	if err := errors.Join(in.Install(path), r.Close()); err != nil {
		return nil, err
	}
	s, err := OpenReadOnly(path, time.Second)
	if err != nil {
		return nil, err
	}
	state, err := s.Load()
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return state, nil
}
