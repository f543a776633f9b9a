package fold

import (
	"cmp"
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
	ids map[string]int64 // by id: the sequence number of its entry
	// with a window, of the entries that are not owed, and some that are not there any more: ascending
	ages    []age
	entries []entry // by source offset; entries[i] has the sequence number first+i
	first   int64
	live    int // entries that were not dropped
	owed    int // of them, those to be taken out
	gone    int // of these, how many cannot be
	digest  digest.Sum
	common  map[common]*common // of the entries, and perhaps of some that were dropped

	// What changed since clearChanges.
	added   int64              // entries from this sequence number on
	dropped map[int64]struct{} // source offsets of earlier entries, without a later one
	rewrite bool               // earlier entries changed in place
}

// An entry is a document, or what is left of one that was dropped. It takes 72 bytes: there may be
// millions.
type entry struct {
	offset   int64  // of the record that put it in
	id       string // "": it has none of its own
	*common         // nil: it was dropped
	weight   int64
	text     int64 // the offset of the text
	sum      uint64
	time     int64
	owed     bool
	gone     bool
	changed  bool // in place, since clearChanges
	replaces bool // one of an earlier generation that was dropped since clearChanges, at the same offset
}

// common is what many documents of a ledger have alike.
type common struct {
	label, by, topic string
	ahead            string // the class against which it corrected
	partition        int32
}

// learned returns what the entry keeps.
func (e *entry) learned() *Learned {
	return &Learned{
		Label: e.label, By: e.by, Ahead: e.ahead, Topic: e.topic, Partition: e.partition,
		Weight: e.weight, Offset: e.text, Sum: e.sum, Time: e.time, Owed: e.owed, Gone: e.gone,
	}
}

// put returns the change that put the entry in.
func (e *entry) put() LedgerChange { return LedgerChange{Offset: e.offset, ID: e.id, Put: e.learned()} }

func (e *entry) isDropped() bool { return e.common == nil }

// newLedger returns an empty ledger with the limit or the window of a spec.
func newLedger(l *spec.Limits) *Ledger {
	return &Ledger{
		bounds: boundsOf(l), ids: map[string]int64{}, common: map[common]*common{}, dropped: map[int64]struct{}{},
	}
}

// Len returns the number of documents.
func (l *Ledger) Len() int { return l.live }

