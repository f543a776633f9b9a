package ingest

import (
	"bayestream/internal/fold"
	"bayestream/internal/modellog"
)

// view is what a batch asks the state that it is built on.
type view interface {
	// find returns what the document with an explicit id was learned as; false: the ledger does not have the id.
	find(id string) (fold.Learned, bool)
	// oldest returns the entry that leaves the ledger first when it is full; false: the ledger is empty.
	oldest() (fold.LedgerChange, bool)
	// classes returns how many classes have documents, and whether the one with that label is known.
	classes(label string) (known bool, count int)
}

// foldedView is the view of one source on the state that a replica has folded. Once the epoch has ended, it shows an
// empty state: a batch that was built on it must not be appended.
type foldedView struct {
	epoch  modellog.Epoch
	source fold.Source
}

func (v foldedView) find(id string) (l fold.Learned, ok bool) {
	v.ledger(func(ledger *fold.Ledger) { l, ok = ledger.Find(id) })
	return l, ok
}

func (v foldedView) oldest() (oldest fold.LedgerChange, ok bool) {
	v.ledger(func(ledger *fold.Ledger) {
		for oldest = range ledger.All() {
			ok = true
			return
		}
	})
	return oldest, ok
}

// ledger calls f with the ledger of the source if there is one.
func (v foldedView) ledger(f func(*fold.Ledger)) {
	v.epoch.Read(func(s *fold.State) {
		if ledger := s.Ledger(v.source); ledger != nil {
			f(ledger)
		}
	})
}

func (v foldedView) classes(label string) (known bool, count int) {
	v.epoch.Read(func(s *fold.State) {
		_, known = s.Model().Classes().ID(label)
		count = len(s.Model().Classes().Live())
	})
	return known, count
}
