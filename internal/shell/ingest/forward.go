package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// forward is a record that forgets or relabels a document which its own partition does not know, and the entry of
// another partition's ledger that it is about.
type forward struct {
	record *stream.Record
	kind   wire.Kind
	to     holder
}

// sent names a record that was forwarded: its offset, and the record that it names.
type sent struct {
	offset int64
	to     int // partition
	named  int64
}

func (f *forward) sent() sent { return sent{f.record.Offset, f.to.partition, f.named()} }

// named returns the offset of the record by which the document is named: for a forget the one that has its text, which
// stays the same when the document is relabelled meanwhile, if that is in the partition; else the one that put the entry
// into the ledger.
func (f *forward) named() int64 {
	if text := f.to.text; f.kind == wire.Forget && text.topic == f.record.Topic && int(text.partition) == f.to.partition {
		return text.offset
	}
	return f.to.offset
}

const (
	mostForwarded = 1000     // records that are forwarded before a delta
	forwardBytes  = 16 << 10 // of records that are forwarded at once
)

// elsewhere forwards the current record, whose id is not known, to the partitions whose ledgers have it. It reports
// whether there are any.
func (b *batch) elsewhere() bool {
	holders := b.view.elsewhere(b.id)
	if len(holders) == 0 {
		return false
	}
	for _, to := range holders {
		b.forwards = append(b.forwards, forward{b.record, b.training.Kind, to})
	}
	b.skip(b.record.Offset, wire.SkipForwarded)
	return true
}

// withhold skips a record that the brokers refuse to forward as if no partition knew its document.
func (b *batch) withhold(f *forward, refusal error) {
	i := slices.IndexFunc(b.skipped, func(s fold.Skipped) bool { return s.Offset == f.record.Offset })
	if b.skipped[i].Reason != wire.SkipForwarded {
		return
	}
	b.skipped[i].Reason = wire.SkipUnknownID
	if f.kind == wire.Forget {
		b.unmet = append(b.unmet, f.record.Offset)
		return
	}
	b.letter(f.record, wire.Rejectf(wire.UnknownID, "the document is known in partition %d, and the record cannot be forwarded: %v", f.to.partition, refusal))
}

// openForwarded notes what the current record says if it was forwarded. It returns the place of the record that put the
// entry of its id into the ledger, which isMeant looks at.
func (b *batch) openForwarded() []place {
	if b.training.Kind == wire.Learn {
		return nil
	}
	b.forward, b.forwarded = wire.ReadForward(b.record)
	switch {
	case !b.forwarded:
		return nil
	case !b.known, b.isOfAnotherTopic():
		b.outdated = true
		return nil
	}
	b.entryAt = place{b.source.Topic, b.source.Partition, b.pending.learnedAt(b.id)}
	return []place{b.entryAt}
}

// isOfAnotherTopic reports whether the current record was forwarded in another topic of this name: its writer had not noticed
// that the topic was replaced, or a request came late. What it names is not here, whatever stands at that offset.
func (b *batch) isOfAnotherTopic() bool {
	return b.forward.TopicID != "" && b.topic != stream.TopicID{} && b.forward.TopicID != b.topic.String()
}

// isMeant reports whether the current record, which was forwarded, is about the entry that the ledger has under its id.
// If that entry was put in by a record that was forwarded from the same partition, the order there decides: a document
// may be relabelled and forgotten before the first is counted, and each record may come again. Otherwise it must be the
// entry that the record names, or for a forget one whose text the record names, or one that was relabelled since by a
// record which names the same. entry is the record that stands at entryAt now, nil if there is none.
func (b *batch) isMeant(entry *stream.Record) bool {
	named := placeOf(b.forward.To)
	isForget := b.training.Kind == wire.Forget
	isNamed := b.entryAt == named || isForget && textOf(&b.before) == named
	from := b.forward.From
	last, forwarded := b.relabelled(entry)
	switch {
	case !forwarded:
		return isNamed
	case last.From.Topic == from.Topic && last.From.Partition == from.Partition:
		return last.From.Offset < from.Offset
	}
	return isNamed || isForget && last.To == b.forward.To
}

