package counts

import "slices"

// larger is the arrays of a table with room for more. To copy those of millions of terms takes tens of
// milliseconds, in which nobody could read the table. So Find copies while others read, and Apply takes
// the copy.
type larger struct {
	arrays
	writes int64 // of the table, when it was copied
}

// prepare copies the arrays that lack room for the terms of d that the table does not have.
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
	l := &larger{t.arrays, t.writes}
	isCopied := roomier(&l.rows, terms)
	isCopied = roomier(&l.arena, size) || isCopied
	isCopied = roomier(&l.slab, cells) || isCopied
	if coming := terms + t.kept/spareShare; t.index.Full(t.kept + coming) {
		l.index = t.indexed(max(2*t.index.Slots(), slotsFor(t.kept+coming)))
		isCopied = true
	}
	if isCopied {
		t.larger = l
	}
}

// spareShare is the share of a table for which there is room besides, at the least: several deltas are
// found before the first is added.
const spareShare = 64

// roomier copies s to where there is room for n more, if it does not have that and some more.
func roomier[E any](s *[]E, n int) (isCopied bool) {
	isCopied = cap(*s)-len(*s) < n+len(*s)/spareShare
	if isCopied {
		*s = append(slices.Grow[[]E](nil, len(*s)+len(*s)/4+n), *s...)
	}
	return isCopied
}

// enlarge takes what prepare has copied, if nothing was written since.
func (t *Table) enlarge() {
	if t.larger != nil && t.larger.writes == t.writes {
		t.arrays = t.larger.arrays
	}
	t.larger = nil
}
