package store

import (
	"fmt"
	"runtime/debug"
)

// damaged turns a panic while a file is read into ErrDamaged: bbolt trusts its pages, and a file
// that was cut short faults where it is mapped into memory. Use: defer damaged(path, &err)().
func damaged(path string, err *error) func() {
	old := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			*err = fmt.Errorf("read %s: %w (%v)", path, ErrDamaged, p)
		}
	}
}
