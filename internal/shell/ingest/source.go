package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// SourceChangedError says that a partition of the training topic is not the one that was counted.
type SourceChangedError struct {
	Source     fold.Source
	Watermark  int64
	Difference worker.Difference
}

// Error names the partition and what is different.
func (e *SourceChangedError) Error() string {
	return fmt.Sprintf("partition %s/%d is not the one that was counted up to offset %d: %s", e.Source.Topic, e.Source.Partition, e.Watermark, e.Difference.What)
}

// doubt forgets what this worker has read of the topic, and when it was compared: the topic may be another one, or a reset
// has set the watermark back.
func (p *partition) doubt() {
	p.rest = worker.Fetched{}
	p.cursor = 0
	p.recent.room.Release()
	p.recent = p.newRecent(p.source)
	p.seen = worker.Watch{}
}

// verify compares the training topic with what was counted, if a fetch or its error is a reason to. It runs behind the
// fetch and before anything of it is counted: if the topic is the same now, it was the same then.
func (p *partition) verify(ctx context.Context, got *worker.Fetched, fetchError error) error {
	isBeyond := errors.Is(fetchError, stream.ErrOffsetOutOfRange)
	if fetchError != nil && !isBeyond {
		return fetchError
	}
	if isBeyond || p.seen.Doubts(got) {
		if err := p.compare(ctx); err != nil {
			return err
		}
	}
	p.seen.Note(got)
	return fetchError
}

// compare compares the training topic with what was counted. The error is a *SourceChangedError if it is another one.
func (p *partition) compare(ctx context.Context) error {
	found, err := p.seen.Compare(ctx, p.broker, p.source.Topic, p.assign.Partition, p.at.Watermark, p.at.Anchor)
	if err == nil && found.What != "" {
		err = &SourceChangedError{Source: p.source, Watermark: p.at.Watermark, Difference: found}
	}
	return err
}

// anchor returns the anchor of the batch: that of the last record that was read. If none was ever read, because all were
// lost or cannot be read, it says of which topic they were. Offset -1: there is none, and the one before stays.
func (p *partition) anchor() fold.Anchor {
	id := p.seen.ID()
	switch last := p.batch.last; {
	case last != nil:
		return worker.Anchor(last, p.seen.Epoch(), id)
	case p.at.Anchor.Offset < 0 && id != stream.TopicID{}:
		return worker.Unread(p.batch.end-1, id)
	}
	return fold.NoAnchor
}
