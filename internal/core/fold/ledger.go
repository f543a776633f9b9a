package fold

import (
	"iter"
	"maps"
	"slices"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/spec"
)

// Learned is what the ledger keeps of a document with an explicit id: under which label and how
// often it was counted, and where its text can be read again to take it out.
type Learned struct {
	Label     string
	By        string // who said the label; "": nobody was named
	Weight    int64
	Topic     string // where the text is: the training topic, or the ref's
	Partition int32
	Owed      bool // it is to be taken out: a forget of it lies in a void, or it has left the window
	Gone      bool // it is owed, and its text cannot be read any more: it stays counted
	Offset    int64
	Sum       uint64 // checksum of the features: others must not be taken out in their place
	Time      int64  // of the record that put it in, in milliseconds, where the window is an age
	Ahead     string // the class against which it corrected, weight times; "": it did not
}

// Ledger keeps the labelled documents of one training partition by id, up to a limit. Which ones it
// holds depends on the changes alone: the oldest by source offset are dropped first. With a window
// it keeps all that is counted, also documents without an id. What leaves the window is owed, and
// no id names it any more: it stays until it is taken out.
type Ledger struct {
	bounds
	documents
	// with a window, of the entries that are not owed, and some that are not there any more: ascending
	ages   []age
	owed   int // entries to be taken out
	gone   int // of these, how many cannot be
	digest digest.Sum

	// What changed since clearChanges, besides what was added.
	dropped map[int64]struct{} // source offsets of earlier entries, without a later one
	rewrite bool               // earlier entries changed in place
}

func (l *Ledger) learned(seq int64) Learned {
	e := l.entry(seq)
	c := &l.commons.all[e.common]
	return Learned{
		Label: c.label, By: c.by, Ahead: c.ahead, Topic: c.topic, Partition: c.partition, Weight: l.weight(seq),
		Offset: e.text, Sum: e.sum, Time: l.time(seq), Owed: e.has(isOwed), Gone: e.has(isGone),
	}
}

// change returns the change that put an entry in.
func (l *Ledger) change(seq int64) LedgerChange {
	e := l.entry(seq)
	put := l.learned(seq)
	return LedgerChange{Offset: e.offset, ID: l.ids.get(e), Put: &put}
}

func newLedger(l *spec.Limits) *Ledger {
	return &Ledger{bounds: boundsOf(l), dropped: map[int64]struct{}{}}
}

// Len returns the number of documents.
func (l *Ledger) Len() int { return l.live }

// Entry returns what was learned under id, as the change that put it in.
func (l *Ledger) Entry(id string) (LedgerChange, bool) {
	seq, ok := l.find(id)
	if !ok {
		return LedgerChange{}, false
	}
	return l.change(seq), true
}

// LedgerChange is one change: the record at Offset of the training partition put the id in, or with
// nil Put took it out. In an upkeep delta, the document that the record at Offset put in was taken
// out, or with Gone it cannot be.
type LedgerChange struct {
	Offset int64
	ID     string // "": the record has none of its own, and the model has a window, or it names who says the label
	Put    *Learned
	Gone   bool
}

// apply makes a change, after which documents may leave. Offsets must ascend from change to change,
// until the ledger is emptied. newest is the largest time of a record that was counted.
func (l *Ledger) apply(c LedgerChange, newest int64) {
	if l.passes(&c) {
		return
	}
	if seq, ok := l.find(c.ID); ok {
		l.drop(seq)
	}
	if c.Put != nil {
		l.put(&c)
	}
	l.evict(l, newest)
	l.trim()
}

// passes reports whether a change is for those who read the log alone: no ledger keeps its document.
func (b *bounds) passes(c *LedgerChange) bool { return c.ID == "" && b.window.IsZero() }

// at returns the sequence number of the entry that the record at an offset put in.
func (l *Ledger) at(offset int64) (seq int64, ok bool) {
	seq = l.search(offset)
	if seq == l.end {
		return 0, false
	}
	e := l.entry(seq)
	return seq, e.offset == offset && !e.has(isDropped)
}

func (l *Ledger) empty() {
	for seq := range l.from(l.first) {
		l.drop(seq)
	}
	l.ages = nil
	l.trim()
}

func (l *Ledger) put(c *LedgerChange) {
	e := entry{offset: c.Offset, text: c.Put.Offset, sum: c.Put.Sum}
	if _, ok := l.dropped[c.Offset]; ok {
		delete(l.dropped, c.Offset)
		e.flags |= isReplacing
	}
	if c.Put.Owed {
		e.flags |= isOwed
		l.owed++
	}
	if c.Put.Gone {
		e.flags |= isGone
		l.gone++
	}
	if c.ID != "" && !l.isDetached(&e) {
		e.flags |= isNamed
	}
	seq := l.add(e, c.ID, &common{
		label: c.Put.Label, by: c.Put.By, ahead: c.Put.Ahead, topic: c.Put.Topic, partition: c.Put.Partition,
	}, c.Put.Weight, c.Put.Time)
	l.digest = l.digest.Plus(l.hash(seq))
	l.addAge(seq)
}

