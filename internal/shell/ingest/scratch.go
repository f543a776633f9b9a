package ingest

import (
	"context"
	"sync"

	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/budget"
	"bayestream/internal/shell/worker"
)

// scratch is what one goroutine builds a delta with. It is as large as the largest text, and as
// what the delta counts.
type scratch struct {
	opened  opened
	extract *model.Extractor
	builder *model.Builder
	trial   *model.Trial
	judge   *model.Judge
}

func newScratch(s *spec.Spec) (*scratch, error) {
	extract, err := model.NewExtractor(s)
	if err != nil {
		return nil, err
	}
	return &scratch{extract: extract, builder: model.NewBuilder(s), trial: model.NewTrial(),
		judge: model.NewJudge()}, nil
}

// scratches are the free ones of all partitions. A new one is slow: it knows no words.
type scratches struct {
	mu   sync.Mutex
	free []*scratch
}

// take returns a free one, nil if there is none.
func (s *scratches) take() (taken *scratch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		taken = s.free[last]
		s.free = s.free[:last]
	}
	return taken
}

// give keeps a scratch, if there are fewer than most.
func (s *scratches) give(given *scratch, most int) {
	given.opened = opened{} // it points into the records
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < most {
		s.free = append(s.free, given)
	}
}

// Bytes that building a delta takes.
const (
	usualScratch = 8 << 20 // with small texts: lexicons, and logarithms
	eachOfText   = 8       // for each byte of the largest text
	eachExpected = 3       // for each byte of the texts, or of the largest delta if that is less
	eachOfDelta  = 8       // for each byte of the delta that was built
	usualText    = 64 << 10
)

// borrow takes room for a delta from so many bytes, the largest text of which has so many, and
// scratch to build it with.
func (p *partition) borrow(ctx context.Context, all, largest int) (err error) {
	p.batch.memory, err = p.memory.Take(ctx, budget.Answers,
		usualScratch+eachOfText*largest+eachExpected*min(all, p.batch.most))
	if err != nil {
		return err
	}
	s := p.scratches.take()
	if s == nil {
		if s, err = newScratch(p.spec); err != nil {
			p.batch.memory.Release()
			return err
		}
	}
	p.batch.scratch = s
	return nil
}

// borrowFor is borrow for a delta from the records that were fetched.
func (p *partition) borrowFor(ctx context.Context, got *worker.Fetched) error {
	largest := 0
	for i := range got.Records {
		largest = max(largest, len(got.Records[i].Value))
	}
	return p.borrow(ctx, got.ValueBytes(), largest)
}

// resizeBorrowed makes what was borrowed as large as what the delta takes that was built.
func (p *partition) resizeBorrowed() {
	b := p.batch
	p.batch.memory.Resize(usualScratch + eachOfText*b.extract.Longest() +
		eachOfDelta*b.bound(model.Size{}) + b.repeats)
}

// giveScratch gives the scratch back, because the delta is encoded. One that has had a large text
// is not used again.
func (p *partition) giveScratch() {
	s := p.batch.scratch
	p.batch.scratch = nil
	p.trial = nil
	if s != nil && s.extract.Longest() <= usualText {
		p.scratches.give(s, max(1, p.memory.Share(budget.Answers)/usualScratch)) // as many as can be lent
	}
}

// giveBack gives back what the last delta took, which is counted or is built again.
func (p *partition) giveBack() {
	p.giveScratch()
	p.batch.content = content{}
	p.batch.memory.Release()
}
