package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/worker"
)

// SourceChangedError says that a partition of the training topic is another than was counted.
type SourceChangedError struct {
	Source     fold.Source
	Watermark  int64
	Difference worker.Difference
}

// Error names the partition and what is different.
func (e *SourceChangedError) Error() string {
	return fmt.Sprintf("partition %s/%d is not the one that was counted up to offset %d: %s", e.Source.Topic,
		e.Source.Partition, e.Watermark, e.Difference.What)
}

// decideSource does what --on-source-change says about a training topic that is not the one that was
// counted.
func (p *partition) decideSource(ctx context.Context, changed *SourceChangedError) error {
	p.reader.doubt()
	if !p.built.counted {
		p.first = none
		return nil // nothing was counted of it: begin again
	}
	p.metrics.TopicChanged(p.config.OnSourceChange)
	p.log.Error("the training topic is not the one that was counted", "topic", p.source.Topic, "partition",
		p.source.Partition,
		"watermark", p.at.Watermark, "difference", changed.Difference.What, "on-source-change", p.config.OnSourceChange)
	switch p.config.OnSourceChange {
	case "continue":
		return p.continueWith(ctx, &changed.Difference)
	case "recount":
		return p.recount(ctx, changed)
	}
	return p.halt(ctx, changed, fmt.Errorf("%w; nothing of it is counted until you decide: start ingest with "+
		"--on-source-change continue to keep the counts and count "+
		"this topic from its start, with --on-source-change recount to empty the model and count all sources again, or "+
		"with a new --model-topic", changed))
}

// halt waits until somebody has decided: another worker has begun a generation, or a control record
// has emptied the model. The worker is not ready meanwhile, and what it would continue with waits.
func (p *partition) halt(ctx context.Context, changed *SourceChangedError, reason error) error {
	p.host.ReportPartition(p.assign.Partition, reason)
	for {
		begin, err := changed.Difference.Begin(ctx, p.broker, p.source.Topic, p.assign.Partition, p.at.Watermark,
			p.at.Anchor)
		if _, end, endErr := p.broker.Offsets(ctx, p.source.Topic, p.assign.Partition); err == nil && endErr == nil {
			p.metrics.Lag(p.assign.Partition, end-begin)
		}
		waiting, stop := context.WithTimeout(ctx, worker.CompareEvery)
		_, err = p.epoch.Wait(waiting, func(s *fold.State) bool { return standingIn(s, p.source) != p.built })
		stop()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
}

// continueWith begins the next generation of the source: the counts stay, and the topic as it is
// now is counted from its start, or behind what may be counted of it already.
func (p *partition) continueWith(ctx context.Context, found *worker.Difference) error {
	begin, err := found.Begin(ctx, p.broker, p.source.Topic, p.assign.Partition, p.at.Watermark, p.at.Anchor)
	if err != nil {
		return err
	}
	generation := p.built.Generation + 1
	p.log.Warn("the counts are kept, and the topic as it is now is counted", "topic", p.source.Topic, "partition",
		p.source.Partition,
		"generation", generation, "from", begin)
	fromStart := !found.IsSame(p.at.Anchor) && !found.Read
	p.first = firstDelta{built: p.built, progress: fold.Progress{Generation: generation, Begin: begin,
		FromStart: fromStart, Anchor: worker.Unread(-1, found.ID)}}
	return nil
}

// recount appends a control record that empties the model, so that every source is counted again
// from its start. It waits no longer than for a delta: a new leader may have lost the record, and
// other partitions wait, too.
func (p *partition) recount(ctx context.Context, changed *SourceChangedError) error {
	p.renewing.Lock()
	defer p.renewing.Unlock()
	var reset *fold.Control
	var refused error
	p.epoch.Read(func(s *fold.State) {
		if standingIn(s, p.source) == p.built {
			reset, refused = modellog.Reset(changed.Error())(ctx, nil, p.config.ModelTopic, s)
		}
	})
	switch {
	case refused != nil:
		reason := fmt.Errorf("%w; %w, or start ingest with --on-source-change continue", changed, refused)
		return p.halt(ctx, changed, reason)
	case reset == nil:
		return nil // it is decided
	}
	value, err := codec.EncodeControl(reset)
	if err != nil {
		return fmt.Errorf("encode a reset: %w", err)
	}
	drain, cancel := context.WithTimeout(ctx, p.config.Drain)
	defer cancel()
	offset, err := p.writer.append(drain, p.epoch, value)
	if err != nil {
		return err
	}
	now, err := p.writer.wait(drain, p.epoch, offset)
	switch {
	case errors.Is(err, errOtherLog):
		return nil // begin again
	case err == nil && now.Era == p.built.Era:
		return errors.New("the reset of the model was refused; look at the model log")
	}
	return err
}
