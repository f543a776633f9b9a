package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

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
