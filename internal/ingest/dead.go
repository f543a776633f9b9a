package ingest

import (
	"context"
	"sync"

	"bayestream/internal/fold"
	"bayestream/internal/stream"
)

// deadLetter is the dead letter of the record at an offset of the source.
type deadLetter struct {
	offset int64
	record stream.Record
}

// deadOffsets are the offsets whose dead letters this worker has written. A delta that another worker overtakes, or that
// the fold refuses, is built again, with the same dead letters.
type deadOffsets struct {
	mu      sync.Mutex
	written map[fold.Source]*buried
}

// buried are such offsets of a topic, from the watermark on, as it is counted in a generation of an era. A topic of
// which nothing was counted can be replaced without either.
type buried struct {
	topic      stream.TopicID
	era        uint64
	generation uint32
	offsets    map[int64]bool
}

// of returns the offsets of a source. Only the work on that source may use them.
func (d *deadOffsets) of(source fold.Source, topic stream.TopicID, era uint64, generation uint32) map[int64]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.written == nil {
		d.written = map[fold.Source]*buried{}
	}
	b := d.written[source]
	if b == nil || b.topic != topic || b.era != era || b.generation != generation {
		b = &buried{topic, era, generation, map[int64]bool{}}
		d.written[source] = b
	}
	return b.offsets
}

// bury writes the dead letters of the batch, once for each offset. A record that is refused for another reason when
// the delta is built again keeps the dead letter that it has.
func (p *partition) bury(ctx context.Context) error {
	buried := p.dead.of(p.source, p.seen.ID(), p.built.era, p.at.Generation)
	for offset := range buried {
		if offset < p.batch.start { // counted: written again only if it is counted again
			delete(buried, offset)
		}
	}
	for i := range p.batch.dead {
		dead := &p.batch.dead[i]
		if buried[dead.offset] {
			continue
		}
		if err := p.host.DeadLetters(ctx, p.source.Partition, []stream.Record{dead.record}); err != nil {
			return err
		}
		buried[dead.offset] = true
	}
	return nil
}
