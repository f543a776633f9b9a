package modellog

import (
	"context"
	"fmt"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// cloneBytes is about how large the batches of Clone are. A record of a log may be nearly as large.
const cloneBytes = 1 << 20

// Clone appends the records of a model topic, up to the offset end (exclusive; -1 for its end now),
// to another one without records. Each has the same offset, time and value there, so that both
// topics fold to the same state. It calls each, unless it is nil, with how many were appended.
func Clone(ctx context.Context, log Broker, from, to string, end int64, each func(records int)) error {
	start, last, err := log.Offsets(ctx, from, 0)
	switch {
	case err != nil:
		return fmt.Errorf("model topic %q: %w", from, err)
	case start > 0:
		return &TruncatedError{Topic: from, Start: start}
	case end > last:
		return &DifferenceError{Detail: fmt.Sprintf("offset %d is beyond the end of topic %q, which holds %d records", end,
			from, last)}
	case end < 0:
		end = last
	}
	c := &clone{ctx: ctx, log: log, to: to, each: each}
	if err := Each(ctx, log, from, 0, end, c.add); err != nil {
		return err
	}
	return c.flush()
}

// clone is one call of Clone.
type clone struct {
	ctx   context.Context //nolint:containedctx // of the one call of Clone
	log   Broker
	to    string
	batch []stream.Record
	bytes int
	next  int64 // offset of the first record of the batch
	each  func(records int)
}

func (c *clone) add(rec *stream.Record) error {
	if want := c.next + int64(len(c.batch)); rec.Offset != want {
		return fmt.Errorf("no records from offset %d to %d: %w", want, rec.Offset, fold.ErrHole)
	}
	if c.bytes+len(rec.Value) > cloneBytes {
		if err := c.flush(); err != nil {
			return err
		}
	}
	c.batch = append(c.batch, *rec)
	c.bytes += len(rec.Value)
	return nil
}

func (c *clone) flush() error {
	if len(c.batch) == 0 {
		return nil
	}
	at, err := c.log.Produce(c.ctx, c.to, 0, c.batch)
	if err != nil {
		return fmt.Errorf("append to the model topic %q, which has a part of the records now: %w", c.to, err)
	}
	if at != c.next {
		return &RefusedError{fmt.Sprintf("the record of offset %d has offset %d in %q: somebody else writes to it; take "+
			"another topic", c.next, at, c.to)}
	}
	if c.each != nil {
		c.each(len(c.batch))
	}
	c.next += int64(len(c.batch))
	c.batch, c.bytes = nil, 0
	return nil
}
