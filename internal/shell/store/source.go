package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// IsURL reports whether a model is named by a URL and not by a path.
func IsURL(s string) bool { return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") }

// notURL returns the error of a text that is no URL. The parser's error may quote a part of a
// password.
func notURL(text string) error {
	return fmt.Errorf("%s is no valid URL: percent-encode the special characters of its user and password", text)
}

// checkFile returns a *NoFileError for a folder.
func checkFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &NoFileError{Path: path, Why: "is a folder: want a model file"}
	}
	return nil
}

// CheckModel returns a *NoFileError for what is obviously not a model file: a folder, a URL, a
// packed backup.
func CheckModel(path string) error {
	if IsURL(path) {
		return &NoFileError{Path: path, Why: "is a URL: want a model file; bayestream copy " +
			"makes one from the snapshot of a worker"}
	}
	if err := checkFile(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil // opening it as a model gives a better error
	}
	defer func() { _ = f.Close() }()
	var magic [2]byte
	if _, err := io.ReadFull(f, magic[:]); err == nil && magic == [2]byte{0x1f, 0x8b} {
		return &NoFileError{Path: path, Why: "is packed: bayestream copy makes a model file from it"}
	}
	return nil
}

// NoFileError says that no file was named, or none that exists.
type NoFileError struct {
	Path, Why string
	Err       error // fs.ErrNotExist, or nil
}

func (e *NoFileError) Error() string { return e.Path + " " + e.Why }

// Unwrap returns the reason.
func (e *NoFileError) Unwrap() error { return e.Err }

// opened returns the error of a file that cannot be opened.
func opened(path, what string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &NoFileError{Path: path, Why: "does not exist", Err: fs.ErrNotExist}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// OpenSnapshot opens a model file, or the snapshot of a worker, for reading its bytes. size is -1
// if it is not known.
func OpenSnapshot(ctx context.Context, from string) (r io.ReadCloser, size int64, err error) {
	if !IsURL(from) {
		if err := checkFile(from); err != nil {
			return nil, 0, err
		}
		f, err := os.Open(from)
		if err != nil {
			return nil, 0, opened(from, "open snapshot", err)
		}
		info, err := f.Stat()
		if err != nil {
			return nil, 0, errors.Join(fmt.Errorf("open snapshot: %w", err), f.Close())
		}
		return f, info.Size(), nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, 0, notURL(from)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			err = failed.Err // the rest names the address again
		}
		return nil, 0, fmt.Errorf("%s cannot be reached: %w", from, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, 0, errors.Join(fmt.Errorf("open snapshot: %s answers %s; the path of a worker's snapshot is /v1/snapshot",
			from, resp.Status), resp.Body.Close())
	}
	if kind := resp.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/") {
		return nil, 0, errors.Join(fmt.Errorf("open snapshot: %s answers with %s and not with a model; the path of a "+
			"worker's snapshot is /v1/snapshot", from, kind), resp.Body.Close())
	}
	return resp.Body, resp.ContentLength, nil
}

// copySuffix follows the name of the file in the name of a copy, before random digits.
const copySuffix = ".snapshot-"

// removeCopies removes copies that a killed process left, and files that were to take the place of
// this one. Only the process that has the file open for writing makes copies, and it has made none
// yet. A copy that cannot be removed takes disk space and does no other harm.
func (s *Store) removeCopies() {
	base := filepath.Base(s.path)
	entries, _ := os.ReadDir(filepath.Dir(s.path))
	for _, e := range entries {
		isCopy := strings.HasPrefix(e.Name(), base+copySuffix) || strings.HasPrefix(e.Name(), base+incomingSuffix)
		if isCopy && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(filepath.Dir(s.path), e.Name()))
		}
	}
}

// Copy writes a consistent copy of the file to a new temporary file in the same folder and returns
// its path; the caller removes it. Sending the database itself in a long read transaction would
// keep all pages that are replaced meanwhile.
func (s *Store) Copy() (path string, err error) {
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+copySuffix+"*")
	if err != nil {
		return "", fmt.Errorf("snapshot: %w", err)
	}
	err = s.view(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(f)
		return err
	})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("snapshot: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return f.Name(), nil
}

// verifyModel is Verify for a file that must hold a checkpoint.
func verifyModel(path, name string) error {
	s, err := openReadOnly(path, name, time.Second)
	if err != nil {
		return err
	}
	state, err := s.check()
	if err == nil && state == nil {
		err = fmt.Errorf("%s: %w: it holds no checkpoint", name, ErrDamaged)
	}
	return errors.Join(err, s.Close())
}

// Place renames a file within its file system to a name that must be free: the error is fs.ErrExist
// if it is not. A link, unlike a rename, replaces nothing; where the file system has no links, the
// name is looked up first.
func Place(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
