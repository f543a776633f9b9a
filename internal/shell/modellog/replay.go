package modellog

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// Reader reads a topic. A *stream.Client is one.
type Reader interface {
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
	Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error)
}

// reader reads a model log in the order of its offsets, for a replica that follows it or a state
// that replays it.
type reader struct {
	log   Reader
	topic string
	id    stream.TopicID // at the last fetch
}

// next fetches records that the state folds next, if the log has some. Behind another leader, which
// may have lost what was folded, or another topic, it compares the log with the state first.
func (r *reader) next(ctx context.Context, state *fold.State) (stream.Fetched, error) {
	got, err := r.log.Fetch(ctx, stream.FetchRequest{Topic: r.topic, Offset: state.Next(), Identify: true})
	if errors.Is(err, stream.ErrOffsetOutOfRange) {
		return got, r.outOfRange(ctx, state.Next())
	}
	if err != nil {
		return got, err
	}
	isOther := len(got.Records) > 0 && got.TopicID != r.id
	if len(got.Records) > 0 && got.LeaderEpoch != state.Anchor().Epoch || got.Interrupted || isOther {
		if err := r.check(ctx, state); err != nil {
			return got, err
		}
	}
	switch {
	case isOther: // of which topic the records are is known if it has the id before the fetch, too
		r.id = got.TopicID
		got.Records = nil
	case len(got.Records) == 0 && got.Next > state.Next():
		return got, fmt.Errorf("the offsets %d to %d hold no record: %w", state.Next(), got.Next-1, fold.ErrHole)
	}
	return got, nil
}

// Replay folds the records of a model topic into state, up to the offset end (exclusive), and
// settles it; -1 is the end that the topic has now. Where it meets a void of records that
// are folded already, or a new leader that has lost some of them, the state starts over. each, if
// not nil, is called after every record, and again for those that are folded again.
func Replay(ctx context.Context, log Reader, topic string, state *fold.State, end int64,
	each func(fold.Entry, fold.Outcome)) error {
	r := &reader{log: log, topic: topic}
	_, last, err := log.Offsets(ctx, topic, 0)
	if err != nil {
		return fmt.Errorf("model topic %q: %w", topic, err)
	}
	if end < 0 {
		end = last
	}
	if end > last {
		return &DifferenceError{Detail: fmt.Sprintf("the file has folded %d records, topic %q holds %d", end, topic, last)}
	}
	defer state.Settle()
	if state.Next() > 0 {
		err = r.check(ctx, state)
	}
	for err != nil || state.Next() < end {
		if err == nil {
			err = r.replay(ctx, state, end, each)
		}
		if err != nil {
			err = r.startOver(ctx, state, err)
		}
		if err != nil {
			return fmt.Errorf("model topic %q: %w", topic, err)
		}
	}
	return nil
}

// replay folds the records of one fetch, up to the offset end.
func (r *reader) replay(ctx context.Context, state *fold.State, end int64, each func(fold.Entry, fold.Outcome)) error {
	got, err := r.next(ctx, state)
	if err != nil {
		return err
	}
	if len(got.Records) == 0 {
		return reaches(ctx, r.log, r.topic, end)
	}
	for slice := range ahead(&got, state) {
		for i := range slice {
			if state.Next() == end {
				return nil
			}
			outcome, err := slice[i].fold(state)
			if err != nil {
				return err
			}
			if each != nil {
				each(slice[i].entry, outcome)
			}
		}
	}
	return nil
}

// startOver is resolve for a state that starts over at once, also where the log has other records
// than those that were folded.
func (r *reader) startOver(ctx context.Context, state *fold.State, err error) error {
	if errors.Is(err, errOtherLog) {
		state.Restart(nil)
		return nil
	}
	voids, rest := r.resolve(ctx, err, func(change func(*fold.State)) { change(state) })
	if len(voids) > 0 {
		state.Restart(voids)
	}
	return rest
}

// reaches returns an error if the log ends before an offset up to which it is to be read, and did
// not when the reading began: a new leader has lost what was there, and nobody may ever write that
// much again.
func reaches(ctx context.Context, log Reader, topic string, end int64) error {
	_, last, err := log.Offsets(ctx, topic, 0)
	if err == nil && last < end {
		err = fmt.Errorf("the log has lost records while it was read: it reached up to offset %d, and ends at %d now; try "+
			"again: %w", end-1, last-1, stream.ErrRetriable)
	}
	return err
}

// Each calls f for the records of a model topic from an offset up to end (exclusive), without
// folding them.
func Each(ctx context.Context, log Reader, topic string, next, end int64, f func(*stream.Record) error) error {
	for next < end {
		got, err := log.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: next})
		if err != nil {
			return fmt.Errorf("model topic %q: %w", topic, err)
		}
		for i := range got.Records {
			if got.Records[i].Offset >= end {
				return nil
			}
			if err := f(&got.Records[i]); err != nil {
				return err
			}
		}
		if got.Next <= next {
			if err := reaches(ctx, log, topic, end); err != nil {
				return fmt.Errorf("model topic %q: %w", topic, err)
			}
		}
		next = max(got.Next, next)
	}
	return nil
}
