package budget

import (
	"context"
	"slices"
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
