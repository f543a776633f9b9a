package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// sendForwards writes the records of the batch that are about documents of other partitions to
// those, and what is written again to its own, each once however often the delta is built. It
// returns when all replicas have them. What is for its own partition is first: a record is never
// forwarded without its mark. The partition goes on without those that the brokers refuse.
func (w *writer) sendForwards(ctx context.Context, b *batch, written map[sent]bool) error {
	left := slices.DeleteFunc(slices.Clone(b.forwards), func(f forward) bool { return written[f.sent()] })
	slices.SortStableFunc(left, func(a, b forward) int { return cmp.Compare(a.order(), b.order()) })
	var refusal error
	for len(left) > 0 {
		n := atOnce(left)
		err := w.send(ctx, b.topic, left[:n])
		switch {
		case err == nil:
			for i := range left[:n] {
				written[left[i].sent()] = true
			}
		case isRefusal(err):
			refusal = err
			left = unmarked(left, n)
			continue
		default:
			return err
		}
		left = left[n:]
	}
	if refusal != nil {
		w.withhold(b, written, refusal)
	}
	return nil
}

// unmarked returns what is behind the first n, without the records whose marks are among those.
func unmarked(left []forward, n int) []forward {
	refused := map[int64]bool{}
	for i := range left[:n] {
		if left[i].isMark() {
			refused[left[i].record.Offset] = true
		}
	}
	return slices.DeleteFunc(left[n:], func(f forward) bool { return refused[f.record.Offset] })
}

// atOnce returns how many of the records, at least one, are written in one request.
func atOnce(left []forward) (n int) {
	size := 0
	for n < len(left) && left[n].order() == left[0].order() {
		size += left[n].size()
		if n > 0 && size > forwardBytes {
			break
		}
		n++
	}
	return n
}

// send writes records to the partition that they all are for.
func (w *writer) send(ctx context.Context, topic stream.TopicID, forwards []forward) error {
	records := make([]stream.Record, len(forwards))
	for i := range forwards {
		records[i] = forwards[i].written(topic)
	}
	if _, err := w.broker.ProduceRetry(ctx, w.source.Topic, forwards[0].partition(), records); err != nil {
		return fmt.Errorf("forward %d records to the partition of their documents: %w", len(records), err)
	}
	return nil
}

// isRefusal reports whether the brokers do not take what is forwarded, and will not later: without
// the right to write, into a partition that the topic has no longer, or of that size.
func isRefusal(err error) bool {
	return errors.As(err, new(*stream.RightError)) || errors.Is(err, stream.ErrUnknownPartition) ||
		errors.Is(err, stream.ErrRecordTooLarge)
}

// withhold skips the records of which none was written.
func (w *writer) withhold(b *batch, written map[sent]bool, refusal error) {
	arrived := map[int64]bool{}
	for i := range b.forwards {
		if f := &b.forwards[i]; written[f.sent()] && !f.isMark() {
			arrived[f.record.Offset] = true
		}
	}
	n := 0
	for i := range b.forwards {
		if f := &b.forwards[i]; !arrived[f.record.Offset] {
			b.withhold(f, refusal)
			n++
		}
	}
	if n > 0 {
		w.log.Warn("records are about documents that their partition does not know, and cannot be forwarded", "topic",
			w.source.Topic,
			"partition", w.source.Partition, "records", n, "reason", refusal)
	}
}

// logForwards logs how many records were forwarded.
func (w *writer) logForwards(b *batch) {
	n := 0
	for _, s := range b.skipped {
		if s.Reason == wire.SkipForwarded {
			n++
		}
	}
	if n > 0 {
		w.log.Info("records are forwarded to the partitions that know their documents, or written again with the places of "+
			"documents that were only labelled", "topic", w.source.Topic, "partition", w.source.Partition,
			"records", n, "from", b.start, "to", b.end-1)
	}
}
