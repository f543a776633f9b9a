package ingest

import (
	"context"
	"maps"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// deadLetter is the dead letter of the record at an offset of the source.
type deadLetter struct {
	offset int64
	record stream.Record
}

// writings are the records that this worker has written for those that it could not count itself. A
// delta that another worker overtakes, or that the fold refuses, is built again, with the same
// ones.
type writings struct {
	mu     sync.Mutex
	source map[fold.Source]*written
}

// written is what was written for the offsets of a topic, from the watermark on, as it is counted
// in a generation of an era. A topic of which nothing was counted can be replaced without either.
type written struct {
	topic      stream.TopicID
	era        uint64
	generation uint32
	dead       map[int64]bool // offsets that have a dead letter
	forwarded  map[sent]bool
}

// of returns what was written for a source. Only the work on that source may use it.
func (w *writings) of(source fold.Source, topic stream.TopicID, era uint64, generation uint32) *written {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.source == nil {
		w.source = map[fold.Source]*written{}
	}
	now := w.source[source]
	if now == nil || now.topic != topic || now.era != era || now.generation != generation {
		now = &written{topic, era, generation, map[int64]bool{}, map[sent]bool{}}
		w.source[source] = now
	}
	return now
}

// written returns what was written for the offsets from the batch on. What is counted is written
// again only if it is counted again.
func (p *partition) written() *written {
	w := p.writings.of(p.source, p.batch.topic, p.built.Era, p.at.Generation)
	maps.DeleteFunc(w.dead, func(offset int64, _ bool) bool { return offset < p.batch.start })
	maps.DeleteFunc(w.forwarded, func(s sent, _ bool) bool { return s.offset < p.batch.start })
	return w
}

// bury writes the dead letters of the batch, once for each offset. A record that is refused for
// another reason when the delta is built again keeps the dead letter that it has.
func (w *writer) bury(ctx context.Context, b *batch, buried map[int64]bool) error {
	for i := range b.dead {
		dead := &b.dead[i]
		if buried[dead.offset] {
			continue
		}
		if err := w.host.DeadLetters(ctx, w.source.Partition, []stream.Record{dead.record}); err != nil {
			return err
		}
		buried[dead.offset] = true
	}
	return nil
}
