package stream

import (
	"context"
	"sync"
)

// budget bounds the bytes of fetched records that the readers of a client hold at once. One reader at a time unpacks what
// it was sent, when those of the others are below the limit; so all of them hold at most the limit and one fetch.
//
// (A semaphore does not fit: how much a batch unpacks to is known afterwards.)
type budget struct {
	limit int           // bytes
	gate  chan struct{} // has an element while a reader unpacks or waits to

	mutex   sync.Mutex
	held    int           // bytes
	freed   chan struct{} // closed when bytes are given back
	readers int           // partitions assigned to this client
}

func newBudget(limit int) *budget {
	return &budget{limit: limit, gate: make(chan struct{}, 1), freed: make(chan struct{})}
}

// held is a part of a budget.
type held struct {
	budget *budget
	bytes  int
	once   sync.Once
}

func (h *held) release() { h.once.Do(func() { h.budget.give(h.bytes) }) }

// take waits for room and runs unpack, which returns how many bytes it made. These are held until they are released.
func (b *budget) take(ctx context.Context, unpack func() int) (*held, error) {
	select {
	case b.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-b.gate }()
	for {
		b.mutex.Lock()
		full, freed := b.held >= b.limit, b.freed
		b.mutex.Unlock()
		if !full {
			break
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	h := &held{budget: b, bytes: unpack()}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.held += h.bytes
	return h, nil
}

// give gives bytes back.
func (b *budget) give(n int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.held -= n
	close(b.freed)
	b.freed = make(chan struct{})
}

// share sets the number of partitions that are read.
func (b *budget) share(readers int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.readers = readers
}

// smallestFetch is the least size that a reader asks for.
const smallestFetch = 64 << 10

// fetchBytes returns the size to ask for, as batches are stored: what a reader has of it waits for room outside of the
// budget, so that all readers together ask for half of the limit.
func (b *budget) fetchBytes() int {
	return max(smallestFetch, min(DefaultMaxBytes, b.each()/2))
}

// each returns the part of the limit that each reader would have.
func (b *budget) each() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.limit / max(b.readers, 1)
}