// relabelled returns what the record says that put in the entry of the current record's id, if it was forwarded; then it
// relabels that id, and the text stands elsewhere. The record that stands at entryAt now may be another one: of a topic
// that was created since, behind the fetch that is counted.
func (b *batch) relabelled(entry *stream.Record) (f wire.Forward, forwarded bool) {
	if entry == nil || textOf(&b.before) == b.entryAt {
		return f, false
	}
	t := &b.relabelling
	if b.decoder.Training(entry, t) != nil || t.Kind != wire.Relabel || t.ID != b.training.ID {
		return f, false
	}
	return wire.ReadForward(entry)
}

// placeOf returns a ref as a place.
func placeOf(r wire.Ref) place { return place{r.Topic, int32(r.Partition), r.Offset} }

// sendForwards writes the records of the batch that are about documents of other partitions to those, each once however
// often the delta is built, and returns when all replicas have them. The partition goes on without those that the brokers
// refuse.
func (p *partition) sendForwards(ctx context.Context) error {
	if len(p.batch.forwards) == 0 {
		return nil
	}
	written := p.written().forwarded
	left := slices.DeleteFunc(slices.Clone(p.batch.forwards), func(f forward) bool { return written[f.sent()] })
	slices.SortStableFunc(left, func(a, b forward) int { return cmp.Compare(a.to.partition, b.to.partition) })
	var refusal error
	for len(left) > 0 {
		n := atOnce(left)
		err := p.send(ctx, left[:n])
		switch {
		case err == nil:
			for i := range left[:n] {
				written[left[i].sent()] = true
			}
		case isRefusal(err):
			refusal = err
		default:
			return err
		}
		left = left[n:]
	}
	if refusal != nil {
		p.withhold(written, refusal)
	}
	return nil
}

// atOnce returns how many of the records, at least one, are written in one request.
func atOnce(left []forward) (n int) {
	size := 0
	for n < len(left) && left[n].to.partition == left[0].to.partition {
		size += left[n].record.Size()
		if n > 0 && size > forwardBytes {
			break
		}
		n++
	}
	return n
}

// send writes records to the partition that they all are for.
func (p *partition) send(ctx context.Context, forwards []forward) error {
	records := make([]stream.Record, len(forwards))
	to := forwards[0].to.partition
	for i := range forwards {
		rec := forwards[i].record
		said := wire.Forward{
			To:   wire.Ref{Topic: p.source.Topic, Partition: to, Offset: forwards[i].named()},
			From: wire.Ref{Topic: p.source.Topic, Partition: p.assign.Partition, Offset: rec.Offset},
		}
		if p.batch.topic != (stream.TopicID{}) {
			said.TopicID = p.batch.topic.String()
		}
		records[i] = said.Record(rec)
	}
	if _, err := p.broker.ProduceRetry(ctx, p.source.Topic, to, records); err != nil {
		return fmt.Errorf("forward %d records to the partition of their documents: %w", len(records), err)
	}
	return nil
}

// isRefusal reports whether the brokers do not take what is forwarded, and will not later: without the right to write,
// into a partition that the topic has no longer, or of that size.
func isRefusal(err error) bool {
	var right *stream.RightError
	return errors.As(err, &right) || errors.Is(err, stream.ErrUnknownPartition) || errors.Is(err, stream.ErrRecordTooLarge)
}

// withhold skips the records of which none was written.
func (p *partition) withhold(written map[sent]bool, refusal error) {
	b := p.batch
	arrived := map[int64]bool{}
	for i := range b.forwards {
		if f := &b.forwards[i]; written[f.sent()] {
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
		p.log.Warn("records are about documents of other partitions, and cannot be forwarded to them", "topic", p.source.Topic,
			"partition", p.source.Partition, "records", n, "reason", refusal)
	}
}

// logForwards logs how many records were forwarded.
func (p *partition) logForwards() {
	n := 0
	for _, s := range p.batch.skipped {
		if s.Reason == wire.SkipForwarded {
			n++
		}
	}
	if n > 0 {
		p.log.Info("records are forwarded to the partitions that know their documents", "topic", p.source.Topic, "partition", p.source.Partition,
			"records", n, "from", p.batch.start, "to", p.batch.end-1)
	}
}
