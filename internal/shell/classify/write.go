package classify

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// written is an answer that was written and is not in the metrics yet: in a transaction it may come
// to nothing.
type written struct {
	outcome

	document time.Time // of the decision's record
	reason   string    // of the dead letter; "" for a decision
}

// write appends the answers, dead letters first, and returns when all replicas have them. It does
// not stop when ctx ends: what was scored is written, within the time that a stop may take.
func (p *partition) write(ctx context.Context, batch []stream.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	p.sort(len(batch))
	for i := range batch {
		if a := &p.answers[i]; a.dead {
			if err := p.writeDead(ctx, a.record); err != nil {
				return err
			}
		}
	}
	if err := p.produce(ctx, batch); err != nil {
		return err
	}
	for i := range batch {
		a := &p.answers[i]
		if !a.dead && a.status != "" {
			p.noteWritten(written{outcome: a.outcome, document: batch[i].Time})
		}
	}
	p.keep(batch)
	if p.repeats() {
		p.publish()
	}
	return nil
}

// repeats reports whether what is written is visible before the commit, and is written again after
// a crash.
func (p *partition) repeats() bool {
	_, ok := p.out.(repeating)
	return ok
}

// publish adds to the metrics what was written and is visible now.
func (p *partition) publish() {
	now := time.Now()
	for _, w := range p.written {
		if w.status == "" {
			p.metrics.DeadLetter(w.reason)
			continue
		}
		p.metrics.Decided(w.status, w.label, w.posterior, now.Sub(w.document))
		if w.shortened != "" {
			p.metrics.Shortened(w.shortened)
		}
	}
	p.written = emptied(p.written)
	if p.recent != nil {
		p.recent.publish(&p.kept)
	}
	p.waiting.Release()
	p.crowded = false
}

// noteWritten notes what the commit will add to the metrics.
func (p *partition) noteWritten(w written) {
	const size = int(unsafe.Sizeof(w))
	p.written = append(p.written, w)
	if !p.waiting.Grow(size) {
		p.waiting.Add(size)
		p.crowded = true
	}
}

// emptied returns a list without elements, and without the memory of an unusually long one.
func emptied[T any](list []T) []T {
	const usual = 64 << 10 // bytes
	var one T
	if cap(list)*int(unsafe.Sizeof(one)) > usual {
		return nil
	}
	clear(list)
	return list[:0]
}

// maxBatch is how many bytes of answers go into one batch: less than the default limit of a topic.
const maxBatch = 768 << 10

// produce writes the answers to each topic, in order.
func (p *partition) produce(ctx context.Context, documents []stream.Record) error {
	for i := range p.sorted {
		if err := p.produceTo(ctx, &p.sorted[i], documents); err != nil {
			return err
		}
	}
	return nil
}

// produceTo writes the answers to one topic in order, in batches that it takes.
func (p *partition) produceTo(ctx context.Context, out *routed, documents []stream.Record) error {
	for from := 0; from < len(out.records); {
		to := from + 1
		size := out.records[from].Size()
		for to < len(out.records) && size+out.records[to].Size() <= maxBatch {
			size += out.records[to].Size()
			to++
		}
		if err := p.produceBatch(ctx, out, documents, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// produceBatch writes one batch. A single answer that is too large for the topic is shortened, and
// its document becomes a dead letter if it cannot be: waiting would not make it smaller.
func (p *partition) produceBatch(ctx context.Context, out *routed, documents []stream.Record, from, to int) error {
	err := p.out.Produce(ctx, out.topic, p.assign.Partition, out.records[from:to])
	if !errors.Is(err, stream.ErrRecordTooLarge) {
		return err
	}
	half := (from + to) / 2
	if half > from {
		if err := p.produceBatch(ctx, out, documents, from, half); err != nil {
			return err // the others would come before these
		}
		return p.produceBatch(ctx, out, documents, half, to)
	}
	i := out.origins[from]
	if how := p.shorten.Shorten(&out.records[from], &documents[i]); how != "" {
		p.answers[i].shortened = how
		return p.produceBatch(ctx, out, documents, from, to)
	}
	if p.answers[i].dead {
		return nil // another topic refused the answer to a null document, too
	}
	p.answers[i].dead = true
	reject := wire.Rejectf(wire.TooLarge, "the answer does not fit into topic %q: %v", out.topic, err)
	return p.deadLetter(ctx, &documents[i], reject)
}

// deadLetter writes the dead letter of a document.
func (p *partition) deadLetter(ctx context.Context, rec *stream.Record, reject *wire.Reject) error {
	return p.writeDead(ctx, wire.DeadLetter(rec, "classify", reject, wire.MaxDeadLetterBytes))
}

// writeDead writes one dead letter. Two of the largest size do not fit into a batch.
func (p *partition) writeDead(ctx context.Context, letter stream.Record) error {
	to := p.host.DeadLetterPartition(p.assign.Partition)
	if err := p.out.Produce(ctx, p.config.DeadTopic, to, []stream.Record{letter}); err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	p.host.NoteDeadLetter(&letter)
	p.noteWritten(written{reason: wire.DeadReason(&letter)})
	return nil
}
