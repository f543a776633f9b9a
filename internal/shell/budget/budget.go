// Package budget bounds the bytes that all queues of a process hold, between a fetch and the last
// answer to it.
//
// The budget is divided into shares, one for each kind of bytes. Who waits for room of a kind holds
// bytes only of the kinds before it, and gives them back without waiting for those: so nobody waits
// for somebody who waits for him. What is larger than its share waits until nothing else of its
// kind is held, and goes alone.
package budget

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
)

// Kind says what bytes are.
type Kind int

// The kinds, in the order in which one holder may take them.
const (
	Received  Kind = iota // responses of brokers, as they were sent
	Fetched               // records, unpacked, until they are answered or counted
	Answers               // answers, encoded, until all replicas have them; deltas, and what they are built with
	Waiting               // what is known of answers that are not committed yet
	Recent                // what is remembered, and can be forgotten at any time
	Requests              // bodies of HTTP requests
	Responses             // answers to them, until they are sent
	kinds
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Received, Fetched, Answers, Waiting, Recent, Requests, Responses} }

var names = [kinds]string{"received", "fetched", "answers", "waiting", "recent", "requests", "responses"}

// String returns the name of the kind in metrics.
func (k Kind) String() string { return names[k] }

// sixteenths are the shares of the kinds.
var sixteenths = [kinds]int{2, 5, 4, 1, 2, 1, 1}

// Budget is the memory of a process for its queues. A nil Budget has no bound. It is safe for
// concurrent use.
type Budget struct {
	limit int
	pools [kinds]pool
	held  atomic.Int64
	most  atomic.Int64
}

// New returns a budget of a number of bytes.
func New(limit int) *Budget {
	b := &Budget{limit: limit}
	for k := range b.pools {
		b.pools[k].limit = max(1, limit/16*sixteenths[k])
	}
	return b
}

// Limit returns the size of the budget.
func (b *Budget) Limit() int { return b.limit }

// noBound is the share of a kind without a budget.
const noBound = math.MaxInt / 2

// Share returns the size of the share of a kind.
func (b *Budget) Share(k Kind) int {
	if b == nil {
		return noBound
	}
	return b.pools[k].limit
}

// Held returns how many bytes of a kind are held.
func (b *Budget) Held(k Kind) int {
	p := &b.pools[k]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// Most returns the largest number of bytes of all kinds that were ever held at once.
func (b *Budget) Most() int { return int(b.most.Load()) }

// Take waits for room for n bytes of a kind. The room is given in the order in which it was asked
// for.
func (b *Budget) Take(ctx context.Context, k Kind, n int) (*Room, error) {
	if b == nil {
		return nil, nil
	}
	if err := b.pools[k].wait(ctx, n); err != nil {
		return nil, err
	}
	return b.room(k, n), nil
}

// Try is Take without waiting. ok is false if there is no room, or somebody waits for it.
func (b *Budget) Try(k Kind, n int) (room *Room, ok bool) {
	if b == nil {
		return nil, true
	}
	if !b.pools[k].try(n) {
		return nil, false
	}
	return b.room(k, n), true
}

// Open returns a room of no bytes, which may grow.
func (b *Budget) Open(k Kind) *Room {
	if b == nil {
		return nil
	}
	return b.room(k, 0)
}

func (b *Budget) room(k Kind, n int) *Room {
	b.count(n)
	return &Room{budget: b, pool: &b.pools[k], bytes: n}
}

// count adds to what is held of all kinds.
func (b *Budget) count(n int) {
	held := b.held.Add(int64(n))
	for most := b.most.Load(); held > most && !b.most.CompareAndSwap(most, held); most = b.most.Load() {
	}
}

// Room is a part of a budget that somebody holds. A nil Room, of no budget, is as large as its
// holder likes. It is safe for concurrent use.
type Room struct {
	budget *Budget
	pool   *pool

	mu    sync.Mutex
	bytes int
}

// Bytes returns the size of the room.
func (r *Room) Bytes() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// Grow takes n more bytes. It reports false, and takes nothing, if there is no room for them or
// somebody waits for it.
func (r *Room) Grow(n int) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.pool.try(n) {
		return false
	}
	r.bytes += n
	r.budget.count(n)
	return true
}

// Resize says that the bytes are there that were expected, and how many they are: nobody else gets
// room before as much is given back as they are too many.
func (r *Room) Resize(bytes int) { r.Add(bytes - r.Bytes()) }

// Add says that n bytes more are there than were expected, or less if n is negative.
func (r *Room) Add(n int) {
	if r == nil || n == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += n
	r.budget.count(n)
	r.pool.add(n)
}

// Release gives all of the room back. Called again it does nothing more.
func (r *Room) Release() {
	if r != nil {
		r.Add(-r.Bytes())
	}
}
