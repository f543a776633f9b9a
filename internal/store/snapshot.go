package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// Copy writes a consistent copy of the file to a new temporary file in the same folder and returns its
// path; the caller removes it. A copy first, because a reader of the database itself would keep all
// pages that are replaced meanwhile.
func (s *Store) Copy() (path string, err error) {
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".snapshot-*")
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

// Install writes the model file at path from r, checks it and puts it in place only then. A file that
// is there already is not touched and an error.
func Install(path string, r io.Reader) (err error) {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists: move it away before another model file takes its place", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".incoming-*")
	if err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = io.Copy(f, r)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	if err = Verify(f.Name()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	return syncFolder(path)
}
