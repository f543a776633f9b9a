package classify

import (
	"context"
	"sync"

	"bayestream/internal/fold"
	"bayestream/internal/spec"
	"bayestream/internal/stream"
	"bayestream/internal/wire"
)

// label sets p.answers to the answers to the records, in their order. If the model log was replaced since the epoch
// began, it waits until the state is up to date again.
func (p *partition) label(ctx context.Context, records []stream.Record) error {
	for len(p.answers) < len(records) {
		p.answers = append(p.answers, answer{})
	}
	for {
		var err error
		if p.epoch.Read(func(s *fold.State) { err = p.labelAll(records, s) }) {
			return err
		}
		p.epoch, err = p.upToDate(ctx)
		if err != nil {
			return err
		}
	}
}

// labelAll divides the records among the lanes.
func (p *partition) labelAll(records []stream.Record, s *fold.State) error {
	if err := p.prepareLanes(s.Spec()); err != nil {
		return err
	}
	share := (len(records) + len(p.lanes) - 1) / len(p.lanes)
	if len(records) < smallBatch {
		share = len(records)
	}
	var wg sync.WaitGroup
	for i, l := range p.lanes {
		from := min(i*share, len(records))
		to := min(from+share, len(records))
		if from == to {
			break
		}
		l.buf = l.buf[:0]
		wg.Go(func() {
			for j := from; j < to; j++ {
				l.label(&p.answers[j], &records[j], s)
			}
		})
	}
	wg.Wait()
	return nil
}

// smallBatch is a number of records that one goroutine labels faster than several goroutines start.
const smallBatch = 32

// prepareLanes makes lanes for a spec, unless it is the one that they were made for.
func (p *partition) prepareLanes(s *spec.Spec) error {
	if p.lanes != nil && p.lanes[0].spec == s {
		return nil
	}
	evidence := p.config.Evidence
	if p.config.Emit == wire.EmitHeaders {
		evidence = -1 // nothing of it would be written
	}
	p.lanes = nil
	for range p.workers {
		l, err := newLane(&p.config, s, p.key, evidence, p.abstained)
		if err != nil {
			return err
		}
		p.lanes = append(p.lanes, l)
	}
	return nil
}
