package modellog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// Broker reads topics and appends to them. A *stream.Client is one.
type Broker interface {
	Reader
	Produce(ctx context.Context, topic string, partition int, records []stream.Record) (base int64, err error)
}

// Observer has the functions that a replica calls, from the goroutine of Follow and without holding
// its lock.
type Observer struct {
	// Folded is called after each record.
	Folded func(fold.Outcome)
	// Rebuild is called when the state must start over. It calls swap, which makes the state empty,
	// when nothing writes the old one to disk any more.
	Rebuild func(reason error, swap func())
	// Halted is called with the reason when the log cannot be folded any further, and with nil when it
	// can again. It may be nil.
	Halted func(reason error)
	// Differed is called for each delta whose writer had counted something else than the log says,
	// under the lock of the replica. It may be nil.
	Differed func()
	// Accepted is called for each delta that was accepted, under the lock of the replica. It may be
	// nil.
	Accepted func(*fold.Delta)
	// Held is called with how long readers had to wait for a change of the state, from the goroutine
	// that made it. It may read the replica, and be nil.
	Held func(time.Duration)
	// Truncated is called when the log lacks the records to fold next. It calls swap with a state from
	// which on the log has them, or returns an error. It is nil where no snapshot may come.
	Truncated func(ctx context.Context, reason *TruncatedError, swap func(*fold.State)) error
}

// Replica is a fold.State that follows the log. Readers run under a shared lock.
type Replica struct {
	broker  Broker
	topic   string
	observe Observer
	log     *slog.Logger

	changing sync.Mutex // held by who changes the state, or copies it: a writer that waits for mu would stop all readers
	mu       sync.RWMutex
	state    *fold.State
	changed  chan struct{} // closed when the state changes
	failed   error         // why Follow ended, for the callers of Wait
	waited   atomic.Int64  // readers that found the lock held
	epoch    int           // number of the epoch, counted from 1
	compared bool          // the anchor was compared with the log; until then the state may be of another log
	followed bool          // the log was read since the start: rights and settings were enough for it

	lastFetch time.Time // of the last answer of the log
	behind    int64     // records between the state and the end of the log, at the last answer

	// Used by Follow alone.
	reader     reader
	comparedAt time.Time // when the anchor was compared last
	digests    digests
	history    history
	suspicion  suspicion
	halt       halt
}

// New returns a replica that goes on from state.
func New(broker Broker, topic string, state *fold.State, observe Observer, log *slog.Logger) *Replica {
	return &Replica{
		broker: broker, topic: topic, state: state, observe: observe, log: log,
		changed: make(chan struct{}), epoch: 1, behind: -1, reader: reader{log: broker, topic: topic},
	}
}

// Read calls f with the state under a shared lock. f must not keep it.
func (r *Replica) Read(f func(*fold.State)) {
	if !r.mu.TryRLock() {
		r.waited.Add(1)
		r.mu.RLock()
	}
	defer r.mu.RUnlock()
	f(r.state)
}

// Copy calls read with a state that does not change meanwhile, and then stored with the same state
// under the exclusive lock. Readers wait for stored alone, the log for both.
func (r *Replica) Copy(read, stored func(*fold.State)) {
	r.changing.Lock()
	defer r.changing.Unlock()
	read(r.state)
	r.hold(stored)
}

// update calls f with the state under the exclusive lock, and returns how long readers waited for
// it: 0 if none did.
func (r *Replica) update(f func(*fold.State)) time.Duration {
	r.changing.Lock()
	defer r.changing.Unlock()
	return r.hold(f)
}

// hold is update for a caller that holds r.changing.
func (r *Replica) hold(f func(*fold.State)) time.Duration {
	r.mu.Lock()
	waited := r.waited.Load()
	begun := time.Now()
	f(r.state)
	held := time.Since(begun)
	nobody := r.waited.Load() == waited
	r.mu.Unlock()
	if r.observe.Held != nil {
		r.observe.Held(held)
	}
	if nobody {
		return 0
	}
	return held
}

// Freshness returns when the log answered last and how many records the state was behind then; -1
// before the first answer.
func (r *Replica) Freshness() (last time.Time, behind int64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.lastFetch, r.behind
}

// Wait returns when cond holds, ctx ends or the replica has stopped following.
func (r *Replica) Wait(ctx context.Context, cond func(*fold.State) bool) error {
	return r.wait(ctx, func() bool { return cond(r.state) })
}

// wait is Wait for a condition on the replica. cond runs under the shared lock.
func (r *Replica) wait(ctx context.Context, cond func() bool) error {
	for {
		r.mu.RLock()
		ok, changed, failed := cond(), r.changed, r.failed
		r.mu.RUnlock()
		if ok {
			return nil
		}
		if failed != nil {
			return failed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// askAgain is the time after which CatchUp asks for the end of the log again: a new leader may have
// lost what was there.
const askAgain = 10 * time.Second

// CatchUp waits until the state holds everything that the log holds now, and returns the epoch in
// which it does. A state that was not yet compared with the log does not count, however far it is:
// it may be of a log which was deleted.
func (r *Replica) CatchUp(ctx context.Context) (Epoch, error) {
	for {
		epoch := r.currentEpoch()
		_, end, err := r.broker.Offsets(ctx, r.topic, 0)
		if r.waitsFor(err) {
			stream.Sleep(ctx, firstLook)
			continue
		}
		if err != nil {
			return Epoch{}, fmt.Errorf("end of the model topic: %w", err)
		}
		caughtUp := false
		soon, cancel := context.WithTimeout(ctx, askAgain)
		err = r.wait(soon, func() bool {
			caughtUp = epoch.number == r.epoch && r.compared && r.state.Next() >= end
			return caughtUp || epoch.number != r.epoch // the end was of another log: ask again
		})
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return Epoch{}, err
		}
		if caughtUp {
			return epoch, nil
		}
	}
}

// Append appends a record to the log and returns its offset. After an error the log may hold the
// record nevertheless: the fold decides.
func (r *Replica) Append(ctx context.Context, value []byte) (offset int64, err error) {
	offset, err = r.broker.Produce(ctx, r.topic, 0, []stream.Record{{Value: value}})
	if err != nil {
		return -1, fmt.Errorf("append to the model log: %w", err)
	}
	return offset, nil
}

// notify wakes the callers of Wait. The lock is held.
func (r *Replica) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// An Epoch is the time during which a replica follows one and the same log. It ends when the
// replica finds another log under the name of its topic and starts over with an empty state: then
// everything that was read from the state is void. The zero Epoch has ended.
type Epoch struct {
	replica *Replica
	number  int
}

func (r *Replica) currentEpoch() Epoch {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return Epoch{replica: r, number: r.epoch}
}

// Holds reports whether the replica still follows the log of the epoch.
func (e Epoch) Holds() bool { return e.Read(func(*fold.State) {}) }

// Read calls f with the state under a shared lock, if the epoch holds, and reports whether it does.
// f must not keep the state.
func (e Epoch) Read(f func(*fold.State)) bool {
	if e.replica == nil {
		return false
	}
	e.replica.mu.RLock()
	defer e.replica.mu.RUnlock()
	if e.number != e.replica.epoch {
		return false
	}
	f(e.replica.state)
	return true
}

// Wait returns true when cond holds, or false when the epoch has ended. The error says that ctx has
// ended or that the replica has stopped following.
func (e Epoch) Wait(ctx context.Context, cond func(*fold.State) bool) (holds bool, err error) {
	err = e.replica.wait(ctx, func() bool {
		holds = e.number == e.replica.epoch
		return !holds || cond(e.replica.state)
	})
	return holds, err
}
