package fold

import (
	"slices"

	"bayestream/internal/core/spec"
)

// Entries is what an overlay asks the ledger under it. A *Ledger has it.
type Entries interface {
	Entry(id string) (LedgerChange, bool)
	Inside() int
	Oldest(after Leaving, n int) []Leaving
}

// Overlay is a ledger as it will be after changes that it does not have yet. The fold makes the
// same changes later, and documents leave both by the same rule, so that what a record finds does
// not depend on where its delta began. With a window, what has left it stays counted until upkeep
// takes it out, and no id finds it.
type Overlay struct {
	bounds
	under   Entries
	inside  int
	newest  int64                   // the largest time of a record that was counted, where the window is an age
	changed map[string]LedgerChange // by id; without Put: forgotten, or it has left
	old     []Leaving               // entries under the overlay that may leave next, the oldest first
	asked   Leaving                 // the last one that was in old
	isAll   bool                    // there are no other ones
	added   []Leaving               // entries of the overlay, the oldest first
}

// NewOverlay returns the ledger without changes, by the limits in force. newest is the
// Progress.Newest of its source.
func NewOverlay(under Entries, l *spec.Limits, newest int64) *Overlay {
	return &Overlay{
		bounds: boundsOf(l), under: under, inside: under.Inside(), newest: newest, changed: map[string]LedgerChange{},
		asked: BeforeAll,
	}
}

// Newest returns the largest time of a record that was counted, where the window is an age.
func (o *Overlay) Newest() int64 { return o.newest }

// Inside returns how many documents the limit bounds, or the window holds.
func (o *Overlay) Inside() int { return o.inside }

// Entry returns what was learned under id, as the change that put it in.
func (o *Overlay) Entry(id string) (LedgerChange, bool) {
	if c, isChanged := o.changed[id]; isChanged {
		return c, c.Put != nil
	}
	return o.under.Entry(id)
}

// Apply makes a change. Offsets must ascend from change to change.
func (o *Overlay) Apply(c LedgerChange) {
	if o.passes(&c) {
		return
	}
	if c.ID != "" {
		if _, known := o.Entry(c.ID); known {
			o.inside--
		}
		o.changed[c.ID] = c
	}
	if c.Put == nil {
		return
	}
	o.inside++
	o.newest = max(o.newest, c.Put.Time)
	d := Leaving{Offset: c.Offset, ID: c.ID}
	if o.window.Records == 0 {
		d.Time = c.Put.Time
	}
	i, _ := slices.BinarySearchFunc(o.added, d, Leaving.Compare)
	o.added = slices.Insert(o.added, i, d)
	o.evict(o, o.newest)
}

// next returns the document that leaves next.
func (o *Overlay) next() (Leaving, bool) {
	for len(o.added) > 0 && !o.holds(o.added[0]) {
		o.added = o.added[1:]
	}
	old, isFound := o.nextUnder()
	if len(o.added) > 0 && (!isFound || o.added[0].Compare(old) < 0) {
		return o.added[0], true
	}
	return old, isFound
}

// holds reports whether no later change has replaced an entry of the overlay.
func (o *Overlay) holds(d Leaving) bool {
	c := o.changed[d.ID]
	return d.ID == "" || c.Put != nil && c.Offset == d.Offset
}

// nextUnder returns the oldest entry under the overlay that was not changed.
func (o *Overlay) nextUnder() (Leaving, bool) {
	const atOnce = 256
	for {
		if len(o.old) == 0 && !o.isAll {
			o.old = o.under.Oldest(o.asked, atOnce)
			o.isAll = len(o.old) < atOnce
		}
		if len(o.old) == 0 {
			return Leaving{}, false
		}
		o.asked = o.old[len(o.old)-1]
		if _, isChanged := o.changed[o.old[0].ID]; !isChanged {
			return o.old[0], true
		}
		o.old = o.old[1:]
	}
}

// leave takes the document out that next has returned.
func (o *Overlay) leave(d Leaving) {
	o.inside--
	if d.ID != "" {
		o.changed[d.ID] = LedgerChange{Offset: d.Offset, ID: d.ID}
	}
	if len(o.added) > 0 && o.added[0] == d {
		o.added = o.added[1:]
	} else {
		o.old = o.old[1:]
	}
}
