package store

import (
	"fmt"
	"runtime/debug"
)

// guarded runs f and turns a panic in it into ErrDamaged: bbolt trusts its pages, and reading a
// file that was truncated faults where it is mapped into memory.
func guarded(path string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("read %s: %w (%v)", path, ErrDamaged, p)
		}
	}()
	return f()
}

// NotModelError says that a file never was a model file. It is an ErrDamaged too: a worker moves
// aside any file at the path of its own.
type NotModelError struct{ Name string }

func (e *NotModelError) Error() string { return e.Name + " is not a model file" }

// Is reports that e is ErrDamaged.
func (e *NotModelError) Is(target error) bool { return target == ErrDamaged }
