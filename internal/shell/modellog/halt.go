package modellog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/shell/stream"
)

// HoleError says that records are missing in the middle of the log.
type HoleError struct {
	Topic string
	Next  int64 // the first offset without a record
	Err   error
}

func (e *HoleError) Error() string {
	return fmt.Sprintf("the model topic %q lacks the record at offset %d, also when it is read again from its start: it "+
		"was compacted, or written in a transaction; "+
		"set cleanup.policy=delete, and start from a snapshot that is beyond the hole (--bootstrap, with a new --state) or "+
		"count again into a new --model-topic: %v", e.Topic, e.Next, e.Err)
}

func (e *HoleError) Unwrap() error { return e.Err }

// halt is what Follow knows of a record that it cannot pass. The zero value says that it met none.
type halt struct {
	next   int64 // the offset of the missing record for which the state was rebuilt
	halted bool
	pause  time.Duration // until the next look
	told   time.Time     // when the reason was logged last
}

// The pause between two looks at a record that cannot be passed doubles up to the longest.
const (
	firstLook   = time.Second
	longestLook = time.Minute
)

// meetHole handles missing records. The first time it starts over: the state may have been wrong.
// If the same record is missing again, the log has a real hole, and starting over would never end.
// Then it waits, in case the topic is created again.
func (r *Replica) meetHole(ctx context.Context, err error) {
	next := r.state.Next()
	if next > 0 && r.halt.next != next {
		r.halt.next = next
		r.rebuild(err)
		return
	}
	r.lookAgain(ctx, &HoleError{Topic: r.topic, Next: next, Err: err})
}

// lookAgain keeps the state as it is before a record that it cannot pass, reports it, and looks
// again after a pause.
func (r *Replica) lookAgain(ctx context.Context, reason error) {
	r.halt.halted = true
	r.halt.pause = max(r.halt.pause, firstLook)
	r.log.Error("the model log is not followed any further", "error", reason, "pause", r.halt.pause)
	r.reportHalted(reason)
	stream.Sleep(ctx, r.halt.pause)
	r.halt.pause = min(2*r.halt.pause, longestLook)
	r.setCompared(false)
}

// tellEach is the time between two logs of what is tried again each second.
const tellEach = 15 * time.Second

// tryAgain reports trouble that ends when brokers answer again or a right is given back, and waits
// a moment.
func (r *Replica) tryAgain(ctx context.Context, reason error) {
	if time.Since(r.halt.told) >= tellEach {
		r.halt.told = time.Now()
		r.log.Warn("the model log cannot be read, trying again", "error", reason)
	}
	r.halt.halted = true
	r.reportHalted(reason)
	r.setCompared(false)
	stream.Sleep(ctx, firstLook)
}

// waitsFor reports whether an error is a right that was taken away since the log was read.
func (r *Replica) waitsFor(err error) bool {
	if !errors.As(err, new(*stream.RightError)) {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.followed
}

func (r *Replica) goOn() {
	if !r.halt.halted {
		return
	}
	r.halt = halt{}
	r.log.Info("the model log is followed again")
	r.reportHalted(nil)
}

func (r *Replica) reportHalted(reason error) {
	if r.observe.Halted != nil {
		r.observe.Halted(reason)
	}
}
