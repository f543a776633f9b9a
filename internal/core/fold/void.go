package fold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// KnownVoid is a void that is in force, and the record of the log that holds it.
type KnownVoid struct {
	At  int64  // the offset of the record
	CRC uint32 // Castagnoli, of its value
	*Void
}

// VoidedError says that the next entry is a void of records that were folded as if there was none.
// It is in force if the first and the last of them have its checksums, which the fold cannot know:
//
//   - they have: start over with Restart(s.VoidsWith(e.Void)), and fold the log from its start;
//   - they have not: call Refuse(e.Void.At), and fold the entry again, which is invalid then.
type VoidedError struct{ Void KnownVoid }

func (e *VoidedError) Error() string {
	return fmt.Sprintf("the record at offset %d of the model log voids the records %d to %d, which were counted",
		e.Void.At, e.Void.From, e.Void.To-1)
}

// ErrOtherVoid is the error of an entry that is not the one which a known void names. The state
// must be rebuilt, without knowing any void.
var ErrOtherVoid = errors.New("the model log has other records than a void says")

// Voids returns the voids that the state knows, by their offsets. They may stand behind the last
// folded entry.
func (s *State) Voids() []KnownVoid { return s.voids }

// Know adds a void to those that the state knows, if that changes nothing of what was folded: the
// first record that it takes out was not, and no known void is among the records. It reports
// whether it did.
func (s *State) Know(v KnownVoid) bool {
	covers := func(w KnownVoid) bool { return v.Recount && v.covers(w.At) }
	if s.next > v.From || slices.ContainsFunc(s.voids, covers) {
		return false
	}
	s.voids = append(s.voids, v)
	slices.SortFunc(s.voids, func(a, b KnownVoid) int { return cmp.Compare(a.At, b.At) })
	return true
}

// Restart empties the state, which then knows the voids and no record.
func (s *State) Restart(voids []KnownVoid) {
	*s = *New(s.keepLedger)
	for _, v := range voids {
		s.Know(v)
	}
}

// Refuse makes an entry invalid that Fold returned a VoidedError for.
func (s *State) Refuse(offset int64) { s.refused = offset }

// VoidsWith returns the voids that are in force if v is, too.
//
//   - A rollback leaves all others in force: what was taken out stays out.
//   - With recount the log is read as if it did not have the records of v. So a void among them is
//     none. A rollback that was judged in a state which counted them, or without records that the
//     void among them took out, is judged again when it is met. A void with recount depends on no
//     state.
func (s *State) VoidsWith(v KnownVoid) []KnownVoid {
	from := v.From
	for _, w := range s.voids {
		if v.Recount && v.covers(w.At) {
			from = min(from, w.From)
		}
	}
	var kept []KnownVoid
	for _, w := range s.voids {
		judgedWithout := v.Recount && !w.Recount && w.At >= from
		if w.At != v.At && !judgedWithout && !(v.Recount && v.covers(w.At)) {
			kept = append(kept, w)
		}
	}
	return append(kept, v)
}

// Ignores reports whether the record at an offset need not be read: a void with recount takes it
// out.
func (s *State) Ignores(offset int64) bool {
	v := s.voidOf(offset)
	return v != nil && v.Recount
}

func (v *Void) covers(offset int64) bool { return v.From <= offset && offset < v.To }

// voidOf returns the void that covers an offset, nil if none does. One with recount goes before a
// rollback, and of two rollbacks the later one, which knows how far the sources were counted after
// both.
func (s *State) voidOf(offset int64) *KnownVoid {
	var found *KnownVoid
	for i := range s.voids {
		if v := &s.voids[i]; v.covers(offset) && (found == nil || v.Recount || !found.Recount) {
			found = v
		}
	}
	return found
}

func (s *State) knows(offset int64) bool {
	return slices.ContainsFunc(s.voids, func(v KnownVoid) bool { return v.At == offset })
}

// contradicts reports whether an entry differs from what a known void says is at its offset.
func (s *State) contradicts(e Entry) bool {
	return slices.ContainsFunc(s.voids, func(v KnownVoid) bool {
		return v.At == e.Offset && v.CRC != e.CRC ||
			v.From == e.Offset && v.FirstCRC != e.CRC ||
			v.To-1 == e.Offset && v.LastCRC != e.CRC
	})
}

