package ingest

import "bayestream/internal/fold"

// pending is the ledger of the source as it will be behind the batch: that of the view, with the changes of the batch
// on top. It evicts as the fold will, change by change, so that what a record finds does not depend on where the delta
// began.
type pending struct {
	view    view
	limit   int                      // documents
	size    int                      // documents
	changed map[string]*fold.Learned // by id; nil: forgotten or evicted
	old     []aged                   // entries of the view that may leave next, the oldest first
	asked   int64                    // entries of the view below this source offset were in old
	added   []fold.LedgerChange      // entries of the batch, the oldest first
}

// newPending returns the ledger that v shows, of at most limit documents.
func newPending(v view, limit int) pending {
	return pending{view: v, limit: limit, size: v.size(), changed: map[string]*fold.Learned{}}
}

// find returns what an id was learned as, by the batch or before it.
func (p *pending) find(id string) (fold.Learned, bool) {
	l, isChanged := p.changed[id]
	switch {
	case !isChanged:
		return p.view.find(id)
	case l == nil:
		return fold.Learned{}, false
	}
	return *l, true
}

// learnedAt returns the source offset of the record under which an id that find has was learned.
func (p *pending) learnedAt(id string) int64 {
	for i := len(p.added) - 1; i >= 0; i-- {
		if c := &p.added[i]; c.ID == id && c.Put == p.changed[id] {
			return c.Offset
		}
	}
	return p.view.learnedAt(id)
}

// apply makes a change. known says whether find has its id.
func (p *pending) apply(c fold.LedgerChange, known bool) {
	if known {
		p.size--
	}
	p.changed[c.ID] = c.Put
	if c.Put == nil {
		return
	}
	p.size++
	p.added = append(p.added, c)
	for p.size > p.limit {
		p.evict()
	}
}

// evict takes the oldest document out.
func (p *pending) evict() {
	p.size--
	for {
		if len(p.old) == 0 {
			p.ask()
		}
		if len(p.old) == 0 {
			break
		}
		id := p.old[0].id
		p.old = p.old[1:]
		if _, isChanged := p.changed[id]; !isChanged {
			p.changed[id] = nil
			return
		}
	}
	for len(p.added) > 0 {
		c := p.added[0]
		p.added = p.added[1:]
		if p.changed[c.ID] == c.Put {
			p.changed[c.ID] = nil
			return
		}
	}
}

// ask gets the next entries of the view that may leave.
func (p *pending) ask() {
	const atOnce = 256
	p.old = p.view.oldest(p.asked, atOnce)
	if n := len(p.old); n > 0 {
		p.asked = p.old[n-1].offset + 1
	}
}
