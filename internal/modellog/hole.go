package modellog

import (
	"context"
	"fmt"
	"time"
)

// HoleError says that records are missing in the middle of the log.
type HoleError struct {
	Topic string
	Next  int64 // the first offset without a record
	Err   error
}

func (e *HoleError) Error() string {
	return fmt.Sprintf("the model topic %q lacks the record at offset %d, also when it is read again from its start: it was compacted, or written in a transaction; "+
		"set cleanup.policy=delete, and start from a snapshot that is beyond the hole (--bootstrap, with a new --state) or count again into a new --model-topic: %v", e.Topic, e.Next, e.Err)
}

func (e *HoleError) Unwrap() error { return e.Err }

// hole is what Follow knows of a hole in the log. The zero value: there is none.
type hole struct {
	met    bool
	next   int64 // the offset that was missing
	halted bool
	pause  time.Duration
}

// The pause between two looks at a hole that is there doubles up to the longest.
const (
	firstLook   = time.Second
	longestLook = time.Minute
)

// meetHole deals with records that are missing. The first time it begins anew: it may have been the state
// that was wrong. If the same record is missing again, the log has a real hole, and beginning anew would go
// on for ever. Then it keeps the state as it is before the hole, says so, and looks again now and then, in
// case the topic is made anew.
func (r *Replica) meetHole(ctx context.Context, err error) {
	next := r.state.Next()
	if next > 0 && !(r.hole.met && r.hole.next == next) {
		r.hole = hole{met: true, next: next}
		r.rebuild(err)
		return
	}
	reason := &HoleError{Topic: r.topic, Next: next, Err: err}
	if !r.hole.halted {
		r.hole = hole{met: true, next: next, halted: true, pause: firstLook}
	}
	r.log.Error("the model log is not followed any further", "error", reason, "pause", r.hole.pause)
	r.tellHalted(reason)
	pause(ctx, r.hole.pause)
	r.hole.pause = min(2*r.hole.pause, longestLook)
	r.setCompared(false)
}

// passHole is told that the log goes on.
func (r *Replica) passHole() {
	if !r.hole.halted {
		return
	}
	r.hole = hole{}
	r.log.Info("the model log is followed again")
	r.tellHalted(nil)
}

func (r *Replica) tellHalted(reason error) {
	if r.observe.Halted != nil {
		r.observe.Halted(reason)
	}
}
