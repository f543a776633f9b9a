package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bayestream/internal/fold"
	"bayestream/internal/stream"
	"bayestream/internal/worker"
)

// seen is what the last fetches said of the training topic, to notice that it may be another one.
type seen struct {
	id         stream.TopicID // when the topic was compared
	comparedAt time.Time      // zero: not yet
	epoch      int32          // leader epoch of the last record; -1: none was fetched
	start, end int64          // offsets that the partition held
}

// compareEvery is the time after which the training topic is compared with what was counted, if nothing asks for it
// earlier.
const compareEvery = time.Minute

// isDoubtful reports whether a fetch may come from another topic than the one before: requests failed meanwhile, the
// leader has changed, or the partition holds other offsets than it could.
func (s *seen) isDoubtful(got *worker.Fetched) bool {
	return s.comparedAt.IsZero() || time.Since(s.comparedAt) >= compareEvery ||
		got.Interrupted || got.Lost > 0 ||
		len(got.Records) > 0 && got.LeaderEpoch != s.epoch ||
		got.Unreadable == nil && (got.LogStart < s.start || got.HighWatermark < s.end)
}

// note keeps what a fetch says.
func (s *seen) note(got *worker.Fetched) {
	if len(got.Records) > 0 {
		s.epoch = got.LeaderEpoch
	}
	if got.Unreadable == nil && got.Lost == 0 {
		s.start = got.LogStart
		s.end = got.HighWatermark
	}
}

// SourceChangedError says that a partition of the training topic is not the one that was counted.
type SourceChangedError struct {
	Source     fold.Source
	Watermark  int64
	Difference string         // what is different
	ID         stream.TopicID // of the topic as it is now
}

// Error names the partition and what is different.
func (e *SourceChangedError) Error() string {
	return fmt.Sprintf("partition %s/%d is not the one that was counted up to offset %d: %s", e.Source.Topic, e.Source.Partition, e.Watermark, e.Difference)
}

// verify compares the training topic with what was counted, if a fetch or its error is a reason to. It runs behind the
// fetch and before anything of it is counted: if the topic is the same now, it was the same then.
func (p *partition) verify(ctx context.Context, got *worker.Fetched, fetchError error) error {
	isBeyond := errors.Is(fetchError, stream.ErrOffsetOutOfRange)
	if fetchError != nil && !isBeyond {
		return fetchError
	}
	if isBeyond || p.seen.isDoubtful(got) {
		if err := p.compare(ctx); err != nil {
			return err
		}
	}
	p.seen.note(got)
	return fetchError
}

// compare compares the training topic with what was counted. The error is a *SourceChangedError if it is another one.
func (p *partition) compare(ctx context.Context) error {
	id, difference, err := worker.Compare(ctx, p.broker, p.source.Topic, p.assign.Partition, p.at.Watermark, p.at.Anchor)
	if err != nil {
		return err
	}
	if difference != "" {
		return &SourceChangedError{Source: p.source, Watermark: p.at.Watermark, Difference: difference, ID: id}
	}
	p.seen = seen{id: id, comparedAt: time.Now(), epoch: p.seen.epoch}
	return nil
}
