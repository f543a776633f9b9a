package recount

import "slices"

// entry is a document of a ledger.
type entry struct {
	offset int64 // of the training record
	id     string
	label  string
	by     string
	weight int64
	at     Place // of the text
	time   int64 // of the record, in milliseconds, where the window is an age
	owed   bool  // it is to be taken out: it has left the window, or was forgotten after a rollback
	gone   bool  // and its text is gone
}

// ledger holds the newest documents of a source that have an id, oldest first; with a window all
// that are counted.
type ledger []entry

// named returns the index of the entry that an id names, -1 if there is none. With a window it
// names none that is owed.
func (l *ledger) named(id string, rules *Rules) int {
	return slices.IndexFunc(*l, func(e entry) bool { return id != "" && e.id == id && !(e.owed && rules.isWindowed()) })
}

func (l *ledger) find(id string, rules *Rules) (entry, bool) {
	i := l.named(id, rules)
	if i < 0 {
		return entry{}, false
	}
	return (*l)[i], true
}

func (l *ledger) drop(id string, rules *Rules) {
	if i := l.named(id, rules); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

// owe marks the document of an id, if a record before the offset put it in: it is to be taken out.
// It reports whether it did.
func (l *ledger) owe(id string, offset int64, rules *Rules) bool {
	i := l.named(id, rules)
	if i < 0 || (*l)[i].offset >= offset || (*l)[i].owed {
		return false
	}
	(*l)[i].owed = true
	return true
}

// put adds a document, and returns how many have left the ledger or the window for it. newest is
// the largest time of one.
func (l *ledger) put(e entry, newest int64, rules *Rules) (left int) {
	l.drop(e.id, rules)
	*l = append(*l, e)
	if !rules.isWindowed() {
		left = max(0, len(*l)-rules.Ledger)
		*l = slices.Delete(*l, 0, left)
		return left
	}
	inside := 0
	for i := len(*l) - 1; i >= 0; i-- {
		e := &(*l)[i]
		if e.owed {
			continue
		}
		inside++
		e.owed = rules.Age > 0 && e.time < newest-rules.Age || rules.Window > 0 && inside > rules.Window
		if e.owed {
			left++
		}
	}
	return left
}
