package store

import (
	"fmt"
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