// Entry returns what was learned under id, as the change that put it in.
func (l *Ledger) Entry(id string) (LedgerChange, bool) {
	seq, ok := l.ids[id]
	if !ok {
		return LedgerChange{}, false
	}
	return l.entries[seq-l.first].put(), true
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
	if seq, ok := l.ids[c.ID]; ok {
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

// at returns the entry that the record at an offset put in, and its sequence number; nil if there
// is none.
func (l *Ledger) at(offset int64) (*entry, int64) {
	i, ok := slices.BinarySearchFunc(l.entries, offset,
		func(e entry, offset int64) int { return cmp.Compare(e.offset, offset) })
	if !ok || l.entries[i].isDropped() {
		return nil, 0
	}
	return &l.entries[i], l.first + int64(i)
}

// empty removes all documents.
func (l *Ledger) empty() {
	for i := range l.entries {
		if !l.entries[i].isDropped() {
			l.drop(l.first + int64(i))
		}
	}
	l.ages = nil
	l.trim()
}

func (l *Ledger) put(c *LedgerChange) {
	_, replaces := l.dropped[c.Offset]
	delete(l.dropped, c.Offset)
	e := entry{
		offset: c.Offset, id: c.ID, replaces: replaces,
		common: l.shared(common{
			label: c.Put.Label, by: c.Put.By, ahead: c.Put.Ahead, topic: c.Put.Topic, partition: c.Put.Partition,
		}),
		weight: c.Put.Weight, text: c.Put.Offset, sum: c.Put.Sum, time: c.Put.Time, owed: c.Put.Owed, gone: c.Put.Gone,
	}
	if e.id != "" && !l.isDetached(&e) {
		l.ids[e.id] = l.first + int64(len(l.entries))
	}
	l.entries = append(l.entries, e)
	l.live++
	l.digest = l.digest.Plus(e.hash())
	if e.owed {
		l.owed++
	}
	if e.gone {
		l.gone++
	}
	l.addAge(&e)
}

// rename changes the label of documents.
func (l *Ledger) rename(from, to string) {
	for i := range l.entries {
		if e := &l.entries[i]; !e.isDropped() && (e.label == from || e.ahead == from) {
			l.change(e, func() { e.common = l.shared(e.renamed(from, to)) })
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

// change changes an entry in place by f.
func (l *Ledger) change(e *entry, f func()) {
	l.digest = l.digest.Minus(e.hash())
	f()
	l.digest = l.digest.Plus(e.hash())
	e.changed = true
	l.rewrite = true
}

// shared returns what all entries that have it alike point to.
func (l *Ledger) shared(c common) *common {
	if known, ok := l.common[c]; ok {
		return known
	}
	if len(l.common) >= maxCommon {
		clear(l.common)
	}
	l.common[c] = &c
	return &c
}

// maxCommon bounds what shared keeps, if there are ever new labels.
const maxCommon = 4096

func (l *Ledger) drop(seq int64) {
	e := &l.entries[seq-l.first]
	if l.ids[e.id] == seq {
		delete(l.ids, e.id)
	}
	if seq < l.added || e.replaces {
		l.dropped[e.offset] = struct{}{}
	}
	l.digest = l.digest.Minus(e.hash())
	if e.owed {
		l.owed--
	}
	if e.gone {
		l.gone--
	}
	*e = entry{offset: e.offset}
	l.live--
}

// trim removes dropped entries: those at the front, and all of them once they are more than half.
func (l *Ledger) trim() {
	for len(l.entries) > 0 && l.entries[0].isDropped() {
		l.entries = l.entries[1:]
		l.first++
	}
	if len(l.entries) < 64 || len(l.entries) < 2*l.live {
		return
	}
	added := max(0, l.added-l.first)
	kept := make([]entry, 0, l.live+l.live/4)
	l.added = l.first
	for i, e := range l.entries {
		if e.isDropped() {
			continue
		}
		if int64(i) < added {
			l.added++
		}
		if seq, ok := l.ids[e.id]; ok && seq == l.first+int64(i) {
			l.ids[e.id] = l.first + int64(len(kept))
		}
		kept = append(kept, e)
	}
	l.entries = kept
}

// All yields the documents by ascending source offset of the record that put them in.
func (l *Ledger) All() iter.Seq[LedgerChange] {
	return func(yield func(LedgerChange) bool) { each(l.entries, yield) }
}

// each yields the entries that were not dropped.
func each(entries []entry, yield func(LedgerChange) bool) {
	for i := range entries {
		if e := &entries[i]; !e.isDropped() && !yield(e.put()) {
			return
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
	added := int(max(0, l.added-l.first))
	if l.rewrite {
		for i := range l.entries[:added] {
			e := &l.entries[i]
			if e.changed && !yield(e.put()) {
				return
			}
		}
	}
	each(l.entries[added:], yield)
}

// clearChanges forgets what changed, because it is on disk now.
func (l *Ledger) clearChanges() {
	clear(l.dropped)
	if l.rewrite {
		for i := range l.entries {
			l.entries[i].changed = false
		}
		l.rewrite = false
	}
	l.added = l.first + int64(len(l.entries))
}

// Restore adds an entry that All yielded, in its order. It reports whether the entry is a valid
// next one.
func (l *Ledger) Restore(c LedgerChange) bool {
	if n := len(l.entries); c.Put == nil || c.Offset < 0 || n > 0 && l.entries[n-1].offset >= c.Offset {
		return false
	}
	_, known := l.ids[c.ID]
	isOwed := c.Put.Owed && !l.window.IsZero()
	if known && !isOwed || c.ID == "" && l.window.IsZero() || c.Put.Gone && !c.Put.Owed {
		return false
	}
	l.put(&c)
	l.clearChanges()
	return true
}

// owe marks the document of an id as one to be taken out, if a record before the offset put it in.
func (l *Ledger) owe(id string, offset int64) {
	seq, ok := l.ids[id]
	if !ok {
		return
	}
	if e := &l.entries[seq-l.first]; e.offset < offset && !e.owed {
		l.markOwed(e)
	}
}

// markOwed marks a document as one to be taken out. With a window its id may be learned again
// before it is.
func (l *Ledger) markOwed(e *entry) {
	l.owed++
	l.change(e, func() { e.owed = true })
	if l.isDetached(e) {
		delete(l.ids, e.id)
	}
}

// isDetached reports whether the id of a document does not name it any more.
func (l *Ledger) isDetached(e *entry) bool { return e.owed && !l.window.IsZero() }

// takeOut removes the document that the record at the offset of the change put in, or notes that
// its text is gone.
func (l *Ledger) takeOut(c LedgerChange) {
	e, seq := l.at(c.Offset)
	switch {
	case e == nil || e.id != c.ID:
	case !c.Gone:
		l.drop(seq)
		l.trim()
	case e.owed && !e.gone:
		l.gone++
		l.change(e, func() { e.gone = true })
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
		for i := range l.entries {
			e := &l.entries[i]
			if !e.owed || e.gone {
				continue
			}
			left--
			if !yield(e.put()) || left == 0 {
				return
			}
		}
	}
}
