package counts

import (
	"slices"

	"bayestream/internal/bow/intern"
)

// larger is what a table holds, with room for more. To copy a table of millions of terms takes tens of
// milliseconds, in which nobody could read it. So Find copies while others read, and Apply takes the copy.
type larger struct {
	writes int64        // of the table, when it was copied
	index  intern.Index // without slots: there is room, as in what is nil
	rows   []place
	arena  []byte
	slab   []Cell
}

// prepare copies what has hardly room for the terms of d that were not found.
func (t *Table) prepare(d *Terms, f *Found) {
	if t.isFrozen || t.larger != nil && t.larger.writes == t.writes {
		return
	}
	terms, size, cells := 0, 0, 0
	for i := range f.terms {
		if f.terms[i].row >= 0 {
			continue
		}
		begin, end := d.Range(i)
		terms++
		size += len(d.Term(i))
		cells += 1 << roomFor(end-begin)
	}
	if terms == 0 {
		return
	}
	l := larger{
		writes: t.writes,
		rows:   roomier(t.rows, terms),
		arena:  roomier(t.arena, size),
		slab:   roomier(t.slab, cells),
	}
	if coming := terms + t.kept/spareShare; t.index.Full(t.kept + coming) {
		l.index = t.indexed(max(2*t.index.Slots(), slotsFor(t.kept+coming)))
	}
	if l.rows != nil || l.arena != nil || l.slab != nil || l.index.Slots() > 0 {
		t.larger = &l
	}
}

// spareShare is the share of a table for which there is room besides, at the least: several deltas are
// found before the first is added.
const spareShare = 64

// roomier returns a copy of s with room for n more; nil if s has that and some more.
func roomier[E any](s []E, n int) []E {
	if cap(s)-len(s) >= n+len(s)/spareShare {
		return nil
	}
	return append(slices.Grow[[]E](nil, len(s)+len(s)/4+n), s...)
}

// enlarge takes what prepare has copied, if nothing was written since.
func (t *Table) enlarge() {
	l := t.larger
	t.larger = nil
	if l == nil || l.writes != t.writes {
		return
	}
	if l.index.Slots() > 0 {
		t.index = l.index
	}
	if l.rows != nil {
		t.rows = l.rows
	}
	if l.arena != nil {
		t.arena = l.arena
	}
	if l.slab != nil {
		t.slab = l.slab
	}
}
