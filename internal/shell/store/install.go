package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bayestream/internal/shell/store/pages"
)

// incomingSuffix follows the name of the file in the name of one that comes, before random digits.
const incomingSuffix = ".incoming-"

// Incoming is a model file that comes from elsewhere.
type Incoming struct {
	From   string // its name in errors about its content
	Reader io.Reader
	Bytes  int64 // that the reader has, as its source says; 0 or less: not known
	// Watch is called with the bytes that have come, of those that the file has. It may be nil.
	Watch func(done, size int64)
}

// Install writes the file, checks it, and then gives it the name path, which must be free.
func (in *Incoming) Install(path string) (err error) {
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists: move it away before another model file takes its place", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+incomingSuffix+"*")
	if err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = errors.Join(in.copyTo(f), f.Sync(), f.Close())
	switch {
	case errors.Is(err, ErrDamaged):
		return err
	case err != nil:
		return fmt.Errorf("install model file %s: %w", in.From, err)
	}
	if err = verifyModel(f.Name(), in.From); err != nil {
		return err
	}
	if err = Place(f.Name(), path); err != nil {
		return fmt.Errorf("install model file: %w", err)
	}
	return syncFolder(path)
}

// copyTo writes the pages of the file, as many as its meta pages say. A source may have no end, so
// nothing else is written.
func (in *Incoming) copyTo(w io.Writer) error {
	head, err := pages.ReadHead(in.Reader)
	if err != nil {
		return err
	}
	size, err := in.extent(head)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	done := int64(len(head))
	n, err := io.CopyN(w, &watched{in: in, done: done, size: size}, size-done)
	if errors.Is(err, io.EOF) {
		return in.cutOff(done+n, size)
	}
	if err != nil || in.Bytes > 0 {
		return err
	}
	return in.passSpare(size)
}

// extent returns how many bytes the file must have, by its meta pages.
func (in *Incoming) extent(head []byte) (size int64, err error) {
	size, err = pages.Extent(head)
	switch {
	case err != nil && !pages.MayBeBolt(bytes.NewReader(head)):
		return 0, &NotModelError{Name: in.From}
	case err != nil:
		return 0, fmt.Errorf("%s: %w: %w", in.From, ErrDamaged, err)
	case in.Bytes > 0 && in.Bytes < size:
		return 0, in.cutOff(in.Bytes, size)
	}
	return size, nil
}

func (in *Incoming) cutOff(has, size int64) error {
	return fmt.Errorf("%s: %w: it has %d bytes of %d", in.From, ErrDamaged, has, size)
}

// passSpare reads to the end of a source of unknown length, so that a packed one is checked. bbolt
// makes a file twice as long as its pages at most.
func (in *Incoming) passSpare(size int64) error {
	const little = 1 << 20
	_, err := io.CopyN(io.Discard, in.Reader, size+little)
	switch {
	case err == nil:
		return fmt.Errorf("%s: %w: it goes on behind its %d bytes of pages", in.From, ErrDamaged, size)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// watched reads from an incoming file and tells its watcher how far it is.
type watched struct {
	in         *Incoming
	done, size int64
}

func (w *watched) Read(p []byte) (n int, err error) {
	if w.in.Watch != nil {
		w.in.Watch(w.done, w.size)
	}
	n, err = w.in.Reader.Read(p)
	w.done += int64(n)
	return n, err
}
