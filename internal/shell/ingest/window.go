package ingest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// checkWindow refuses a window whose texts the topics do not keep: what leaves it could not be
// taken out, because its text is read again. It warns where nobody can say whether they do.
func (in *ingester) checkWindow(ctx context.Context, topics describer, window spec.Window) error {
	if window.IsZero() {
		return nil
	}
	for _, topic := range append([]string{in.config.TrainingTopic}, in.config.RefTopics...) {
		info, err := topics.Topic(ctx, topic)
		isAway := errors.Is(err, stream.ErrUnknownTopic) || errors.As(err, new(*stream.RightError))
		if isAway && topic != in.config.TrainingTopic {
			continue // nothing can be learned from it
		}
		if err != nil {
			return err
		}
		if bytes, err := strconv.ParseInt(info.Config["retention.bytes"], 10, 64); err == nil && bytes >= 0 {
			in.log.Warn("the window is exact only while the topic keeps its records: its retention is a size", "topic", topic,
				"window", window.String(), "retention.bytes", bytes)
		}
		kept, err := strconv.ParseInt(info.Config["retention.ms"], 10, 64)
		switch {
		case err != nil, kept < 0: // the brokers do not show it, or keep all
		case window.Records > 0:
			in.log.Warn("a window of records is exact only while the topic keeps more of them: its retention is a time", "topic",
				topic, "window", window.String(),
				"retention", spec.Age{Milliseconds: kept}.String())
		case kept <= window.Age.Milliseconds:
			return fmt.Errorf("topic %q keeps records for %s (retention.ms=%d), and limits.window is %s: a document that "+
				"leaves the window is read again to be taken out, so "+
				"lengthen retention.ms to a day or more beyond the window, or shorten "+
				"limits.window", topic, spec.Age{Milliseconds: kept}, kept, window)
		}
	}
	return nil
}

// describer describes topics. A *stream.Client is one.
type describer interface {
	Topic(ctx context.Context, name string) (stream.TopicInfo, error)
}

// keepsAll reports whether the ledger has an entry for every document that is counted, because a
// window takes it out again.
func (b *batch) keepsAll() bool { return !b.limits.Window.IsZero() }

// time returns the time of a record in milliseconds, where the window is an age. A record without
// one is as old as the newest before it.
func (b *batch) time(o *opened) int64 {
	switch {
	case b.limits.Window.Age.IsZero():
		return 0
	case o.training.Time > 0:
		return o.training.Time
	case o.record.Time.UnixMilli() <= 0:
		return b.pending.Newest()
	}
	return o.record.Time.UnixMilli()
}

// mostAhead is how many records in a row are refused because their time is far ahead of the newest
// one. The partition may have been quiet for long: those behind them say so.
const mostAhead = 100

// checkTime refuses a record that would make most of what is in the window old at once, because its
// producer has a wrong clock. Half of the window, and a day at the least, is no wrong clock: many
// partitions are quiet over a weekend.
func (b *batch) checkTime(o *opened) error {
	now := b.time(o)
	allowed := max(spec.Day, b.limits.Window.Age.Milliseconds/2)
	if b.pending.Newest() == 0 || now <= b.pending.Newest()+allowed || b.ahead == mostAhead {
		b.ahead = 0
		return nil
	}
	b.ahead++
	return wire.Rejectf(wire.AheadOfTime, "its time is %s, more than %s ahead of the newest document of the "+
		"partition (%s), so that limits.window would take out too much: "+
		"send it again with the right time; when %d records in a row are so far ahead, the "+
		"partition was quiet, and the next one is counted",
		stamp(now), spec.Age{Milliseconds: allowed}, stamp(b.pending.Newest()), mostAhead)
}

// stamp writes a time in milliseconds.
func stamp(milliseconds int64) string { return time.UnixMilli(milliseconds).UTC().Format(time.RFC3339) }
