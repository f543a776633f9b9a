package ingest

import (
	"context"
	"fmt"
	"strconv"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// firstDelta is where the counting of a source begins, or of its next generation, that no delta has begun yet.
type firstDelta struct {
	built    standing      // of the state in which that is so
	progress fold.Progress // Begin -1: not known yet
}

// none is what is not known yet.
var none = firstDelta{progress: fold.Progress{Begin: -1}}

// watermark returns the offset to count next: that of the state, or where counting begins.
func (p *partition) watermark(ctx context.Context) (int64, error) {
	p.epoch.Read(func(s *fold.State) {
		p.at, _ = s.Progress(p.source)
		p.built = standingIn(s, p.source)
	})
	if p.built != p.known { // another worker has counted, perhaps another topic than the one that this worker sees
		p.known = p.built
		p.doubt()
	}
	if p.first.built != p.built {
		p.first = none
	}
	if p.built.counted && p.first == none {
		if p.at.Anchor.TopicID == (stream.TopicID{}) {
			p.at.Anchor.TopicID = p.seen.ID()
		}
		return p.at.Watermark, nil
	}
	if p.first == none {
		begin, err := p.beginning(ctx)
		if err != nil {
			return 0, err
		}
		p.first = firstDelta{built: p.built, progress: begin}
	}
	p.at = p.first.progress
	p.at.Watermark = p.at.Begin
	return p.at.Watermark, nil
}

// beginning asks where counting begins in a partition that was never counted, and first for the id of the topic: what is
// fetched is compared with it, or it could be of a topic that is deleted before it is counted.
func (p *partition) beginning(ctx context.Context) (fold.Progress, error) {
	id, err := p.broker.TopicID(ctx, p.source.Topic, p.assign.Partition)
	if err != nil {
		return fold.Progress{}, err
	}
	first, last, err := p.broker.Offsets(ctx, p.source.Topic, p.assign.Partition)
	if err != nil {
		return fold.Progress{}, err
	}
	end := first // of a partition that was added later
	if p.assign.Partition < len(p.ends) {
		end = p.ends[p.assign.Partition]
	}
	begin := beginning(p.config.From, first, end)
	begin.Anchor = worker.Unread(-1, id)
	if begin.Begin > last {
		return begin, fmt.Errorf("--from %s lies beyond the end of %s/%d, which is at offset %d: counting begins when the partition has got that far, "+
			"or start again with an offset that it has, or --from end", p.config.From, p.source.Topic, p.source.Partition, last)
	}
	return begin, nil
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
	p.fetched.Release()
	p.fetched = worker.Fetched{} // it may be long until there is another
	got, err := worker.Fetch(ctx, p.broker, stream.FetchRequest{Topic: p.source.Topic, Partition: p.assign.Partition, Offset: max(start, p.cursor), Bounded: true, Identify: p.seen.HasID()})
	p.fetched = got
	if err := p.verify(ctx, &got, err); err != nil {
		return got, err
	}
	if got.Lost > 0 {
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
	p.log.Error("records were deleted before they were counted", "topic", p.source.Topic, "partition", p.source.Partition, "from", got.From, "to", last, "records", got.Lost)
	return nil
}
