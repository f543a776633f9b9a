package recount

import "slices"

// entry is a document of a ledger.
type entry struct {
	offset int64 // of the training record
	id     string
	label  string
	weight int64
	at     Place // of the text
	owed   bool  // it has left the window
	gone   bool  // and its text is gone
}

// ledger holds the newest documents of a source that have an id, oldest first; with a window all that are counted.
type ledger []entry

func (l *ledger) find(id string) (entry, bool) {
	i := slices.IndexFunc(*l, func(e entry) bool { return e.id == id && !e.owed })
	if i < 0 || id == "" {
		return entry{}, false
	}
	return (*l)[i], true
}

func (l *ledger) drop(id string) {
	*l = slices.DeleteFunc(*l, func(e entry) bool { return e.id == id && !e.owed })
}

func (l *ledger) put(e entry, rules *Rules) {
	if e.id != "" {
		l.drop(e.id)
	}
	*l = append(*l, e)
	if rules.Window == 0 {
		*l = slices.Delete(*l, 0, max(0, len(*l)-rules.Ledger))
		return
	}
	inside := 0
	for i := len(*l) - 1; i >= 0; i-- {
		if !(*l)[i].owed {
			inside++
			(*l)[i].owed = inside > rules.Window
		}
	}
}
