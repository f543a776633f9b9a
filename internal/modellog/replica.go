package modellog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/stream"
)

// Observer is told what happens to a replica. Calls come from the goroutine of Follow, outside of locks.
type Observer struct {
	Folded func(fold.Outcome)
	// Rebuild is called when the state must start over. It calls swap, which makes the state empty,
	// when nothing writes the old one to disk any more.
	Rebuild func(reason error, swap func())
	// Halted, when set, is told why the log cannot be folded any further, and nil when it can again.
	Halted func(reason error)
}

// Replica is a fold.State that follows the log. Readers run under a shared lock.
type Replica struct {
	client  *stream.Client
	topic   string
	observe Observer
	log     *slog.Logger

	mu      sync.RWMutex
	state   *fold.State
	changed chan struct{} // closed when the state changes
	failed  error         // why Follow ended, for those who wait

	lastFetch time.Time // of the last answer of the log
	behind    int64     // records between the state and the end of the log, at the last answer
	verify    bool      // compare the anchor before the next record is folded: until then the state may be of another log
	rebuilds  int       // how often the state began anew

	epoch int32 // of the last batch; Follow's alone
	hole  hole  // likewise
}

// New returns a replica that goes on from state.
func New(client *stream.Client, topic string, state *fold.State, observe Observer, log *slog.Logger) *Replica {
	return &Replica{
		client: client, topic: topic, state: state, observe: observe, log: log,
		changed: make(chan struct{}), verify: true, behind: -1, epoch: state.Anchor().Epoch,
	}
}

// Read calls f with the state under a shared lock. f must not keep it.
func (r *Replica) Read(f func(*fold.State)) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	f(r.state)
}

// Update calls f with the state under the exclusive lock, for a checkpoint that clears what changed.
func (r *Replica) Update(f func(*fold.State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r.state)
}

// Freshness returns when the log answered last and how many records the state was behind then; -1
// before the first answer.
func (r *Replica) Freshness() (last time.Time, behind int64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.lastFetch, r.behind
}

// Rebuilds returns how often the state began anew because the log was another one. Who keeps something
// that was read from the state compares this to learn that it is void.
func (r *Replica) Rebuilds() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.rebuilds
}

// Wait returns when cond holds, ctx ends or the replica has stopped following.
func (r *Replica) Wait(ctx context.Context, cond func(*fold.State) bool) error {
	return r.wait(ctx, func() bool { return cond(r.state) })
}

// wait is Wait for a condition that is asked under the lock.
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

// CatchUp waits until everything is folded that the log holds now. A state that was not compared with
// the log yet does not count, however far it is: it may be that of a log which is no more.
func (r *Replica) CatchUp(ctx context.Context) error {
	for {
		rebuilds := r.Rebuilds()
		_, end, err := r.client.Offsets(ctx, r.topic, 0)
		if err != nil {
			return fmt.Errorf("end of the model topic: %w", err)
		}
		caughtUp := false
		err = r.wait(ctx, func() bool {
			caughtUp = rebuilds == r.rebuilds && !r.verify && r.state.Next() >= end
			return caughtUp || rebuilds != r.rebuilds // the end was that of another log: ask again
		})
		if caughtUp || err != nil {
			return err
		}
	}
}

// Append appends a record to the log and returns its offset. An error leaves open whether the record
// is there: the fold decides.
func (r *Replica) Append(ctx context.Context, value []byte) (offset int64, err error) {
	offset, err = r.client.Produce(ctx, r.topic, 0, []stream.Record{{Value: value}})
	if err != nil {
		return -1, fmt.Errorf("append to the model log: %w", err)
	}
	return offset, nil
}

// Follow folds the log until ctx ends. Trouble with brokers is waited out; the errors it returns are
// those after which going on would be wrong.
func (r *Replica) Follow(ctx context.Context) error {
	err := r.follow(ctx)
	r.mu.Lock()
	r.failed = err
	if err == nil {
		r.failed = context.Cause(ctx)
	}
	r.notify()
	r.mu.Unlock()
	return err
}

func (r *Replica) follow(ctx context.Context) error {
	for ctx.Err() == nil {
		err := r.step(ctx)
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, fold.ErrHole):
			r.meetHole(ctx, err)
		case errors.Is(err, errOtherLog):
			r.rebuild(err)
		case errors.Is(err, stream.ErrRetriable):
			r.log.Warn("the model log cannot be read, trying again", "error", err)
			r.setVerify(true)
			pause(ctx, time.Second)
		default:
			return fmt.Errorf("follow the model log: %w", err)
		}
	}
	return nil
}

// step makes one fetch and folds what it brings.
func (r *Replica) step(ctx context.Context) error {
	if r.verify {
		if err := r.checkAnchor(ctx); err != nil {
			return err
		}
		r.setVerify(false)
	}
	next := r.state.Next() // only this goroutine moves it
	got, err := r.client.Fetch(ctx, stream.FetchRequest{Topic: r.topic, Offset: next})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return r.outOfRange(ctx, next)
	}
	if err != nil {
		return err
	}
	if len(got.Records) > 0 && got.LeaderEpoch != r.epoch || got.Interrupted {
		// Another leader, which may have lost what we folded, or even another topic.
		if err := r.checkAnchor(ctx); err != nil {
			return err
		}
	}
	switch {
	case len(got.Records) > 0:
		r.epoch = got.LeaderEpoch
	case got.Next > next:
		return fmt.Errorf("the offsets %d to %d hold no record: %w", next, got.Next-1, fold.ErrHole)
	}
	if err := r.foldAll(got); err != nil {
		return err
	}
	r.passHole()
	return nil
}

// setVerify says whether the anchor is to be compared before anything else. Only Follow's goroutine
// calls it; the lock is for those who wait.
func (r *Replica) setVerify(verify bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verify = verify
	r.notify()
}

// foldAll folds a batch under one lock, so that readers see all of it or nothing.
func (r *Replica) foldAll(got stream.Fetched) error {
	outcomes := make([]fold.Outcome, 0, len(got.Records))
	r.mu.Lock()
	var err error
	for i := range got.Records {
		var entry fold.Entry
		var outcome fold.Outcome
		entry, outcome, err = Fold(r.state, &got.Records[i], got.LeaderEpoch)
		if err != nil {
			break
		}
		if entry.Unreadable != nil {
			r.log.Error("a record of the model log is not readable and was passed over", "offset", entry.Offset, "error", entry.Unreadable)
		}
		outcomes = append(outcomes, outcome)
	}
	r.state.Settle()
	r.lastFetch, r.behind = time.Now(), max(0, got.HighWatermark-r.state.Next())
	r.notify()
	r.mu.Unlock()
	for _, o := range outcomes {
		r.observe.Folded(o)
	}
	return err
}

// notify wakes those who wait. The lock is held.
func (r *Replica) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
