package modellog

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// TruncatedError says that the log no longer holds the records to fold next.
type TruncatedError struct {
	Topic       string
	Next, Start int64
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("the model topic %q starts at offset %d and offset %d is needed: records were deleted; start "+
		"from a snapshot of another worker "+
		"(--bootstrap http://HOST/v1/snapshot) or a backup, and set retention.ms=-1 and retention.bytes=-1 on the "+
		"topic", e.Topic, e.Start, e.Next)
}

// errOtherLog makes the replica rebuild: the log is not the one its state came from.
var errOtherLog = errors.New("the model log is not the one that was folded: its records differ")

// check compares what the state knows of the log with the log: the last folded record, and the
// voids after it.
func (r *reader) check(ctx context.Context, state *fold.State) error {
	if err := r.checkAnchor(ctx, state); err != nil {
		return err
	}
	if err := r.checkID(ctx, state); err != nil {
		return err
	}
	return r.checkVoids(ctx, state)
}

// checkID compares the id of the log that was folded with that of its first spec: an append that
// came late, to a log that was created again, may be the record that the anchor names, at its offset.
// Another one may be before the spec.
func (r *reader) checkID(ctx context.Context, state *fold.State) error {
	if state.Log() == (fold.LogID{}) {
		return nil
	}
	bytes := 1 // the first record is the spec, nearly always
	for next := int64(0); next < state.Next(); bytes = 1 << 16 {
		got, err := r.log.Fetch(ctx, stream.FetchRequest{Topic: r.topic, Offset: next, MaxBytes: bytes})
		if errors.Is(err, stream.ErrOffsetOutOfRange) || err == nil && len(got.Records) == 0 {
			return nil // the head was cut off
		}
		if err != nil {
			return err
		}
		for i := range got.Records {
			rec := &got.Records[i]
			next = rec.Offset + 1
			e, err := codec.Decode(rec.Value, rec.Offset, fold.Reading{})
			switch {
			case err != nil || e.Spec == nil || state.Ignores(rec.Offset):
			case e.Log != state.Log():
				return fmt.Errorf("the spec at offset %d: %w", rec.Offset, errOtherLog)
			default:
				return nil
			}
		}
	}
	return nil
}

// checkVoids looks whether the log still has the voids that the state knows and has not reached: a
// new leader may have lost them, and what they take out counts then.
func (r *reader) checkVoids(ctx context.Context, state *fold.State) error {
	for _, v := range state.Voids() {
		if v.At < state.Next() {
			continue
		}
		rec, err := recordAt(ctx, r.log, r.topic, v.At)
		if err != nil {
			return err
		}
		if rec == nil || codec.Checksum(rec.Value) != v.CRC {
			return fmt.Errorf("offset %d, a void that is known: %w", v.At, errOtherLog)
		}
	}
	return nil
}

// checkAnchor compares the last record that a state folded with what the log has at its offset. The
// error is errOtherLog where they differ.
func (r *reader) checkAnchor(ctx context.Context, state *fold.State) error {
	a := state.Anchor()
	start, end, err := r.log.Offsets(ctx, r.topic, 0)
	if err != nil {
		return err
	}
	if end < state.Next() {
		return fmt.Errorf("it ends at offset %d and %d was folded: %w", end, a.Offset, errOtherLog)
	}
	if start > state.Next() {
		return &TruncatedError{Topic: r.topic, Next: state.Next(), Start: start}
	}
	if a.Offset < start {
		return nil // nothing folded yet, or nothing left to compare with
	}
	got, err := r.log.Fetch(ctx, stream.FetchRequest{Topic: r.topic, Offset: a.Offset, MaxBytes: 1})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return fmt.Errorf("the log changed while its anchor was compared: %w: %w", stream.ErrRetriable, err)
	}
	if err != nil {
		return err
	}
	if len(got.Records) == 0 || got.Records[0].Offset != a.Offset || codec.Checksum(got.Records[0].Value) != a.Checksum {
		return fmt.Errorf("offset %d: %w", a.Offset, errOtherLog)
	}
	if a.Epoch >= 0 && got.LeaderEpoch >= 0 && got.LeaderEpoch != a.Epoch {
		// The same bytes again, behind other records: a delta that was lost and appended once more.
		return fmt.Errorf("offset %d is of leader epoch %d and was of %d: %w", a.Offset, got.LeaderEpoch, a.Epoch,
			errOtherLog)
	}
	return nil
}

// outOfRange returns why the offset to fold next is not in the log: it was deleted, or lies beyond
// the end.
func (r *reader) outOfRange(ctx context.Context, next int64) error {
	start, _, err := r.log.Offsets(ctx, r.topic, 0)
	if err != nil {
		return err
	}
	if start > next {
		return &TruncatedError{Topic: r.topic, Next: next, Start: start}
	}
	return fmt.Errorf("offset %d is beyond its end: %w", next, errOtherLog)
}

// epochOf returns the leader epoch of the i-th record of a fetch, -1 if it is not known: a fetch
// tells the epoch of its last record.
func epochOf(got *stream.Fetched, i int) int32 {
	if i < len(got.Records)-1 {
		return -1
	}
	return got.LeaderEpoch
}

// rebuild starts over because of something that should not be.
func (r *Replica) rebuild(reason error) {
	r.log.Error("the state is rebuilt from the start of the model log", "reason", reason)
	r.startOver(reason, nil)
}

// startOver starts over with an empty state that knows the voids, in a new epoch.
func (r *Replica) startOver(reason error, voids []fold.KnownVoid) {
	r.observe.Rebuild(reason, func() {
		state := fold.New(r.state.KeepsLedger())
		state.Restart(voids)
		r.Swap(state)
	})
}

// Swap goes on from another state, in a new epoch. While Follow runs, only it may call Swap,
// through the Observer.
func (r *Replica) Swap(state *fold.State) {
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = state
	r.epoch++
	r.digests = digests{}
	r.history = history{}
	r.compared = false
	r.behind = -1
	r.notify()
}
