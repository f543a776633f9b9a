//go:build tools

package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

var call = regexp.MustCompile(`(pwrite64|fdatasync|fsync|ftruncate)\((\d+)(?:<[^>]*>)?(?:, .*, (\d+), (\d+))?`)

// TestSyncs watches the system calls of checkpoints: what TestPowerLoss takes for their order is
// so.
func TestSyncs(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	run := exec.Command("strace", "-f", "-qq", "-s", "0", "-e", "trace=pwrite64,fdatasync,fsync,ftruncate", "-o", trace, self, "-test.run=^TestFlippedBits$")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("strace: %v: %s", err, out)
	}
	lines := filetest.Read(t, trace)
	unsynced := map[string]string{} // what was written last, and not synced
	checkpoints := 0
	for line := range strings.Lines(string(lines)) {
		c := call.FindStringSubmatch(line)
		if c == nil {
			continue
		}
		what, file := c[1], c[2]
		if what != "pwrite64" {
			delete(unsynced, file)
			continue
		}
		now := written(t, c[3], c[4])
		if unsynced[file] == "meta" || now == "meta" && unsynced[file] == "data" {
			t.Errorf("%s is written before the %s is on the disk", now, unsynced[file])
		}
		if now == "meta" {
			checkpoints++
		}
		unsynced[file] = now
	}
	if checkpoints < 3 {
		t.Errorf("%d checkpoints are in the trace", checkpoints)
	}
}

// written names what a write of some bytes at an offset writes: a meta page, or else data, to which
// a new file belongs.
func written(t *testing.T, bytes, offset string) string {
	t.Helper()
	n, err := strconv.Atoi(bytes)
	if err != nil {
		t.Fatal(err)
	}
	at, err := strconv.Atoi(offset)
	if err != nil {
		t.Fatal(err)
	}
	if n == os.Getpagesize() && at < 2*n {
		return "meta"
	}
	return "data"
}
