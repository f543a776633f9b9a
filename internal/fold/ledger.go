package fold

import "iter"

// Learned is what the ledger remembers of a document with an explicit id: under which label and how
// often it was counted, and where its text can be read again to take it out.
type Learned struct {
	Label     string
	Weight    int64
	Topic     string // where the text is: the training topic, or that of the ref
	Partition int32
	Offset    int64
	Sum       uint64 // of the record's bytes there: another record must not be taken out in its place
}

// Ledger remembers the labelled documents of one training partition by id, the newest up to a limit.
// Which ones it holds depends on the changes alone: the oldest by source offset go first.
type Ledger struct {
	limit   int
	ids     map[string]int64   // id -> source offset of its newest record
	entries map[int64]entry    // by that offset
	order   []int64            // offsets, ascending; some are gone from entries
	head    int                // of order
	dirty   map[int64]struct{} // offsets that changed since ClearChanges
}

type entry struct {
	id string
	Learned
}

// NewLedger returns an empty ledger of at most limit documents.
func NewLedger(limit int) *Ledger {
	return &Ledger{limit: limit, ids: map[string]int64{}, entries: map[int64]entry{}, dirty: map[int64]struct{}{}}
}

// Len returns the number of documents remembered.
func (l *Ledger) Len() int { return len(l.entries) }

// Find returns what was learned under id.
func (l *Ledger) Find(id string) (Learned, bool) {
	at, ok := l.ids[id]
	if !ok {
		return Learned{}, false
	}
	return l.entries[at].Learned, true
}

// LedgerChange is one change: the record at Offset of the training partition put the id in, or with a
// nil Put took it out.
type LedgerChange struct {
	Offset int64
	ID     string
	Put    *Learned
}

// Apply makes a change. Offsets must ascend from change to change.
func (l *Ledger) Apply(c LedgerChange) {
	if old, ok := l.ids[c.ID]; ok {
		l.drop(c.ID, old)
	}
	if c.Put == nil {
		return
	}
	l.put(c.Offset, entry{id: c.ID, Learned: *c.Put})
	l.dirty[c.Offset] = struct{}{}
	for len(l.entries) > l.limit {
		at := l.order[l.head]
		l.head++
		if e, ok := l.entries[at]; ok {
			l.drop(e.id, at)
		}
	}
	l.trim()
}

func (l *Ledger) put(offset int64, e entry) {
	l.ids[e.id], l.entries[offset] = offset, e
	l.order = append(l.order, offset)
}

func (l *Ledger) drop(id string, offset int64) {
	delete(l.ids, id)
	delete(l.entries, offset)
	l.dirty[offset] = struct{}{}
}

// trim forgets offsets that are gone once they are most of the order.
func (l *Ledger) trim() {
	if len(l.order) < 64 || len(l.order) < 2*len(l.entries) {
		return
	}
	kept := l.order[:0]
	for _, at := range l.order[l.head:] {
		if _, ok := l.entries[at]; ok {
			kept = append(kept, at)
		}
	}
	l.order, l.head = kept, 0
}

// All yields the documents by ascending source offset of the record that put them in.
func (l *Ledger) All() iter.Seq[LedgerChange] {
	return func(yield func(LedgerChange) bool) {
		for _, at := range l.order[l.head:] {
			if e, ok := l.entries[at]; ok && !yield(LedgerChange{Offset: at, ID: e.id, Put: &e.Learned}) {
				return
			}
		}
	}
}

// Changes yields the source offsets that changed since ClearChanges, in no order: with Put what stands
// there now, without what is gone.
func (l *Ledger) Changes(yield func(LedgerChange) bool) {
	for at := range l.dirty {
		c := LedgerChange{Offset: at}
		if e, ok := l.entries[at]; ok {
			c.ID, c.Put = e.id, &e.Learned
		}
		if !yield(c) {
			return
		}
	}
}

// ClearChanges forgets what changed: it is on disk now.
func (l *Ledger) ClearChanges() { clear(l.dirty) }

// Restore puts back what All yielded, in its order.
func (l *Ledger) Restore(c LedgerChange) bool {
	if n := len(l.order); c.Put == nil || n > 0 && l.order[n-1] >= c.Offset {
		return false
	}
	if _, ok := l.ids[c.ID]; ok {
		return false
	}
	l.put(c.Offset, entry{id: c.ID, Learned: *c.Put})
	return true
}
