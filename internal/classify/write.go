package classify

import (
	"context"
	"errors"
	"time"

	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// write appends the answers, dead letters first, and returns when all replicas have them. It does not stop when ctx
// ends: what was scored is written, within the time that a stop may take.
func (p *partition) write(ctx context.Context, batch []stream.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.config.Drain)
	defer cancel()
	p.records = p.records[:0]
	p.origins = p.origins[:0]
	var dead []stream.Record
	for i := range batch {
		a := &p.answers[i]
		if a.dead {
			dead = append(dead, a.record)
			continue
		}
		p.records = append(p.records, a.record)
		p.origins = append(p.origins, i)
	}
	if err := p.host.DeadLetters(ctx, int32(p.assign.Partition), dead); err != nil {
		return err
	}
	if err := p.produce(ctx, batch); err != nil {
		return err
	}
	now := time.Now()
	for i := range batch {
		a := &p.answers[i]
		if !a.dead && a.status != "" {
			p.metrics.Decided(a.status, now.Sub(batch[i].Time))
		}
	}
	return nil
}

// maxBatch is how many bytes of answers go into one batch: less than the default limit of a topic.
const maxBatch = 768 << 10

// produce writes p.records in order, in batches that a topic takes.
func (p *partition) produce(ctx context.Context, documents []stream.Record) error {
	for from := 0; from < len(p.records); {
		to := from + 1
		size := p.records[from].Size()
		for to < len(p.records) && size+p.records[to].Size() <= maxBatch {
			size += p.records[to].Size()
			to++
		}
		if err := p.produceBatch(ctx, documents, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// produceBatch writes one batch. The document of a single answer that is too large for the topic becomes a
// dead letter: waiting would not make it smaller.
func (p *partition) produceBatch(ctx context.Context, documents []stream.Record, from, to int) error {
	_, err := p.broker.ProduceRetry(ctx, p.config.LabelsTopic, p.assign.Partition, p.records[from:to])
	if !errors.Is(err, stream.ErrRecordTooLarge) {
		return err
	}
	half := (from + to) / 2
	if half > from {
		if err := p.produceBatch(ctx, documents, from, half); err != nil {
			return err // the others would come before these
		}
		return p.produceBatch(ctx, documents, half, to)
	}
	i := p.origins[from]
	p.answers[i].dead = true
	reject := wire.Rejectf(wire.TooLarge, "the answer does not fit into topic %q: %v", p.config.LabelsTopic, err)
	return p.deadLetter(ctx, &documents[i], reject)
}

// deadLetter writes one dead letter.
func (p *partition) deadLetter(ctx context.Context, rec *stream.Record, reject *wire.Reject) error {
	letter := wire.DeadLetter(rec, "classify", reject, wire.MaxDeadLetterBytes)
	return p.host.DeadLetters(ctx, int32(p.assign.Partition), []stream.Record{letter})
}
