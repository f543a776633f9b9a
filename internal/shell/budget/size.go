package budget

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Sizes of a budget that nobody chose.
const (
	usual = 128 << 20 // and at most
	part  = 4         // of the memory that the process may have: the rest is for the model, what is computed, and garbage
	least = 8 << 20
)

// Default returns the size of the budget of a process that may take as much memory as GOMEMLIMIT
// says, else the limit of its cgroup.
func Default() int {
	const leaveAsIs = -1
	limit := debug.SetMemoryLimit(leaveAsIs)
	if limit == math.MaxInt64 {
		limit = cgroupLimit(os.ReadFile)
	}
	return of(limit)
}

// of returns the size of the budget of a process that may take so many bytes.
func of(limit int64) int { return int(max(least, min(limit/part, usual))) }

// cgroupLimit returns the memory limit of the process's cgroup as a container sees it, of version 2
// or else 1; the largest number if there is none.
func cgroupLimit(read func(name string) ([]byte, error)) int64 {
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		content, err := read(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64); err == nil && n > 0 {
			return n
		}
	}
	return math.MaxInt64
}

// units are the units of a size, the largest first.
var units = []struct {
	name  string
	bytes int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Parse reads a size like 512MiB. The empty text is the size of Default.
func Parse(size string) (bytes int, err error) {
	if size == "" {
		return Default(), nil
	}
	for _, u := range units {
		number, found := strings.CutSuffix(size, u.name)
		if !found {
			continue
		}
		n, err := strconv.Atoi(number)
		if err == nil && n > 0 && n <= math.MaxInt/2/u.bytes {
			return n * u.bytes, nil
		}
	}
	return 0, fmt.Errorf("%q is no size: want a whole number and a unit, like 256MiB", size)
}
