package classify

import (
	"context"
	"sync"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
)

// label sets p.answers to the answers to the first of the records, in their order, and returns how
// many: as many as there is room for, at least one. room is the room of the first. If the model log
// was replaced since the epoch began, it waits until the state is up to date again.
func (p *partition) label(ctx context.Context, records []stream.Record, room *budget.Room) (n int, err error) {
	lanes, err := p.lanes.take(ctx, (len(records)+smallBatch-1)/smallBatch)
	if err != nil {
		return 0, err
	}
	defer func() { p.lanes.give(lanes) }()
	p.makePlace(len(records), len(lanes))
	chunk := &chunk{
		classifier: p.classifier, records: records, answers: p.answers,
		room: room, taken: room.Bytes(), most: p.memory.Share(budget.Answers) / chunks,
	}
	for !chunk.full && chunk.next < len(records) {
		if p.epoch.Read(func(s *fold.State) { err = p.slice(chunk, lanes, s) }) {
			if err != nil {
				return 0, err
			}
			continue
		}
		p.epoch, err = p.upToDate(ctx)
		if err != nil {
			return 0, err
		}
	}
	return chunk.next, nil
}

// smallBatch is a number of records that one goroutine labels faster than several goroutines start.
const smallBatch = 32

// chunks is how many full chunks the memory for answers has room for: others are labelled while one
// is written.
const chunks = 4

// sliceTime is how long one lock of the state is held, or as long as a document takes: the fold
// waits meanwhile.
const sliceTime = time.Millisecond

// slice has the lanes answer records of the chunk, for a short time. All decisions of a slice name
// one offset of the model log.
func (p *partition) slice(c *chunk, lanes []*lane, s *fold.State) error {
	if err := p.prepareLanes(lanes, s.Spec()); err != nil {
		return err
	}
	c.begun = time.Now()
	c.first = c.next
	if len(lanes) == 1 {
		p.buffers[0] = c.run(lanes[0], p.buffers[0], s)
		return nil
	}
	var wg sync.WaitGroup
	for i, l := range lanes {
		wg.Go(func() { p.buffers[i] = c.run(l, p.buffers[i], s) })
	}
	wg.Wait()
	return nil
}

// prepareLanes makes lanes for a spec, unless they were made for it.
func (p *partition) prepareLanes(lanes []*lane, s *spec.Spec) error {
	evidence := p.config.Evidence
	if p.config.Emit == wire.EmitHeaders {
		evidence = -1 // nothing of it would be written
	}
	for i := range lanes {
		if lanes[i] != nil && lanes[i].spec == s {
			continue
		}
		l, err := newLane(&p.config, s, p.key, evidence, p.abstained)
		if err != nil {
			return err
		}
		l.decoder.Guessed = p.metrics.Guessed
		lanes[i] = l
	}
	if p.shortenFor == s {
		return nil
	}
	var err error
	p.shorten, err = newEmitter(&p.config, lanes[0].schema)
	p.shortenFor = s
	return err
}

// chunk is what is labelled and written at once.
type chunk struct {
	*classifier
	records []stream.Record
	answers []answer
	room    *budget.Room // that the answers take
	taken   int          // bytes that were taken for the first
	most    int          // bytes that the answers may have, unless there is only one

	mu    sync.Mutex
	next  int  // index of the record to answer next
	full  bool // there is no room for its answer
	first int  // index of the first record of the slice
	begun time.Time
}

// atOnce is how many records a lane takes at once.
const atOnce = 8

// claim returns the records from..to-1 to answer next, and how many bytes of room they have; none
// when the slice is over.
func (c *chunk) claim() (from, to, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from = c.next
	to = from
	if c.full || from > c.first && time.Since(c.begun) > sliceTime {
		return from, to, 0
	}
	if from == 0 {
		c.next = 1
		return 0, 1, c.taken
	}
	for _, n := range [...]int{atOnce, 1} {
		to = min(from+n, len(c.records))
		bytes = c.bytesOf(from, to)
		if c.room.Bytes()+bytes <= c.most && c.room.Grow(bytes) {
			c.next = to
			return from, to, bytes
		}
	}
	c.full = true
	return from, from, 0
}

// bytesOf returns how many bytes the answers to the records from..to-1 are expected to take.
func (c *chunk) bytesOf(from, to int) (n int) {
	for i := from; i < to; i++ {
		n += c.expect(c.records[i].Size())
	}
	return n
}

// run answers records of the slice, and appends to buf.
func (c *chunk) run(l *lane, buf []byte, s *fold.State) []byte {
	l.buf = buf
	for {
		from, to, bytes := c.claim()
		if from == to {
			buf = l.buf
			l.buf = nil
			return buf
		}
		for i := from; i < to; i++ {
			l.buf = place(l.buf, c.expect(c.records[i].Size()))
			begin := len(l.buf)
			l.label(&c.answers[i], &c.records[i], s)
			size := answerSize + len(l.buf) - begin
			if c.answers[i].dead {
				size += c.answers[i].record.Size()
			}
			c.expected.note(c.records[i].Size(), size)
			bytes -= size
		}
		c.room.Add(-bytes)
	}
}
