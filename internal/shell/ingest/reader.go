package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// reader reads the records of a partition, those behind the watermark and earlier ones again.
type reader struct {
	*ingester
	source  fold.Source
	recent  *recent
	seen    worker.Watch   // of the training topic
	cursor  int64          // what lies between the watermark and this offset holds nothing to count
	rest    worker.Fetched // what was fetched and did not fit into the last delta
	fetched worker.Fetched // by the last fetch, all of it
	end     int64          // of the partition at the last fetch
	settled settled
	judged  judged
}

func (r *reader) release() {
	r.fetched.Release()
	r.recent.room.Release()
}

// fetch returns what the partition has behind the watermark: what the last delta left of a fetch,
// or another fetch.
func (r *reader) fetch(ctx context.Context, at *fold.Progress) (worker.Fetched, error) {
	rest := r.rest
	if len(rest.Records) > 0 && rest.From == at.Watermark {
		r.rest = worker.Fetched{}
		return rest, nil
	}
	r.drop() // it may be long until there is another
	got, err := worker.Fetch(ctx, r.broker, stream.FetchRequest{Topic: r.source.Topic, Partition: int(r.source.Partition),
		Offset: max(at.Watermark, r.cursor), Bounded: true, Identify: r.seen.HasID()})
	r.fetched = got
	if err == nil { // also if what was fetched is never counted
		r.noteEnd(&got)
	}
	isBeyond, err := r.verify(ctx, at, &got, err)
	switch {
	case err != nil:
		return got, err
	case isBeyond: // and is not now: fetch again
		r.cursor = 0
		return worker.Nothing(at.Watermark), nil
	case got.Lost > 0:
		if err := r.acceptLoss(&got); err != nil {
			return got, err
		}
	}
	r.metrics.Fetched(len(got.Records), got.ValueBytes())
	r.recent.keep(&got.Fetched)
	return got, nil
}

// noteEnd notes what waits behind the watermark, as a fetch sees it.
func (r *reader) noteEnd(got *worker.Fetched) {
	next := got.From
	if len(got.Records) == 0 && got.Unreadable == nil {
		next = got.Next
	}
	r.end = got.LastStable
	r.metrics.Lag(int(r.source.Partition), r.end-next)
}

func (r *reader) drop() {
	r.rest = worker.Fetched{}
	r.fetched.Release()
	r.fetched = worker.Fetched{}
}

// acceptLoss passes over records that were deleted before they were counted, if that is allowed.
func (r *reader) acceptLoss(got *worker.Fetched) error {
	last := got.From + got.Lost - 1
	if !r.config.AcceptLoss {
		return fmt.Errorf("%s/%d: the records from offset %d to %d were deleted before they were counted: lengthen "+
			"retention.ms of the topic, "+
			"and start ingest with --accept-loss to go on without them", r.source.Topic, r.source.Partition, got.From, last)
	}
	r.log.Error("records were deleted before they were counted", "topic", r.source.Topic, "partition", r.source.Partition,
		"from", got.From, "to", last, "records", got.Lost)
	return nil
}

// doubt forgets what this worker has read of the topic, and when it was compared: the topic may be
// another one, or a reset has set the watermark back.
func (r *reader) doubt() {
	r.rest = worker.Fetched{}
	r.cursor = 0
	r.settled = settled{}
	r.judged = judged{}
	r.recent.room.Release()
	r.recent = r.newRecent(r.source)
	r.seen = worker.Watch{}
}

// verify compares the training topic with what was counted, if a fetch or its error is a reason to.
// It runs behind the fetch and before anything of it is counted: if the topic is the same now, it
// was the same then. isBeyond says that the offset was out of range, which is no error if the topic
// is the same.
func (r *reader) verify(ctx context.Context, at *fold.Progress, got *worker.Fetched,
	fetchError error) (isBeyond bool, err error) {
	isBeyond = errors.Is(fetchError, stream.ErrOffsetOutOfRange)
	if fetchError != nil && !isBeyond {
		return false, fetchError
	}
	if isBeyond || r.seen.Doubts(got) {
		err = r.compare(ctx, at)
	}
	if err == nil && !isBeyond {
		r.seen.Note(got)
	}
	return isBeyond, err
}

// compare compares the training topic with what was counted. The error is a *SourceChangedError if
// it is another one.
func (r *reader) compare(ctx context.Context, at *fold.Progress) error {
	found, err := r.seen.Compare(ctx, r.broker, r.source.Topic, int(r.source.Partition), at.Watermark, at.Anchor)
	if err == nil && found.What != "" {
		err = &SourceChangedError{Source: r.source, Watermark: at.Watermark, Difference: found}
	}
	return err
}

// anchor returns the anchor of the batch: of the last record that was read. If none was ever
// read, because all were lost or cannot be read, it says of which topic they were. Offset -1: there
// is none, and the one before stays.
func (r *reader) anchor(b *batch, at *fold.Progress) fold.Anchor {
	id := r.seen.ID()
	switch last := b.last; {
	case last != nil:
		return worker.Anchor(last, r.seen.Epoch(), id)
	case at.Anchor.Offset < 0 && id != stream.TopicID{}:
		return worker.Unread(b.end-1, id)
	}
	return fold.NoAnchor
}

// keep remembers the records of a fetch from the i-th on, which the next delta begins with.
func (r *reader) keep(got *worker.Fetched, i int, from int64) {
	r.rest = *got
	r.rest.From = from
	r.rest.Records = got.Records[i:]
}
