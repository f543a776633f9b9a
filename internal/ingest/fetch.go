package ingest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"bayestream/internal/fold"
	"bayestream/internal/stream"
	"bayestream/internal/worker"
)

// watermark returns the offset to count next: that of the state, or where counting begins.
func (p *partition) watermark(ctx context.Context) (int64, error) {
	var progress fold.Progress
	var known bool
	p.epoch.Read(func(s *fold.State) {
		progress, known = s.Progress(p.source)
		p.built = standingIn(s, p.source)
	})
	if known {
		return progress.Watermark, nil
	}
	if p.first.Begin >= 0 {
		return p.first.Begin, nil
	}
	first, last, err := p.broker.Offsets(ctx, p.source.Topic, p.assign.Partition)
	if err != nil {
		return 0, err
	}
	end := first // of a partition that was added later
	if p.assign.Partition < len(p.ends) {
		end = p.ends[p.assign.Partition]
	}
	begin := beginning(p.config.From, first, end)
	if begin.Begin > last {
		return 0, fmt.Errorf("--from %s lies beyond the end of %s/%d, which is at offset %d: counting begins when the partition has got that far, "+
			"or start again with an offset that it has, or --from end", p.config.From, p.source.Topic, p.source.Partition, last)
	}
	p.first = begin
	return begin.Begin, nil
}

// beginning says where counting starts in a partition that was never counted.
func beginning(from string, first, end int64) fold.Progress {
	switch from {
	case "start":
		return fold.Progress{Begin: first, FromStart: true}
	case "end":
		return fold.Progress{Begin: max(end, first)}
	}
	n, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		n = first // the configuration was validated
	}
	return fold.Progress{Begin: max(n, first)}
}

// fetch returns what the partition has behind the watermark: what the last delta left of a fetch, or another fetch.
func (p *partition) fetch(ctx context.Context, start int64) (worker.Fetched, error) {
	rest := p.rest
	p.rest = worker.Fetched{}
	if len(rest.Records) > 0 && rest.From == start {
		return rest, nil
	}
	got, err := worker.Fetch(ctx, p.broker, p.source.Topic, p.assign.Partition, max(start, p.cursor))
	switch {
	case errors.Is(err, stream.ErrOffsetOutOfRange):
		return got, fmt.Errorf("%w: the training topic is not the one that was counted; use another model topic for it", err)
	case err != nil:
		return got, err
	case got.Lost > 0:
		if err := p.acceptLoss(&got); err != nil {
			return got, err
		}
	}
	p.metrics.Fetched(len(got.Records), got.ValueBytes())
	p.metrics.Lag(p.assign.Partition, got.LastStable-got.Next)
	p.recent.keep(&got.Fetched)
	return got, nil
}

// acceptLoss passes over records that were deleted before they were counted, if that is allowed.
func (p *partition) acceptLoss(got *worker.Fetched) error {
	last := got.From + got.Lost - 1
	if !p.config.AcceptLoss {
		return fmt.Errorf("%s/%d: the records from offset %d to %d were deleted before they were counted: lengthen retention.ms of the topic, "+
			"and start ingest with --accept-loss to go on without them", p.source.Topic, p.source.Partition, got.From, last)
	}
	p.log.Error("records were deleted before they were counted", "topic", p.source.Topic, "partition", p.source.Partition, "from", got.From, "to", last)
	return nil
}
