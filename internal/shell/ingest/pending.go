package ingest

import (
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
)

// pending is the ledger of the source as it will be after the batch: that of the view, with the changes of the batch
// on top. It evicts as the fold will, change by change, so that what a record finds does not depend on where the delta
// began. With a window, what it evicts is owed: it stays counted until upkeep takes it out, and no record finds it.
type pending struct {
	view    view
	limits  *spec.Limits
	size    int                      // documents inside of the limit or the window
	newest  int64                    // the largest time of a record that was counted, where the window is an age
	changed map[string]*fold.Learned // by id; nil: forgotten or evicted
	old     []fold.Leaving           // entries of the view that may leave next, the oldest first
	asked   fold.Leaving             // the last entry of the view that was in old
	isAll   bool                     // the view has no other ones
	added   []added                  // entries of the batch, the oldest first
}

// added is an entry of the batch.
type added struct {
	fold.Leaving
	put *fold.Learned
}

// newPending returns the ledger that v shows, with the limits of the spec in force.
func newPending(v view, limits *spec.Limits) pending {
	newest, _ := v.times()
	return pending{view: v, limits: limits, size: v.size(), newest: newest, changed: map[string]*fold.Learned{}, asked: fold.BeforeAll}
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
		if a := &p.added[i]; a.ID == id && a.put == p.changed[id] {
			return a.Offset
		}
	}
	return p.view.learnedAt(id)
}

// apply makes a change. known says whether find has its id.
func (p *pending) apply(c fold.LedgerChange, known bool) {
	if known {
		p.size--
	}
	if c.ID != "" {
		p.changed[c.ID] = c.Put
	}
	if c.Put == nil {
		return
	}
	p.size++
	p.newest = max(p.newest, c.Put.Time)
	a := added{fold.Leaving{Time: c.Put.Time, Offset: c.Offset, ID: c.ID}, c.Put}
	i, _ := slices.BinarySearchFunc(p.added, a, func(a, b added) int { return a.Compare(b.Leaving) })
	p.added = slices.Insert(p.added, i, a)
	for p.evict() {
	}
}

// evict takes the oldest document out, if it is outside of the limit or the window. It reports whether it did.
func (p *pending) evict() bool {
	if p.limits.Window.Age.IsZero() && !p.isOutside(fold.Leaving{}) {
		return false // only the number counts
	}
	old, isFound := p.oldest()
	first, isAdded := p.oldestAdded()
	if isAdded && (!isFound || first.Compare(old) < 0) {
		old = first
	} else {
		isAdded = false
	}
	if !isFound && !isAdded || !p.isOutside(old) {
		return false
	}
	p.size--
	if old.ID != "" {
		p.changed[old.ID] = nil
	}
	if isAdded {
		p.added = p.added[1:]
	} else {
		p.old = p.old[1:]
	}
	return true
}

func (p *pending) isOutside(d fold.Leaving) bool {
	if p.limits.Window.IsZero() {
		return p.size > p.limits.Ledger
	}
	return fold.IsOutside(p.limits.Window, p.size, d.Time, p.newest)
}

// oldest returns the oldest entry of the view that the batch has not changed.
func (p *pending) oldest() (fold.Leaving, bool) {
	for {
		if len(p.old) == 0 {
			p.ask()
		}
		if len(p.old) == 0 {
			return fold.Leaving{}, false
		}
		if _, isChanged := p.changed[p.old[0].ID]; !isChanged {
			return p.old[0], true
		}
		p.old = p.old[1:]
	}
}

// oldestAdded returns the oldest entry of the batch that no later one has changed.
func (p *pending) oldestAdded() (fold.Leaving, bool) {
	for len(p.added) > 0 {
		a := &p.added[0]
		if a.ID == "" || p.changed[a.ID] == a.put {
			return a.Leaving, true
		}
		p.added = p.added[1:]
	}
	return fold.Leaving{}, false
}

// ask gets the next entries of the view that may leave.
func (p *pending) ask() {
	const atOnce = 256
	if p.isAll {
		return
	}
	p.old = p.view.oldest(p.asked, atOnce)
	p.isAll = len(p.old) < atOnce
	if n := len(p.old); n > 0 {
		p.asked = p.old[n-1]
	}
}
