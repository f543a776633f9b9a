package classify

import (
	"context"

	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/stream"
)

// step answers the documents of one fetch: it labels as many as the memory has room for, writes the
// answers, and commits how far it has got when it is time.
func (p *partition) step(ctx context.Context) error {
	got, err := p.fetch(ctx)
	defer got.Release()
	if err != nil {
		return err
	}
	for rest := got.Records; len(rest) > 0; {
		n, err := p.answer(ctx, rest[:min(len(rest), p.config.MaxRecords)])
		if err != nil {
			return err
		}
		if err := p.advance(ctx, rest[n-1].Offset+1); err != nil {
			return err
		}
		rest = rest[n:]
	}
	err = p.advance(ctx, got.Next)
	p.note(&got)
	return err
}

// answer labels and writes as many of the records as there is room for, and returns how many.
func (p *partition) answer(ctx context.Context, records []stream.Record) (n int, err error) {
	room, err := p.memory.Take(ctx, budget.Answers, p.expect(records[0].Size()))
	if err != nil {
		return 0, err
	}
	defer room.Release()
	p.scratch = p.scratches.Get().(*scratch)
	defer func() {
		p.scratch.clear(len(records))
		p.scratches.Put(p.scratch)
		p.scratch = nil
	}()
	n, err = p.label(ctx, records, room) // lane.label: decode, extract, decide, and encode each
	if err != nil {
		return 0, err
	}
	return n, p.write(ctx, records[:n])
}