// judge returns a VoidedError for a void that the state does not know and that may be in force,
// else the outcome.
func (s *State) judge(e Entry) (Outcome, error) {
	c := e.Control
	v := c.Void
	switch {
	// the first record stays: it is the spec
	case e.Offset == s.refused || v.From <= 0 || v.To <= v.From || v.To > e.Offset:
		return Invalid, nil
	case v.Recount:
	case c.Log != s.log:
		return Foreign, nil
	case s.model == nil:
		return Invalid, nil
	case c.Era != s.era:
		return outcomeOf(cmp.Compare(c.Era, s.era)), nil
	case v.To != e.Offset:
		return Stale, nil // records came between
	case s.isRewritten(e.Offset, v):
		return Stale, nil
	}
	return "", &VoidedError{KnownVoid{At: e.Offset, CRC: e.CRC, Void: v}}
}

// isRewritten reports whether a void with recount, which is later than a rollback at an offset, has
// taken out what that was made behind: other records are counted before its own than its writer
// saw. In force, it would bring the sources to where no delta has brought them, and deltas that
// were built behind it would take out documents which are not counted. Where the rollback takes out
// a control, its marks do not tell: behind a reset they do not depend on what was counted before
// it, and that is what it brings back.
func (s *State) isRewritten(at int64, v *Void) bool {
	isBefore := func(w KnownVoid) bool { return w.Recount && w.At > at && w.From < v.From }
	takesOutControl := s.era > uint64(v.From)
	return slices.ContainsFunc(s.voids, isBefore) && (takesOutControl || !s.standsAt(v.Marks))
}

// standsAt reports whether the sources were counted by the same deltas as marks say.
func (s *State) standsAt(marks []Mark) bool {
	differs := func(m Mark) bool {
		src, known := s.sources[m.Source]
		return !known || m.Previous != src.Previous || m.Path != src.Path
	}
	return len(marks) == len(s.sources) && !slices.ContainsFunc(marks, differs)
}

// pass passes over a record that a void covers. Of a rollback, specs stay in force, and forgets:
// what they took out is counted again, and owed. Without a control that it followed, no record up
// to a void with recount counts: the era of the void begins there, so that a control between the
// two does not hide it.
func (s *State) pass(e Entry, v *KnownVoid) Outcome {
	if v.Recount {
		if e.Control != nil {
			s.beginEra(v.At, v.CRC)
		}
		return Voided
	}
	if e.Spec != nil && e.Unreadable == nil {
		return s.foldSpec(&e)
	}
	if e.Delta != nil && e.Unreadable == nil {
		s.owe(e.Delta, v.Void)
	}
	return Voided
}

// owe marks what the forgets of a voided delta took out. Whether the delta was accepted does not
// matter: a record that lies before the mark of its source was counted, by this delta or by another
// one. But both must have read the record by one spec: by another one it may be no forget.
func (s *State) owe(d *Delta, v *Void) {
	if d.Counting != s.counting || d.Spec != s.spec || d.SpecCRC != s.specCRC {
		return
	}
	for i := range d.Ranges {
		s.oweOf(&d.Ranges[i], v)
	}
}

// oweOf is owe for a range of the delta.
func (s *State) oweOf(r *Range, v *Void) {
	src, known := s.sources[r.Source]
	if !known || src.ledger == nil || r.IsUpkeep() || r.Generation != src.Generation {
		return
	}
	i := slices.IndexFunc(v.Marks, func(m Mark) bool { return m.Source == r.Source })
	if i < 0 || v.Marks[i].isOther(&src.Progress) {
		return // the ledger goes with its topic
	}
	for _, c := range r.Ledger {
		if c.Put == nil && c.Offset < v.Marks[i].Watermark {
			src.ledger.owe(c.ID, c.Offset)
		}
	}
}

// move sets the progress of the sources to what a rollback says. No source goes back: what was
// counted before the records of the void is not counted again. Offsets of another topic of the name
// are not compared with its own.
func (s *State) move(marks []Mark) {
	if s.model == nil {
		return
	}
	for i := range marks {
		m := &marks[i]
		src, known := s.sources[m.Source]
		switch {
		case !known:
			p := m.Progress
			p.Newest = 0
			p.Gone = 0
			s.add(m.Source, p)
			continue
		case !m.hasOtherID(&src.Progress) && cmp.Or(cmp.Compare(m.Generation, src.Generation),
			cmp.Compare(m.Watermark, src.Watermark)) < 0:
			continue
		}
		newest := src.Newest // of the ledger, from which nothing left that the void takes out
		gone := src.Gone
		if m.isOther(&src.Progress) {
			newest = 0
			gone = 0
			if src.ledger != nil {
				src.ledger.empty()
			}
		}
		src.Progress = m.Progress
		src.Newest = newest
		src.Gone = gone
	}
}
