package ingest

import (
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
)

// view is what a batch asks the state that it is built on.
type view interface {
	// find returns what the document with an explicit id was learned as; false: the ledger does not have the id.
	find(id string) (fold.Learned, bool)
	// learnedAt returns the source offset of the record that put an id into the ledger; -1: the ledger does not have it.
	learnedAt(id string) int64
	// elsewhere returns the entries that the ledgers of the other partitions of this topic have under an id.
	elsewhere(id string) []holder
	// size returns how many documents the ledger has, without those that have left its window.
	size() int
	// times returns the largest time of a record that was counted, where the window is an age, and how many records in
	// a row up to the watermark were refused because theirs is far ahead of it.
	times() (newest, ahead int64)
	// oldest returns up to n of these documents behind another one, in the order in which they leave.
	oldest(after fold.Leaving, n int) []fold.Leaving
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

// stateView is the view of one source on a state. The ledger is that of a generation: when the next one begins, the fold
// empties it.
type stateView struct {
	state      *fold.State
	source     fold.Source
	generation uint32
	topic      stream.TopicID // that the batch reads; zero: not known
}

// ledger returns the ledger, nil if there is none.
func (v stateView) ledger() *fold.Ledger {
	if p, _ := v.state.Progress(v.source); p.Generation != v.generation {
		return nil
	}
	return v.state.Ledger(v.source)
}

func (v stateView) find(id string) (fold.Learned, bool) {
	ledger := v.ledger()
	if ledger == nil {
		return fold.Learned{}, false
	}
	return ledger.Find(id)
}

func (v stateView) learnedAt(id string) int64 {
	if ledger := v.ledger(); ledger != nil {
		if entry, ok := ledger.Entry(id); ok {
			return entry.Offset
		}
	}
	return -1
}

func (v stateView) elsewhere(id string) []holder {
	none := stream.TopicID{}
	return slices.DeleteFunc(holders(v.state, v.source.Topic, id), func(h holder) bool {
		isAnother := h.counted != v.topic && h.counted != none && v.topic != none // it was deleted, or created since
		return isAnother || h.partition == int(v.source.Partition)
	})
}

func (v stateView) size() int {
	ledger := v.ledger()
	if ledger == nil {
		return 0
	}
	return ledger.Inside()
}

func (v stateView) times() (newest, ahead int64) {
	p, _ := v.state.Progress(v.source)
	if p.Generation != v.generation {
		return 0, 0
	}
	return p.Newest, p.Ahead
}

func (v stateView) oldest(after fold.Leaving, n int) []fold.Leaving {
	ledger := v.ledger()
	if ledger == nil {
		return nil
	}
	return ledger.Oldest(after, n)
}

func (v stateView) classes(label string) (known bool, count int) {
	if v.state.Model() == nil {
		return false, 0
	}
	classes := v.state.Model().Classes()
	_, known = classes.ID(label)
	return known, len(classes.Live())
}

// foldedView is the view of one source on the state that a replica has folded. Once the epoch has ended, it shows an
// empty state: a batch that was built on it must not be appended.
type foldedView struct {
	epoch      modellog.Epoch
	source     fold.Source
	generation uint32
	topic      stream.TopicID
}

// read calls f with the view on the state as it is now.
func (v foldedView) read(f func(stateView)) {
	v.epoch.Read(func(s *fold.State) { f(stateView{s, v.source, v.generation, v.topic}) })
}

func (v foldedView) find(id string) (l fold.Learned, ok bool) {
	v.read(func(now stateView) { l, ok = now.find(id) })
	return l, ok
}

func (v foldedView) learnedAt(id string) (offset int64) {
	v.read(func(now stateView) { offset = now.learnedAt(id) })
	return offset
}

func (v foldedView) elsewhere(id string) (found []holder) {
	v.read(func(now stateView) { found = now.elsewhere(id) })
	return found
}

func (v foldedView) size() (n int) {
	v.read(func(now stateView) { n = now.size() })
	return n
}

func (v foldedView) times() (newest, ahead int64) {
	v.read(func(now stateView) { newest, ahead = now.times() })
	return newest, ahead
}

func (v foldedView) oldest(after fold.Leaving, n int) (oldest []fold.Leaving) {
	v.read(func(now stateView) { oldest = now.oldest(after, n) })
	return oldest
}

func (v foldedView) classes(label string) (known bool, count int) {
	v.read(func(now stateView) { known, count = now.classes(label) })
	return known, count
}
