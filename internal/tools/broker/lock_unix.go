//go:build unix

package broker

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// dirLock keeps a second broker out of a directory. The system drops it with the
// process, however that ends. A nil lock holds nothing.
type dirLock struct{ file *os.File }

func lockDir(dir string) (*dirLock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "in-use"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s: %w (%w)", dir, ErrInUse, err)
	}
	return &dirLock{file: file}, nil
}

func (l *dirLock) release() {
	if l != nil {
		_ = l.file.Close() // which drops the lock
	}
}
