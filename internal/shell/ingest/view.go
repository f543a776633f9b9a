package ingest

import (
	"slices"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/worker"
)

// view is what a batch asks the state that it is built on.
type view interface {
	fold.Entries // of the ledger; what it returns is a copy
	// elsewhere returns the entries that the ledgers of the other partitions of this topic have under
	// an id.
	elsewhere(id string) []worker.Holder
	// times returns the largest time of a record that was counted, where the window is an age, and how
	// many records in a row up to the watermark were refused because theirs is far ahead of it.
	times() (newest, ahead int64)
	// classes returns how many classes have documents, and whether the one with that label is known.
	classes(label string) (known bool, count int)
	// ahead returns the class against which a document corrects, as model.Judge does.
	ahead(j *model.Judge, b *model.Builder, f *model.Features, label string, key digest.Sum) string
}

// stateView is the view of one source on the state that read gives. Once its epoch has ended, read
// gives none and the view is empty: a batch that was built on it must not be appended.
type stateView struct {
	read       func(func(*fold.State)) bool
	source     fold.Source
	generation uint32         // whose ledger it shows: when the next one begins, the fold empties it
	topic      stream.TopicID // that the batch reads; zero: not known
}

func (v stateView) ledger(f func(*fold.Ledger)) {
	v.read(func(s *fold.State) {
		p, _ := s.Progress(v.source)
		if l := s.Ledger(v.source); l != nil && p.Generation == v.generation {
			f(l)
		}
	})
}

func (v stateView) Entry(id string) (entry fold.LedgerChange, known bool) {
	v.ledger(func(l *fold.Ledger) { entry, known = l.Entry(id) })
	return entry, known
}

func (v stateView) Inside() (n int) {
	v.ledger(func(l *fold.Ledger) { n = l.Inside() })
	return n
}

func (v stateView) Oldest(after fold.Leaving, n int) (oldest []fold.Leaving) {
	v.ledger(func(l *fold.Ledger) { oldest = l.Oldest(after, n) })
	return oldest
}

func (v stateView) elsewhere(id string) (found []worker.Holder) {
	v.read(func(s *fold.State) { found = worker.Holders(s, v.source.Topic, id) })
	none := stream.TopicID{}
	return slices.DeleteFunc(found, func(h worker.Holder) bool {
		isAnother := h.Counted != v.topic && h.Counted != none && v.topic != none // it was deleted, or created since
		return isAnother || h.Partition == int(v.source.Partition)
	})
}

func (v stateView) times() (newest, ahead int64) {
	v.read(func(s *fold.State) {
		if p, _ := s.Progress(v.source); p.Generation == v.generation {
			newest = p.Newest
			ahead = p.Ahead
		}
	})
	return newest, ahead
}

func (v stateView) classes(label string) (known bool, count int) {
	v.read(func(s *fold.State) {
		if m := s.Model(); m != nil {
			_, known = m.Classes().ID(label)
			count = len(m.Classes().Live())
		}
	})
	return known, count
}

func (v stateView) ahead(j *model.Judge, b *model.Builder, f *model.Features, label string,
	key digest.Sum) (ahead string) {
	v.read(func(s *fold.State) {
		if m := s.Model(); m != nil {
			ahead = j.Ahead(m, b, f, label, key)
		}
	})
	return ahead
}
