//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"bayestream/test/chaos/kafka"
	"bayestream/test/chaos/results"
)

// smallDisk is too small for the model file of this row, largeDisk is not.
const (
	smallDisk = 64 << 10
	largeDisk = 64 << 20
)

// disks gives workers a disk that fails. A worker ends with a sentence and leaves a whole file;
// with a good disk it goes on, and everything is right. It mounts file systems and needs strace.
func (s *suite) disks(ctx context.Context, left plan) (*results.Result, error) {
	return s.in(ctx, "disk", kafka.Options{}, func(w *world) error {
		err := w.underDiskFaults(ctx, left)
		for _, one := range w.workers {
			_ = one.End(syscall.SIGKILL, time.Minute)
			_ = syscall.Unmount(filepath.Dir(one.state()), 0) // it may not be mounted
		}
		return err
	})
}

func (w *world) underDiskFaults(ctx context.Context, left plan) error {
	if err := w.hire(); err != nil {
		return err
	}
	for _, one := range w.workers {
		dir := filepath.Dir(one.state())
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := syscall.Mount("chaos", dir, "tmpfs", 0, fmt.Sprint("size=", largeDisk)); err != nil {
			return fmt.Errorf("mount a file system: %w", err)
		}
	}
	if err := w.begin(ctx, rate); err != nil {
		return err
	}
	const rounds = 24
	for i, kind := range draw(left, rounds, w.seed) {
		one := w.workers[2*(i%2)] // an ingest, then a classify
		w.log.Info("fault", "worker", one.name, "kind", kind)
		w.result.Faults[kind]++
		if err := w.failDisk(ctx, one, kind); err != nil {
			return fmt.Errorf("%s, %s: %w", one.name, kind, err)
		}
	}
	return w.finish(ctx)
}

// failDisk stops a worker, starts it on a disk that fails, waits for its end, and starts it on a
// good one.
func (w *world) failDisk(ctx context.Context, one *worker, kind string) error {
	if err := one.End(syscall.SIGTERM, 30*time.Second); err != nil {
		return err
	}
	repair, err := one.spoilDisk(kind)
	if err != nil {
		return err
	}
	if err := one.start(); err != nil {
		return err
	}
	ended := w.until(ctx, time.Minute, "the worker ends",
		func() (bool, string) { alive, _ := one.Running(); return !alive, "it runs" })
	if ended != nil {
		w.wrong("%s: %s goes on", kind, one.name)
		_ = one.End(syscall.SIGKILL, time.Minute)
	} else if _, err := one.Running(); exitCode(err) != 1 || !saysWhy(one) {
		w.wrong("%s: %s ended with %v, without a sentence", kind, one.name, err)
	}
	if err := repair(); err != nil {
		return err
	}
	if _, err := os.Stat(one.state()); err == nil {
		out, err := exec.CommandContext(ctx, w.tool(), "verify", "--model", one.state()).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "holds no model") { // which is whole, as far as it goes
			w.wrong("%s: the file of %s is not whole: %s", kind, one.name, out)
		}
	}
	if err := one.start(); err != nil {
		return err
	}
	return w.until(ctx, time.Minute, "the worker is ready", func() (bool, string) { return one.isReady(ctx) })
}

// spoilDisk makes the disk of a worker that is down fail, and returns what makes it good.
func (w *worker) spoilDisk(kind string) (repair func() error, err error) {
	dir := filepath.Dir(w.state())
	remount := func(flags uintptr, size int) error {
		return syscall.Mount("chaos", dir, "tmpfs", syscall.MS_REMOUNT|flags, fmt.Sprint("size=", size))
	}
	unwrap := func() error { w.wrap = nil; return nil }
	switch kind {
	case "disk full":
		// Without its file the worker folds the log from its start, and the file grows beyond the disk.
		return func() error { return remount(0, largeDisk) }, errors.Join(os.Remove(w.state()), remount(0, smallDisk))
	case "read-only":
		return func() error { return remount(0, largeDisk) }, remount(syscall.MS_RDONLY, largeDisk)
	case "file size limit":
		w.wrap = []string{"prlimit", fmt.Sprint("--fsize=", smallDisk)}
		return unwrap, os.Remove(w.state())
	case "failing fsync":
		w.wrap = []string{"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e",
			"inject=fsync,fdatasync:error=EIO:when=6+"}
		return unwrap, nil
	}
	return nil, fmt.Errorf("there is no fault %q", kind)
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// saysWhy reports whether the last line that a worker has logged is an error about its file.
func saysWhy(one *worker) bool {
	lines := strings.Split(strings.TrimSpace(one.Said()), "\n")
	last := lines[len(lines)-1]
	return strings.Contains(last, "model file") && strings.Contains(last, `"level":"ERROR"`)
}
