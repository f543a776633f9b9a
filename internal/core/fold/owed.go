package fold

import "iter"

// owe marks the document of an id as one to be taken out, if a record before the offset put it in.
func (l *Ledger) owe(id string, offset int64) {
	seq, ok := l.ids[id]
	if !ok {
		return
	}
	if e := &l.entries[seq-l.first]; e.offset < offset && !e.Owed {
		l.markOwed(e)
	}
}

// markOwed marks a document as one to be taken out. With a window its id may be learned again
// before it is.
func (l *Ledger) markOwed(e *entry) {
	l.owed++
	l.change(e, func() { e.Owed = true })
	if l.isDetached(e) {
		delete(l.ids, e.id)
	}
}

// isDetached reports whether the id of a document does not name it any more.
func (l *Ledger) isDetached(e *entry) bool { return e.Owed && !l.window.IsZero() }

// takeOut removes the document that the record at the offset of the change put in, or notes that
// its text is gone.
func (l *Ledger) takeOut(c LedgerChange) {
	e, seq := l.at(c.Offset)
	switch {
	case e == nil || e.id != c.ID:
	case !c.Gone:
		l.drop(seq)
		l.trim()
	case e.Owed && !e.Gone:
		l.gone++
		l.change(e, func() { e.Gone = true })
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
		for c := range l.All() {
			if !c.Put.Owed || c.Put.Gone {
				continue
			}
			left--
			if !yield(c) || left == 0 {
				return
			}
		}
	}
}
