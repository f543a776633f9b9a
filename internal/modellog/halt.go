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

// halt is what Follow knows of a record that it cannot pass. The zero value says that it met none.
type halt struct {
	rebuilt bool  // the state was rebuilt because the record at next was missing
	next    int64 // the offset of the record
	halted  bool
	pause   time.Duration // until the next look
}

// The pause between two looks at a record that cannot be passed doubles up to the longest.
const (
	firstLook   = time.Second
	longestLook = time.Minute
)

// meetHole handles missing records. The first time it starts over: the state may have been wrong. If the same record is
// missing again, the log has a real hole, and starting over would never end. Then it waits, in case the topic is created
// again.
func (r *Replica) meetHole(ctx context.Context, err error) {
	next := r.state.Next()
	if next > 0 && !(r.halt.rebuilt && r.halt.next == next) {
		r.halt = halt{rebuilt: true, next: next}
		r.rebuild(err)
		return
	}
	r.lookAgain(ctx, &HoleError{Topic: r.topic, Next: next, Err: err})
}

// lookAgain keeps the state as it is before a record that it cannot pass, reports it, and looks again after a pause.
func (r *Replica) lookAgain(ctx context.Context, reason error) {
	if !r.halt.halted {
		r.halt.halted = true
		r.halt.pause = firstLook
	}
	r.log.Error("the model log is not followed any further", "error", reason, "pause", r.halt.pause)
	r.reportHalted(reason)
	pause(ctx, r.halt.pause)
	r.halt.pause = min(2*r.halt.pause, longestLook)
	r.setCompared(false)
}

// goOn reports that the log is folded again.
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
