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
	written map[fold.Source]map[int64]bool // by offset, from the watermark on
}

// of returns the offsets of a source whose dead letters are written. Only the work on that source may use it.
func (d *deadOffsets) of(source fold.Source) map[int64]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.written == nil {
		d.written = map[fold.Source]map[int64]bool{}
	}
	if d.written[source] == nil {
		d.written[source] = map[int64]bool{}
	}
	return d.written[source]
}

// bury writes the dead letters of the batch, once for each offset. A record that is refused for another reason when
// the delta is built again keeps the dead letter that it has.
func (p *partition) bury(ctx context.Context) error {
	for offset := range p.buried {
		if offset < p.batch.start { // counted: written again only if it is counted again
			delete(p.buried, offset)
		}
	}
	for i := range p.batch.dead {
		dead := &p.batch.dead[i]
		if p.buried[dead.offset] {
			continue
		}
		if err := p.host.DeadLetters(ctx, p.source.Partition, []stream.Record{dead.record}); err != nil {
			return err
		}
		p.buried[dead.offset] = true
	}
	return nil
}
