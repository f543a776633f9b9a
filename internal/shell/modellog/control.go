package modellog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec/spelling"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// A Build makes a control for a state that holds all of the log. The error is a *RefusedError if it
// must not be made.
type Build func(ctx context.Context, log Reader, topic string, state *fold.State) (*fold.Control, error)

// Command appends the control that build makes, and returns its offset once it is in force. state
// is an empty one, or of a model file where the start of the log was deleted; behind the call
// it holds all of the log. Another record that is appended at the same moment makes a control
// stale; Command then builds it again, a few times.
func Command(ctx context.Context, log Broker, topic string, state *fold.State, build Build) (offset int64, err error) {
	const attempts = 10
	var outcome fold.Outcome
	for range attempts {
		if err := Replay(ctx, log, topic, state, -1, nil); err != nil {
			return 0, err
		}
		c, err := build(ctx, log, topic, state)
		if err != nil {
			return 0, err
		}
		offset, err = appendControl(ctx, log, topic, c)
		if err != nil {
			return 0, err
		}
		outcome, err = outcomeAt(ctx, log, topic, state, offset)
		if err != nil || outcome == fold.Controlled {
			return offset, err
		}
		if outcome != fold.Stale && outcome != fold.Gap {
			break
		}
	}
	return 0, &RefusedError{fmt.Sprintf("the control record at offset %d of %q is not in force: the outcome is %q", offset,
		topic, outcome)}
}

func appendControl(ctx context.Context, log Broker, topic string, c *fold.Control) (int64, error) {
	value, err := codec.EncodeControl(c)
	if err != nil {
		return 0, &RefusedError{fmt.Sprintf("encode the control record: %v", err)}
	}
	if len(value) > codec.MaxDelta {
		return 0, &RefusedError{fmt.Sprintf("the control record has %d bytes, more than the %d of a record of the log: it "+
			"has too many sources", len(value), codec.MaxDelta)}
	}
	offset, err := log.Produce(ctx, topic, 0, []stream.Record{{Value: value}})
	if err != nil {
		return 0, fmt.Errorf("append to the model log: %w; it may be there nevertheless: look "+
			"with bayestream log before you try again", err)
	}
	return offset, nil
}

// outcomeAt folds the log to its end, and returns what became of the record at an offset.
func outcomeAt(ctx context.Context, log Reader, topic string, state *fold.State, offset int64) (outcome fold.Outcome,
	err error) {
	err = Replay(ctx, log, topic, state, -1, func(e fold.Entry, o fold.Outcome) {
		if e.Offset == offset {
			outcome = o
		}
	})
	return outcome, err
}

// Rollback builds the void that takes the records of the log from an offset on out of the counts.
// What they counted is not counted again; forgets among them stay in force.
func Rollback(to int64, why string) Build {
	return func(ctx context.Context, log Reader, topic string, state *fold.State) (*fold.Control, error) {
		start, _, err := log.Offsets(ctx, topic, 0)
		switch {
		case err != nil:
			return nil, err
		case to <= 0 || to >= state.Next():
			return nil, &RefusedError{fmt.Sprintf("a rollback to offset %d: the log in %q goes to offset %d, and the first "+
				"record stays", to, topic, state.Next()-1)}
		case start > 0:
			return nil, &RefusedError{fmt.Sprintf("the log in %q starts at offset %d: workers that counted what a rollback "+
				"takes out could not be rebuilt", topic, start)}
		}
		first, err := checksumAt(ctx, log, topic, to)
		if err != nil {
			return nil, err
		}
		v := &fold.Void{From: to, To: state.Next(), FirstCRC: first, LastCRC: state.Anchor().Checksum}
		for _, src := range state.Sources() {
			p, _ := state.Progress(src)
			v.Marks = append(v.Marks, fold.Mark{Source: src, Progress: p})
		}
		return &fold.Control{Log: state.Log(), Era: state.Era(), Why: why, Void: v}, nil
	}
}

// Rename builds the control that moves a class to another name. It refuses a class that the spec
// names: the spec would speak of a class that is not there. Prior and losses may be changed in a
// later spec, classes may not.
func Rename(from, to, why string) Build {
	return func(_ context.Context, _ Reader, topic string, state *fold.State) (*fold.Control, error) {
		if state.Model() == nil {
			return nil, errNoSpec(topic)
		}
		if _, ok := state.Model().Classes().ID(from); !ok {
			return nil, &RefusedError{fmt.Sprintf("the model in %q has no class %q%s", topic, from,
				spelling.Guess(from, state.Model().ClassNames()))}
		}
		if slices.Contains(state.Spec().Classes, from) {
			return nil, &RefusedError{fmt.Sprintf("the spec of the model in %q has class %q among its classes, which cannot "+
				"be changed in this log: count into a new --model-topic", topic, from)}
		}
		if state.Spec().Names(from) {
			return nil, &RefusedError{fmt.Sprintf("the spec of the model in %q names class %q (prior or loss): start ingest "+
				"with a spec that does not", topic, from)}
		}
		if from == to {
			return nil, &RefusedError{fmt.Sprintf("class %q has that name", from)}
		}
		return &fold.Control{Log: state.Log(), Era: state.Era(), Why: why, Rename: &fold.Rename{From: from, To: to}}, nil
	}
}

// Reset builds the control that empties the counts, the ledgers and the list of sources, so that
// all sources are counted from their start. It refuses where counts were imported: they have no
// source to be counted from.
func Reset(why string) Build {
	return func(_ context.Context, _ Reader, topic string, state *fold.State) (*fold.Control, error) {
		if state.Model() == nil {
			return nil, errNoSpec(topic)
		}
		for _, src := range state.Sources() {
			if src.IsImport() {
				return nil, &RefusedError{fmt.Sprintf("the model in %q holds imported counts (%s), which cannot be counted "+
					"again: count into a new model topic", topic, src.Topic)}
			}
		}
		return &fold.Control{Log: state.Log(), Era: state.Era(), Why: why, Reset: &fold.Reset{}}, nil
	}
}

func errNoSpec(topic string) error {
	return &RefusedError{fmt.Sprintf("the log in %q holds no spec yet", topic)}
}

// VoidRecords appends the void that takes the records [from, to) of the log out as if they had
// never been there, and returns its offset. They need not be readable: nothing is folded.
func VoidRecords(ctx context.Context, log Broker, topic string, from, to int64, why string) (offset int64, err error) {
	v, err := VoidOf(ctx, log, topic, from, to)
	if err != nil {
		return 0, err
	}
	return appendControl(ctx, log, topic, &fold.Control{Why: why, Void: v})
}

// VoidOf returns the void of VoidRecords.
func VoidOf(ctx context.Context, log Reader, topic string, from, to int64) (v *fold.Void, err error) {
	if from <= 0 || to <= from {
		return nil, &RefusedError{fmt.Sprintf("a void of the records %d to %d: it has none, or the first record of the log, "+
			"which stays", from, to-1)}
	}
	v = &fold.Void{From: from, To: to, Recount: true}
	if v.FirstCRC, err = checksumAt(ctx, log, topic, from); err == nil {
		v.LastCRC, err = checksumAt(ctx, log, topic, to-1)
	}
	return v, err
}

func checksumAt(ctx context.Context, log Reader, topic string, offset int64) (uint32, error) {
	rec, err := recordAt(ctx, log, topic, offset)
	if errors.As(err, new(*TruncatedError)) || err == nil && rec == nil {
		return 0, &RefusedError{fmt.Sprintf("the log in %q has no record at offset %d", topic, offset)}
	}
	if err != nil {
		return 0, err
	}
	return codec.Checksum(rec.Value), nil
}
