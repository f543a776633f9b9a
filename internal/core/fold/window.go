package fold

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
)

// age says when a document leaves the window: the smallest one first. time is 0 where the window
// counts documents, so that they leave it by their offsets.
type age struct{ time, offset int64 }

func (a age) compare(b age) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.offset, b.offset))
}

// Leaving is a document that will leave the ledger, or its window.
type Leaving struct {
	Time   int64 // of its record, where the window is an age
	Offset int64 // of the record that put it in
	ID     string
}

// BeforeAll is before all documents.
var BeforeAll = Leaving{Time: math.MinInt64, Offset: -1}

// Compare orders documents as they leave.
func (d Leaving) Compare(e Leaving) int {
	return age{d.Time, d.Offset}.compare(age{e.Time, e.Offset})
}

// Inside returns how many documents the limit bounds: all, or with a window those that it holds.
func (l *Ledger) Inside() int {
	if l.window.IsZero() {
		return l.live
	}
	return l.live - l.owed
}

// Oldest returns up to n of the documents that Inside counts, behind another one in the order in
// which they leave.
func (l *Ledger) Oldest(after Leaving, n int) []Leaving {
	var oldest []Leaving
	if l.window.IsZero() {
		for _, e := range l.from(l.search(after.Offset + 1)) {
			if len(oldest) == n {
				break
			}
			oldest = append(oldest, Leaving{Offset: e.offset, ID: l.ids.get(e)})
		}
		return oldest
	}
	i, isThere := slices.BinarySearchFunc(l.ages, age{after.Time, after.Offset}, age.compare)
	if isThere {
		i++
	}
	for _, a := range l.ages[i:] {
		if len(oldest) == n {
			break
		}
		if id, ok := l.staying(a.offset); ok {
			oldest = append(oldest, Leaving{a.time, a.offset, id})
		}
	}
	return oldest
}

// staying returns the id of the document that the record at an offset put in, if it is there and not
// owed.
func (l *Ledger) staying(offset int64) (id string, ok bool) {
	seq, ok := l.at(offset)
	if !ok || l.entry(seq).has(isOwed) {
		return "", false
	}
	return l.ids.get(l.entry(seq)), true
}

// addAge notes when a new entry leaves the window.
func (l *Ledger) addAge(seq int64) {
	e := l.entry(seq)
	if l.window.IsZero() || e.has(isOwed) {
		return
	}
	const few = 64
	if n := l.live - l.owed; len(l.ages) > 2*n+few {
		l.ages = slices.DeleteFunc(l.ages, func(a age) bool {
			_, ok := l.staying(a.offset)
			return !ok
		})
	}
	a := age{offset: e.offset}
	if l.window.Records == 0 {
		a.time = l.time(seq)
	}
	i, _ := slices.BinarySearchFunc(l.ages, a, age.compare)
	l.ages = slices.Insert(l.ages, i, a)
}

// bounds says what a ledger holds: the newest documents, or with a window those inside of it.
type bounds struct {
	limit  int
	window spec.Window
}

func boundsOf(l *spec.Limits) bounds { return bounds{limit: l.Ledger, window: l.Window} }

// leavers are documents in the order in which they leave.
type leavers interface {
	Inside() int
	next() (Leaving, bool) // the document that leaves next
	leave(Leaving)         // it leaves
}

// evict has documents leave that are outside of the bounds, the oldest first. newest is the largest
// time of a record that was counted.
func (b bounds) evict(from leavers, newest int64) {
	for b.window.Age.Milliseconds > 0 || b.isOutside(from.Inside(), 0, newest) { // else only the number counts
		d, ok := from.next()
		if !ok || !b.isOutside(from.Inside(), d.Time, newest) {
			return
		}
		from.leave(d)
	}
}

// isOutside reports whether the oldest of n documents is outside. Its record has the time.
func (b bounds) isOutside(n int, time, newest int64) bool {
	switch {
	case b.window.IsZero():
		return n > b.limit
	case b.window.Records > 0:
		return int64(n) > b.window.Records
	}
	return time < newest-b.window.Age.Milliseconds
}

// next returns the document that leaves next.
func (l *Ledger) next() (Leaving, bool) {
	if l.window.IsZero() {
		for _, e := range l.from(l.first) {
			return Leaving{Offset: e.offset, ID: l.ids.get(e)}, true
		}
		return Leaving{}, false
	}
	for ; len(l.ages) > 0; l.ages = l.ages[1:] {
		a := l.ages[0]
		if id, ok := l.staying(a.offset); ok {
			return Leaving{a.time, a.offset, id}, true
		}
	}
	return Leaving{}, false
}

// leave drops a document, or with a window marks it as owed.
func (l *Ledger) leave(d Leaving) {
	seq, _ := l.at(d.Offset)
	if l.window.IsZero() {
		l.drop(seq)
		return
	}
	l.markOwed(seq)
	l.ages = l.ages[1:]
}

func (s *State) shorten(w spec.Window) {
	for _, src := range s.sources {
		if src.ledger != nil {
			src.ledger.window = w
			src.ledger.evict(src.ledger, src.Newest)
		}
	}
}

// WindowState says whether a model with a window counts exactly what the window holds.
type WindowState struct {
	spec.Window

	Owed     int   // documents that have left it and are not taken out yet; 0 in a state without ledgers
	Gone     int64 // documents that have left it and cannot be taken out: their texts are gone
	Replaced bool  // the topic of a source was replaced, and what was counted of the earlier one stays
	Frozen   bool  // a vocabulary has reached its limit
}

// Window returns what has become of the window, nil if the spec has none.
func (s *State) Window() *WindowState {
	if s.model == nil || !s.isWindowed() {
		return nil
	}
	w := &WindowState{Window: s.Spec().Limits.Window}
	for _, src := range s.sources {
		w.Gone += src.Gone
		w.Replaced = w.Replaced || src.Generation > 0
		if src.ledger != nil {
			w.Owed += src.ledger.owed
		}
	}
	for _, t := range s.model.Tables() {
		w.Frozen = w.Frozen || t.Frozen()
	}
	return w
}

// IsExact reports whether the window alone is counted, as soon as nothing is owed.
func (w *WindowState) IsExact() bool { return w.Gone == 0 && !w.Replaced && !w.Frozen }

// String says in a sentence what is counted.
func (w *WindowState) String() string {
	if w.IsExact() {
		return w.Window.String() + ", exact: the counts are those of " + w.Contains()
	}
	var why []string
	if w.Gone > 0 {
		why = append(why, fmt.Sprintf("documents that have left the window stay counted, because their texts are gone: %d",
			w.Gone))
	}
	if w.Replaced {
		why = append(why, "a training topic was replaced, and what was counted of the earlier one stays")
	}
	if w.Frozen {
		why = append(why, "a vocabulary has reached limits.terms and stays frozen, so that "+
			"which words count depends on what came first")
	}
	return w.Window.String() + ", not exact: " + strings.Join(why, "; ")
}
