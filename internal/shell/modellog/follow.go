package modellog

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// Follow folds the log until ctx ends. An error that may pass is waited for. One that somebody has
// to mend ends Follow before the log was read once; later the replica keeps what it has, says what
// is wrong and goes on when it is mended. A log that lacks the records to fold next ends it, unless
// a snapshot may come.
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
		if err != nil {
			err = r.resolve(ctx, err)
		}
		var truncated *TruncatedError
		if errors.As(err, &truncated) && r.observe.Truncated != nil && ctx.Err() == nil {
			err = r.observe.Truncated(ctx, truncated, r.Swap)
		}
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, fold.ErrHole):
			r.meetHole(ctx, err)
		case isNewer(err):
			r.lookAgain(ctx, err)
		case errors.Is(err, errDiffers):
			r.settleDifference(ctx, err)
		case errors.Is(err, errOtherLog), errors.Is(err, fold.ErrOtherVoid):
			r.rebuild(err)
		case errors.Is(err, stream.ErrRetriable), r.waitsFor(err):
			r.tryAgain(ctx, err)
		case r.followed && (truncated == nil || r.observe.Truncated != nil):
			r.lookAgain(ctx, err)
		default:
			return fmt.Errorf("follow the model log: %w", err)
		}
	}
	return nil
}

// compareEach is how old a comparison of the anchor may be. A log that was created again while the
// worker slept may end just where the old one did; then no fetch tells.
const compareEach = time.Minute

// step makes one fetch and folds what it brings.
func (r *Replica) step(ctx context.Context) error {
	if !r.compared || time.Since(r.comparedAt) > compareEach {
		if err := r.reader.check(ctx, r.state); err != nil {
			return err
		}
		r.comparedAt = time.Now()
		r.setCompared(true)
	}
	got, err := r.reader.next(ctx, r.state) // only this goroutine moves the state
	if err != nil {
		return err
	}
	if err := r.foldAll(got); err != nil {
		return err
	}
	r.goOn()
	return nil
}

func isNewer(err error) bool {
	return errors.As(err, new(*codec.NewerError))
}

// resolve is reader.resolve for the state of the replica, which starts over in a new epoch.
func (r *Replica) resolve(ctx context.Context, err error) error {
	voids, rest := r.reader.resolve(ctx, err, func(f func(*fold.State)) { r.update(f) })
	if rest == nil && len(voids) > 0 {
		v := voids[len(voids)-1]
		r.log.Info("the model log voids records that were counted: the state is rebuilt without them", "from", v.From, "to",
			v.To-1, "void", v.At)
		r.startOver(err, voids)
	}
	return rest
}

// setCompared sets r.compared. Only the goroutine of Follow calls it; the lock is for the callers
// of CatchUp.
func (r *Replica) setCompared(compared bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compared = compared
	r.notify()
}

// foldAll folds what a fetch brought, slice by slice. Readers come between two slices.
func (r *Replica) foldAll(got stream.Fetched) error {
	r.digests.begin(r.state)
	r.history.begin(r.state, got.HighWatermark)
	if len(got.Records) == 0 {
		return r.foldSlice(nil, got.HighWatermark)
	}
	for slice := range ahead(&got, r.state) {
		if err := r.foldSlice(slice, got.HighWatermark); err != nil {
			return err
		}
		runtime.Gosched() // decisions wait for a processor, too: up to 10 ms, until this goroutine is preempted
	}
	return nil
}

// foldSlice folds records under one lock, so that readers see all of them or none. What they count is
// looked for before, while others read. end is where the log ends. Readers who waited have the lock
// for as long, before the next slice.
func (r *Replica) foldSlice(slice []decoded, end int64) (err error) {
	outcomes := make([]fold.Outcome, 0, len(slice))
	r.changing.Lock()
	for i := range slice {
		r.state.Find(&slice[i].entry)
	}
	waited := r.hold(func(s *fold.State) {
		for i := 0; i < len(slice) && err == nil; i++ {
			var outcome fold.Outcome
			outcome, err = slice[i].fold(s)
			if err == nil {
				outcomes = append(outcomes, outcome)
				err = r.folded(&slice[i].entry, outcome)
			}
		}
		s.Settle()
		r.followed = true
		r.lastFetch = time.Now()
		r.behind = max(0, end-s.Next())
		r.notify()
	})
	r.changing.Unlock()
	for i, outcome := range outcomes {
		if e := &slice[i].entry; e.Unreadable != nil {
			r.log.Error("a record of the model log is not readable and was passed over", "offset", e.Offset, "error",
				e.Unreadable)
		}
		r.observe.Folded(outcome)
	}
	time.Sleep(waited)
	return err
}

// folded does what follows from an entry that was folded. The error is errDiffers if the state is
// to be rebuilt.
func (r *Replica) folded(e *fold.Entry, outcome fold.Outcome) error {
	r.digests.follow(r.state, e, outcome)
	r.logDrifts(e)
	if outcome != fold.Accepted {
		return nil
	}
	if r.observe.Accepted != nil {
		r.observe.Accepted(e.Delta)
	}
	return r.checkDigest(e)
}
