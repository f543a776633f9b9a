package budget

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// pool is the share of a kind.
//
// (A weighted semaphore does not fit: how large something becomes is known when it is there.)
type pool struct {
	limit int

	mu    sync.Mutex
	held  int // more than limit while something is held that is larger than it, or than was expected
	queue []*waiter
}

// waiter waits for room.
type waiter struct {
	bytes int
	ready chan struct{} // closed when it has the room
}

// fits reports whether there is room for n bytes.
func (p *pool) fits(n int) bool { return p.held <= 0 || p.held+n <= p.limit }

// try takes n bytes if there is room and nobody waits.
func (p *pool) try(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 || !p.fits(n) {
		return false
	}
	p.held += n
	return true
}

// wait takes n bytes as soon as there is room and all who came before have theirs.
func (p *pool) wait(ctx context.Context, n int) error {
	if p.try(n) {
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	p.mu.Lock()
	p.queue = append(p.queue, w)
	p.serve() // what was held may be free since try
	p.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.ready:
		p.held -= n
	default:
		p.queue = slices.DeleteFunc(p.queue, func(other *waiter) bool { return other == w })
	}
	p.serve()
	return context.Cause(ctx)
}

// add changes what is held, room or not.
func (p *pool) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held += n
	p.serve()
}

// serve gives room to the first who wait, as far as there is some.
func (p *pool) serve() {
	for len(p.queue) > 0 && p.fits(p.queue[0].bytes) {
		p.held += p.queue[0].bytes
		close(p.queue[0].ready)
		p.queue = p.queue[1:]
	}
}

// Sizes of a budget that nobody chose.
const (
	usual = 96 << 20 // and at most
	part  = 4        // of the memory that the process may have: the rest is for the model, what is computed, and garbage
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
