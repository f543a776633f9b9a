package fold

import "cmp"

// foldControl makes a control count, if it was made for this state. A void that the state does not
// know is judged instead.
func (s *State) foldControl(e Entry) (Outcome, error) {
	c := e.Control
	switch {
	case c.Void != nil && s.knows(e.Offset):
		s.move(c.Void.Marks)
	case c.Void != nil:
		return s.judge(e)
	case c.Log != s.log:
		return Foreign, nil
	case c.Era != s.era:
		return outcomeOf(cmp.Compare(c.Era, s.era)), nil
	case s.model == nil:
		return Invalid, nil
	case c.Reset != nil:
		s.reset()
	case c.Rename != nil:
		if !s.rename(c.Rename) {
			return Invalid, nil
		}
	default:
		return Invalid, nil
	}
	s.beginEra(e.Offset)
	return Controlled, nil
}

// beginEra begins the era of the control at an offset, unless the era of a later one has begun.
func (s *State) beginEra(control int64) { s.era = max(s.era, uint64(control)+1) }

// reset empties everything but the spec.
func (s *State) reset() {
	s.begin(s.Spec(), s.race.List())
	s.emptied = true
	clear(s.sources)
}

// rename moves what a class counted to another name, in the ledgers too. It reports whether it can.
func (s *State) rename(r *Rename) bool {
	if s.model.Rename(r.From, r.To) != nil {
		return false
	}
	s.unsettled = true
	s.drift.Rename(r.From, r.To)
	s.decided.Rename(r.From, r.To)
	for _, src := range s.sources {
		if src.ledger != nil {
			src.ledger.rename(r.From, r.To)
		}
	}
	return true
}
