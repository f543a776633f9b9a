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

// hole is what Follow knows of a hole in the log. The zero value says that it met none.
type hole struct {
	met    bool
	next   int64 // the offset that was missing
	halted bool
	pause  time.Duration // until the next look
}

// The pause between two looks at a hole doubles up to the longest.
const (
	firstLook   = time.Second
	longestLook = time.Minute
)

// meetHole handles missing records. The first time it starts over: the state may have been wrong. If the same record is
// missing again, the log has a real hole, and starting over would never end. Then it keeps the state as it is before the
// hole, reports it, and looks again after a pause, in case the topic is created again.
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
	r.reportHalted(reason)
	pause(ctx, r.hole.pause)
	r.hole.pause = min(2*r.hole.pause, longestLook)
	r.setCompared(false)
}

// passHole reports that the log is folded again.
func (r *Replica) passHole() {
	if !r.hole.halted {
		return
	}
	r.hole = hole{}
	r.log.Info("the model log is followed again")
	r.reportHalted(nil)
}

func (r *Replica) reportHalted(reason error) {
	if r.observe.Halted != nil {
		r.observe.Halted(reason)
	}
}
