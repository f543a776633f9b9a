package recount

import "slices"

// entry is a document of a ledger.
type entry struct {
	offset int64 // of the training record
	id     string
	label  string
	weight int64
	at     Place // of the text
}

// ledger holds the newest documents of a source that have an id, oldest first.
type ledger []entry

func (l *ledger) find(id string) (entry, bool) {
	i := slices.IndexFunc(*l, func(e entry) bool { return e.id == id })
	if i < 0 || id == "" {
		return entry{}, false
	}
	return (*l)[i], true
}

func (l *ledger) drop(id string) {
	*l = slices.DeleteFunc(*l, func(e entry) bool { return e.id == id })
}

func (l *ledger) put(e entry, limit int) {
	l.drop(e.id)
	*l = append(*l, e)
	if n := len(*l) - limit; n > 0 {
		*l = slices.Delete(*l, 0, n)
	}
}
