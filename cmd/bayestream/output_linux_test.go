package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/table"
)

// limited is set in the process in which files may not become large.
const limited = "LIMITED_FILES"

// A file that does not fit is not there, and the one of before stays as it was. The limit is one of
// a process, and this one has files of its own to write, such as the log of go test: another one
// gets it.
func TestWhatDoesNotFitIsNotWritten(t *testing.T) {
	if os.Getenv(limited) == "" {
		alone := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		alone.Env = append(os.Environ(), limited+"=yes")
		out, err := alone.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := writeWhole(page, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := syscall.Rlimit{Cur: 1 << 12, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	err := writeWhole(page, []byte(strings.Repeat("x", 1<<16)), 0o644)
	if back := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); back != nil {
		t.Fatal(back)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("got %v, want that the file is too large", err)
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != "before" {
		t.Errorf("the file of before is %d bytes, %v", len(got), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("there is more than the file: %v, %v", entries, err)
	}
	if err := writeWhole(page, []byte("after"), 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(page); err != nil || info.Size() != 5 || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v; want 5 bytes, and the mode that the file had", info, err)
	}
}

// TestLogFitsTerminal: a line of a list has the width of the terminal, 80 columns where none is known.
func TestLogFitsTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = terminal.Close() }()
	long := strings.Repeat("x", 200)
	if got := table.Width(fitting(cli.Process{Stdout: terminal})(long)); got != 79 {
		t.Errorf("a line has %d columns, want 79", got)
	}
	if got := fitting(cli.Process{Stdout: io.Discard})(long); got != long {
		t.Errorf("elsewhere a line is cut to %d bytes", len(got))
	}
}
