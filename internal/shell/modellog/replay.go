package modellog

import (
	"context"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// Reader reads a topic. A *stream.Client is one.
type Reader interface {
	Offsets(ctx context.Context, topic string, partition int) (first, end int64, err error)
	Fetch(ctx context.Context, request stream.FetchRequest) (stream.Fetched, error)
}

// Replay folds the records of a model topic into state, up to the offset end (exclusive), and settles it; -1 stands
// for the end that the topic has now. Where it meets a void of records that are folded already, or a new leader that has
// lost some of them, the state starts over. each, if not nil, is called after every record, and again for those that are
// folded again.
func Replay(ctx context.Context, log Reader, topic string, state *fold.State, end int64, each func(fold.Entry, fold.Outcome)) error {
	start, last, err := log.Offsets(ctx, topic, 0)
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
	var id stream.TopicID // at the last fetch
	for compared := state.Next() == 0; !compared || state.Next() < end; {
		if start > state.Next() {
			return &TruncatedError{Topic: topic, Next: state.Next(), Start: start}
		}
		if compared {
			err = replayFetch(ctx, log, topic, &id, state, end, each)
		} else {
			err = checkAnchor(ctx, log, topic, state)
			compared = true
		}
		if err != nil {
			err = resolve(ctx, log, topic, state, err)
		}
		if err != nil {
			return fmt.Errorf("model topic %q: %w", topic, err)
		}
	}
	return nil
}

// replayFetch makes one fetch and folds what it brings, up to the offset end. id is the topic's at the fetch before.
func replayFetch(ctx context.Context, log Reader, topic string, id *stream.TopicID, state *fold.State, end int64, each func(fold.Entry, fold.Outcome)) error {
	got, err := log.Fetch(ctx, stream.FetchRequest{Topic: topic, Offset: state.Next(), Identify: true})
	if err != nil {
		return err
	}
	if len(got.Records) == 0 && got.Next > state.Next() {
		return fmt.Errorf("no records from offset %d to %d: %w", state.Next(), got.Next, fold.ErrHole)
	}
	if len(got.Records) == 0 {
		return reaches(ctx, log, topic, end)
	}
	isOther := got.TopicID != *id
	if state.Next() > 0 && (got.LeaderEpoch != state.Anchor().Epoch || got.Interrupted || isOther) {
		if err := checkAnchor(ctx, log, topic, state); err != nil {
			return err
		}
	}
	if isOther { // as in Replica.step
		*id = got.TopicID
		return nil
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

// reaches returns an error if the log ends before an offset up to which it is to be read, and did not when the reading
// began: a new leader has lost what was there, and nobody may ever write that much again.
func reaches(ctx context.Context, log Reader, topic string, end int64) error {
	_, last, err := log.Offsets(ctx, topic, 0)
	if err == nil && last < end {
		err = fmt.Errorf("the log has lost records while it was read: it reached up to offset %d, and ends at %d now; try again: %w", end-1, last-1, stream.ErrRetriable)
	}
	return err
}

// Each calls f for the records of a model topic from an offset up to end (exclusive), without folding them.
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