func (l *Ledger) rename(from, to string) {
	for seq, e := range l.from(l.first) {
		if c := &l.commons.all[e.common].common; c.label == from || c.ahead == from {
			l.rewriteEntry(seq, func() {
				renamed := c.renamed(from, to)
				l.commons.remove(e.common)
				e.common = l.commons.add(&renamed)
			})
		}
	}
}

// renamed returns it with another name of a class.
func (c common) renamed(from, to string) common {
	if c.label == from {
		c.label = to
	}
	if c.ahead == from {
		c.ahead = to
	}
	return c
}

func (l *Ledger) rewriteEntry(seq int64, f func()) {
	l.digest = l.digest.Minus(l.hash(seq))
	f()
	l.digest = l.digest.Plus(l.hash(seq))
	l.entry(seq).flags |= isChanged
	l.rewrite = true
}

func (l *Ledger) drop(seq int64) {
	e := l.entry(seq)
	if seq < l.added || e.has(isReplacing) {
		l.dropped[e.offset] = struct{}{}
	}
	l.digest = l.digest.Minus(l.hash(seq))
	if e.has(isOwed) {
		l.owed--
	}
	if e.has(isGone) {
		l.gone--
	}
	l.documents.drop(seq)
}

// All yields the documents by ascending source offset of the record that put them in.
func (l *Ledger) All() iter.Seq[LedgerChange] {
	return func(yield func(LedgerChange) bool) {
		for seq := range l.from(l.first) {
			if !yield(l.change(seq)) {
				return
			}
		}
	}
}

// Changes yields the source offsets that changed since clearChanges: without Put the dropped
// entries, then with Put the changed and the new ones, ascending.
func (l *Ledger) Changes(yield func(LedgerChange) bool) {
	for _, offset := range slices.Sorted(maps.Keys(l.dropped)) {
		if !yield(LedgerChange{Offset: offset}) {
			return
		}
	}
	begin := l.added
	if l.rewrite {
		begin = l.first
	}
	for seq, e := range l.from(begin) {
		if (seq >= l.added || e.has(isChanged)) && !yield(l.change(seq)) {
			return
		}
	}
}

// clearChanges forgets what changed, because it is on disk now.
func (l *Ledger) clearChanges() {
	clear(l.dropped)
	if l.rewrite {
		for _, e := range l.from(l.first) {
			e.flags &^= isChanged
		}
		l.rewrite = false
	}
	l.added = l.end
}

// Restore adds an entry that All yielded, in its order. It reports whether the entry is a valid
// next one.
func (l *Ledger) Restore(c LedgerChange) bool {
	if c.Put == nil || c.Offset < 0 || l.first < l.end && l.entry(l.end-1).offset >= c.Offset {
		return false
	}
	_, known := l.find(c.ID)
	isDetached := c.Put.Owed && !l.window.IsZero()
	if known && !isDetached || c.ID == "" && l.window.IsZero() || c.Put.Gone && !c.Put.Owed {
		return false
	}
	l.put(&c)
	l.clearChanges()
	return true
}

// owe marks the document of an id as one to be taken out, if a record before the offset put it in.
func (l *Ledger) owe(id string, offset int64) {
	seq, ok := l.find(id)
	if !ok {
		return
	}
	if e := l.entry(seq); e.offset < offset && !e.has(isOwed) {
		l.markOwed(seq)
	}
}

// markOwed marks a document as one to be taken out. With a window its id may be learned again
// before it is.
func (l *Ledger) markOwed(seq int64) {
	l.owed++
	e := l.entry(seq)
	l.rewriteEntry(seq, func() { e.flags |= isOwed })
	if l.isDetached(e) {
		l.unname(seq)
	}
}

// isDetached reports whether the id of a document does not name it any more.
func (l *Ledger) isDetached(e *entry) bool { return e.has(isOwed) && !l.window.IsZero() }

// takeOut removes the document that the record at the offset of the change put in, or notes that
// its text is gone.
func (l *Ledger) takeOut(c LedgerChange) {
	seq, ok := l.at(c.Offset)
	if !ok {
		return
	}
	e := l.entry(seq)
	switch {
	case l.ids.get(e) != c.ID:
	case !c.Gone:
		l.drop(seq)
		l.trim()
	case e.has(isOwed) && !e.has(isGone):
		l.gone++
		l.rewriteEntry(seq, func() { e.flags |= isGone })
	}
}

// OwedLen returns the number of documents that are owed: a forget of them lies in a void, or they
// have left the window, and they are not taken out yet.
func (l *Ledger) OwedLen() int { return l.owed }

// Owed yields the documents that are owed and not known to be gone, as All does.
func (l *Ledger) Owed() iter.Seq[LedgerChange] {
	return func(yield func(LedgerChange) bool) {
		left := l.owed - l.gone
		if left == 0 {
			return
		}
		for seq, e := range l.from(l.first) {
			if !e.has(isOwed) || e.has(isGone) {
				continue
			}
			left--
			if !yield(l.change(seq)) || left == 0 {
				return
			}
		}
	}
}
