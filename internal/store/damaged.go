package store

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
)

// guarded runs f and turns a panic in it into ErrDamaged: bbolt trusts its pages, and a file that was
// cut short faults where it is mapped into memory.
func guarded(path string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read %s: %w (%v)", path, ErrDamaged, p)
		}
	}()
	return f()
}

// NotModelError says that a file never was a model file. It is an ErrDamaged too: a worker moves aside
// whatever stands where its own file belongs.
type NotModelError struct{ Name string }

func (e *NotModelError) Error() string { return e.Name + " is not a model file" }

// Is tells that e is ErrDamaged.
func (e *NotModelError) Is(target error) bool { return target == ErrDamaged }

const (
	boltMagic   = 0xED0CDAED // behind the header of both meta pages
	minPageSize = 1 << 10
	maxPageSize = 1 << 16
)

// mayBeBolt tells whether bbolt may have made a file that it does not open any more: the first page begins
// with its number, 0, and the first two have the magic number, wherever the second one begins.
func mayBeBolt(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // nothing is known of it
	}
	defer func() { _ = f.Close() }()
	var number [8]byte
	n, err := f.ReadAt(number[:], 0)
	if n == 0 && err != nil || bytes.Equal(number[:n], make([]byte, n)) {
		return true
	}
	found := hasMagic(f, 0)
	for page := int64(minPageSize); page <= maxPageSize && !found; page *= 2 {
		found = hasMagic(f, page)
	}
	return found
}

func hasMagic(f *os.File, page int64) bool {
	var magic [4]byte
	_, err := f.ReadAt(magic[:], page+pageHeader)
	return err == nil && native.Uint32(magic[:]) == boltMagic
}
