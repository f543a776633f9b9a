package main

import (
	"context"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
)

// judged is what became of the records of a model log.
type judged struct {
	state    *fold.State
	controls map[int64]*fold.Control // in force, by their offsets
}

// judge folds a model log into state; each, if not nil, is as of modellog.Replay.
func judge(ctx context.Context, log modellog.Reader, topic string, state *fold.State,
	each func(fold.Entry, fold.Outcome)) (*judged, error) {
	all, outcomes := map[int64]*fold.Control{}, map[int64]fold.Outcome{}
	err := modellog.Replay(ctx, log, topic, state, -1, func(e fold.Entry, o fold.Outcome) {
		if e.Control != nil {
			all[e.Offset] = e.Control
		}
		if all[e.Offset] != nil { // behind a void the log is folded again
			outcomes[e.Offset] = o
		}
		if each != nil {
			each(e, o)
		}
	})
	j := &judged{state, map[int64]*fold.Control{}}
	for at, c := range all {
		// what a rollback has taken out stays out, also where a later one takes out its record
		isKnown := slices.ContainsFunc(state.Voids(), func(v fold.KnownVoid) bool { return v.At == at })
		if isKnown || c.Void == nil && outcomes[at] == fold.Controlled {
			j.controls[at] = c
		}
	}
	return j, err
}

// longer is a model log as it is with one more record.
type longer struct {
	modellog.Reader
	last stream.Fetched // the record; else as what was fetched before
}

func (l *longer) Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error) {
	first, _, err = l.Reader.Offsets(ctx, topic, partition)
	return first, l.last.Records[0].Offset + 1, err
}

func (l *longer) Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error) {
	at := l.last.Records[0].Offset
	if request.Offset == at {
		return l.last, nil
	}
	got, err := l.Reader.Fetch(ctx, request)
	// what came since is not looked at
	got.Records = slices.DeleteFunc(got.Records, func(r stream.Record) bool { return r.Offset >= at })
	got.Next = min(got.Next, at)
	if request.Identify {
		l.last.Next, l.last.LeaderEpoch, l.last.TopicID = at+1, got.LeaderEpoch, got.TopicID
	}
	return got, err
}

// lastRollback returns the offset of the last rollback in force from an offset on, nil if there is
// none.
func (j *judged) lastRollback(from int64) (at *int64) {
	for _, v := range j.state.Voids() {
		if !v.Recount && v.At >= from {
			at = &v.At
		}
	}
	return at
}

// undone returns the offsets of the controls that are not in force any more once a record is taken
// out, which is none of them. No control before the record depends on it.
func (j *judged) undone(ctx context.Context, client modellog.Reader, topic string, v *fold.Void) (at []int64,
	err error) {
	for offset := range j.controls {
		if offset > v.From {
			at = append(at, offset)
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	value, err := codec.EncodeControl(&fold.Control{Void: v})
	if err != nil {
		return nil, err
	}
	log := &longer{Reader: client, last: stream.Fetched{Records: []stream.Record{{Offset: j.state.Next(), Value: value}}}}
	then, err := judge(ctx, log, topic, fold.New(false), nil)
	at = slices.DeleteFunc(at, func(offset int64) bool { return then.controls[offset] != nil })
	slices.Sort(at)
	return at, err
}

// judgedOnce returns a function that says whether the control at an offset is in force; nil: that is
// not known, because the log cannot be folded. It folds the log when it is asked first.
func (f *logFlags) judgedOnce(ctx context.Context, client *stream.Client) func(offset int64) *bool {
	var j *judged
	var err error
	return func(offset int64) *bool {
		if j == nil {
			j, err = judge(ctx, client, f.ModelTopic, fold.New(false), nil)
		}
		if err != nil || offset >= j.state.Next() {
			return nil
		}
		return new(j.controls[offset] != nil)
	}
}
