package modellog

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// names reports whether the log holds the records that a void names: the first and the last of them
// have its checksums. What it says does not depend on the reader, so that all replicas take the
// same voids for valid.
func names(ctx context.Context, log Reader, topic string, v *fold.Void) (bool, error) {
	first, err := recordAt(ctx, log, topic, v.From)
	if err != nil || first == nil || codec.Checksum(first.Value) != v.FirstCRC {
		return false, err
	}
	last, err := recordAt(ctx, log, topic, v.To-1)
	return err == nil && last != nil && codec.Checksum(last.Value) == v.LastCRC, err
}

// recordAt returns the record at an offset of the log, nil if there is a hole. The error is a
// *TruncatedError if it was deleted.
func recordAt(ctx context.Context, log Reader, topic string, offset int64) (*stream.Record, error) {
	start, end, err := log.Offsets(ctx, topic, 0)
	if err != nil {
		return nil, err
	}
	if offset < start {
		return nil, &TruncatedError{Topic: topic, Next: offset, Start: start}
	}
	if offset >= end {
		return nil, nil
	}
	got, err := log.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: offset, MaxBytes: 1})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return nil, fmt.Errorf("the log changed while its offset %d was read: %w: %w", offset, stream.ErrRetriable, err)
	}
	if err != nil || len(got.Records) == 0 || got.Records[0].Offset != offset {
		return nil, err
	}
	return &got.Records[0], nil
}

// resolve makes a state go on after an entry at which folding it has stopped: a void of records
// that it has counted, or one that this version does not know, which a later void takes out. The
// state then knows the void; change is what changes it. If it is beyond the records that the void
// takes out, it must start over with the voids that are returned. err is what stopped it; rest is
// what remains of it: nil if the log can be folded on.
func (r *reader) resolve(ctx context.Context, err error, change func(func(*fold.State))) (voids []fold.KnownVoid,
	rest error) {
	v, refuted, rest := voidFor(ctx, r.log, r.topic, err)
	if rest != nil {
		return nil, rest
	}
	change(func(s *fold.State) {
		switch {
		case refuted:
			s.Refuse(v.At)
		case !s.Know(v):
			voids = s.VoidsWith(v)
		}
	})
	return voids, nil
}

// voidFor returns the void that settles an error of Fold. refuted says that it is not valid. rest
// is the error if no void settles it.
func voidFor(ctx context.Context, log Reader, topic string, err error) (v fold.KnownVoid, refuted bool, rest error) {
	if voided, ok := errors.AsType[*fold.VoidedError](err); ok {
		valid, err := names(ctx, log, topic, voided.Void.Void)
		return voided.Void, !valid, err
	}
	if newer, ok := errors.AsType[*codec.NewerError](err); ok {
		found, readErr := readAhead(ctx, log, topic, newer.Offset)
		switch {
		case readErr != nil:
			return v, false, readErr
		case found != nil:
			return *found, false, nil
		}
	}
	return v, false, err
}

// readAhead returns the void that takes the record at an offset out, nil if there is none: of the
// voids with recount behind it, which need no state to be judged, the last one that is in force and
// covers it.
func readAhead(ctx context.Context, log Reader, topic string, offset int64) (*fold.KnownVoid, error) {
	voids, err := recounts(ctx, log, topic, offset+1)
	if err != nil {
		return nil, err
	}
	var inForce []fold.KnownVoid // from the last to the first: a void may take out those before it
	covered := func(offset int64) *fold.KnownVoid {
		for i := range inForce {
			if inForce[i].From <= offset && offset < inForce[i].To {
				return &inForce[i]
			}
		}
		return nil
	}
	for i := len(voids) - 1; i >= 0; i-- {
		if covered(voids[i].At) != nil {
			continue
		}
		valid, err := names(ctx, log, topic, voids[i].Void)
		if err != nil {
			return nil, err
		}
		if valid {
			inForce = append(inForce, voids[i])
		}
	}
	return covered(offset), nil
}

// recounts returns the voids with recount from an offset of the log to its end.
func recounts(ctx context.Context, log Reader, topic string, next int64) ([]fold.KnownVoid, error) {
	var voids []fold.KnownVoid
	_, end, err := log.Offsets(ctx, topic, 0)
	if err != nil {
		return nil, err
	}
	err = Each(ctx, log, topic, next, end, func(rec *stream.Record) error {
		if v := recountOf(rec); v != nil {
			voids = append(voids, fold.KnownVoid{At: rec.Offset, CRC: codec.Checksum(rec.Value), Void: v})
		}
		return nil
	})
	return voids, err
}

// recountOf returns the void with recount that a record says, nil if it says none, or this version
// does not know it.
func recountOf(rec *stream.Record) *fold.Void {
	e, err := codec.Decode(rec.Value, rec.Offset, fold.Reading{}) // controls need no spec
	if err != nil || e.Control == nil {
		return nil
	}
	if v := e.Control.Void; v != nil && v.Recount && v.From > 0 && v.To <= rec.Offset {
		return v
	}
	return nil
}
