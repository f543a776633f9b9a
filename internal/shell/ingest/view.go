package ingest

import (
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/stream"
)

// view is what a batch asks the state that it is built on.
type view interface {
	fold.Entries // of the ledger; what it returns is a copy
	// elsewhere returns the entries that the ledgers of the other partitions of this topic have under an id.
	elsewhere(id string) []holder
	// times returns the largest time of a record that was counted, where the window is an age, and how many records in
	// a row up to the watermark were refused because theirs is far ahead of it.
	times() (newest, ahead int64)
	// classes returns how many classes have documents, and whether the one with that label is known.
	classes(label string) (known bool, count int)
}

// holder is an entry of a ledger.
type holder struct {
	partition int
	offset    int64 // of the record that put it in
	text      place
	counted   stream.TopicID // in which it was put in; zero: not known
}

// holders returns the entries that the ledgers of a topic have under an id, but for those that are owed.
func holders(s *fold.State, topic, id string) (found []holder) {
	for _, src := range s.Sources() {
		l := s.Ledger(src)
		if l == nil || src.Topic != topic {
			continue
		}
		if e, ok := l.Entry(id); ok && !e.Put.Owed {
			p, _ := s.Progress(src)
			found = append(found, holder{int(src.Partition), e.Offset, textOf(e.Put), stream.TopicID(p.Anchor.TopicID)})
		}
	}
	return found
}

// stateView is the view of one source on the state that read gives. Once its epoch has ended, read gives none and the view
// is empty: a batch that was built on it must not be appended.
type stateView struct {
	read       func(func(*fold.State)) bool
	source     fold.Source
	generation uint32         // whose ledger it shows: when the next one begins, the fold empties it
	topic      stream.TopicID // that the batch reads; zero: not known
}

// ledger calls f with the ledger, if there is one.
func (v stateView) ledger(f func(*fold.Ledger)) {
	v.read(func(s *fold.State) {
		p, _ := s.Progress(v.source)
		if l := s.Ledger(v.source); l != nil && p.Generation == v.generation {
			f(l)
		}
	})
}

func (v stateView) Entry(id string) (entry fold.LedgerChange, known bool) {
	v.ledger(func(l *fold.Ledger) {
		if entry, known = l.Entry(id); known {
			put := *entry.Put
			entry.Put = &put
		}
	})
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

func (v stateView) elsewhere(id string) (found []holder) {
	v.read(func(s *fold.State) { found = holders(s, v.source.Topic, id) })
	none := stream.TopicID{}
	return slices.DeleteFunc(found, func(h holder) bool {
		isAnother := h.counted != v.topic && h.counted != none && v.topic != none // it was deleted, or created since
		return isAnother || h.partition == int(v.source.Partition)
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
