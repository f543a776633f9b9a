package ingest

import (
	"context"
	"fmt"
	"strconv"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// firstDelta is where the counting of a source begins, or of its next generation, that no delta has
// begun yet.
type firstDelta struct {
	built    standing      // of the state in which that is so
	progress fold.Progress // Begin -1: not known yet
}

// none is what is not known yet.
var none = firstDelta{progress: fold.Progress{Begin: -1}}

// findWatermark sets p.at to how far the source is counted in the state, or to where counting begins.
func (p *partition) findWatermark(ctx context.Context) error {
	p.epoch.Read(func(s *fold.State) {
		p.at, _ = s.Progress(p.source)
		p.built = standingIn(s, p.source)
	})
	if p.built != p.known { // another worker has counted, perhaps another topic than this worker sees
		p.known = p.built
		p.reader.doubt()
	}
	if p.first.built != p.built {
		p.first = none
	}
	if p.built.counted && p.first == none {
		if p.at.Anchor.TopicID == (stream.TopicID{}) {
			p.at.Anchor.TopicID = p.reader.seen.ID()
		}
		return nil
	}
	if p.first == none {
		begin, err := p.beginning(ctx)
		if err != nil {
			return err
		}
		p.first = firstDelta{built: p.built, progress: begin}
	}
	p.at = p.first.progress
	p.at.Watermark = p.at.Begin
	return nil
}

// beginning asks where counting begins in a partition that was never counted, and first for the id
// of the topic: what is fetched is compared with it, or it could be of a topic that is deleted
// before it is counted.
func (p *partition) beginning(ctx context.Context) (fold.Progress, error) {
	id, err := p.broker.TopicID(ctx, p.source.Topic, p.assign.Partition)
	if err != nil {
		return fold.Progress{}, err
	}
	first, last, err := p.broker.Offsets(ctx, p.source.Topic, p.assign.Partition)
	if err != nil {
		return fold.Progress{}, err
	}
	begin := p.beginningOf(p.assign.Partition, first)
	begin.Anchor = worker.Unread(-1, id)
	if begin.Begin > last {
		return begin, fmt.Errorf("--from %s lies beyond the end of %s/%d, which is at offset %d: counting begins when the "+
			"partition has got that far, "+
			"or start again with an offset that it has, or --from end", p.config.From, p.source.Topic, p.source.Partition, last)
	}
	return begin, nil
}

// beginningOf says where counting starts in a partition that was never counted and begins at an
// offset.
func (in *ingester) beginningOf(partition int, first int64) fold.Progress {
	end := first // of a partition that was added later
	if partition < len(in.ends) {
		end = in.ends[partition]
	}
	return beginning(in.config.From, first, end)
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
