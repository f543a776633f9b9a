package ingest

import (
	"context"
	"errors"
	"fmt"

	"bayestream/internal/core/fold"
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
	return p.halt(ctx, fmt.Errorf("%w; nothing of it is counted until you decide: start ingest with --on-source-change "+
		"continue to keep the counts and count "+
		"this topic from its start, with --on-source-change recount to empty the model and count all sources again, or "+
		"with a new --model-topic", changed))
}

// halt waits until somebody has decided: another worker has begun a generation, or a control record
// has emptied the model. The worker is not ready meanwhile.
func (p *partition) halt(ctx context.Context, reason error) error {
	p.host.ReportPartition(p.assign.Partition, reason)
	_, err := p.epoch.Wait(ctx, func(s *fold.State) bool { return standingIn(s, p.source) != p.built })
	return err
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
// from its start.
func (p *partition) recount(ctx context.Context, changed *SourceChangedError) error {
	p.renewing.Lock()
	defer p.renewing.Unlock()
	imported := 0
	isDecided := false
	p.epoch.Read(func(s *fold.State) {
		isDecided = standingIn(s, p.source) != p.built
		for _, src := range s.Sources() {
			if src.IsImport() {
				imported++
			}
		}
	})
	switch {
	case isDecided:
		return nil
	case imported > 0:
		return p.halt(ctx, fmt.Errorf("%w; the model has counts of %d imported files, which "+
			"cannot be counted again: start ingest with "+
			"--on-source-change continue, or with a new --model-topic into which you import them again", changed, imported))
	}
	value, err := codec.EncodeControl(&fold.Control{Log: p.built.log, Era: p.built.Era, Why: changed.Error(),
		Reset: &fold.Reset{}})
	if err != nil {
		return fmt.Errorf("encode a reset: %w", err)
	}
	offset, err := p.replica.Append(ctx, value)
	if err != nil {
		return err
	}
	era := p.built.Era
	holds, err := p.epoch.Wait(ctx, func(s *fold.State) bool {
		era = s.Era()
		return s.Next() > offset
	})
	if err == nil && holds && era == p.built.Era {
		err = errors.New("the reset of the model was refused; look at the model log")
	}
	return err
}
