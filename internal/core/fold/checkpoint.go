package fold

import (
	"bayestream/internal/core/drift"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
)

// Checkpoint is a state without the rows of the model and the ledgers.
type Checkpoint struct {
	Spec     *spec.Spec // nil before the first spec
	Log      LogID
	Next     int64
	Since    int64 // Next of the checkpoint before, -1 if there was none
	Era      uint64
	EraCRC   uint32
	SpecAt   int64 // offset of the spec
	SpecCRC  uint32
	Emptied  bool // what was stored before is gone: all rows are to be written again
	Voids    []KnownVoid
	Anchor   Anchor
	Ledgers  bool
	Sources  []Source
	Progress []Progress        // by source
	Race     *race.State       // nil before the first spec; a view
	Drift    *drift.State      // as Race
	Decided  *race.Prequential // as Race
	Teachers Teachers          // a view
}

// Checkpoint returns the state without the rows of the model and the ledgers.
func (s *State) Checkpoint() Checkpoint {
	c := Checkpoint{
		Log: s.log, Next: s.next, Since: s.stored, Era: s.era, EraCRC: s.eraCRC, SpecAt: s.spec,
		SpecCRC: s.specCRC, Emptied: s.emptied, Voids: s.voids,
		Anchor: s.anchor, Ledgers: s.keepLedger, Sources: s.Sources(), Teachers: s.teachers,
	}
	if s.model != nil {
		c.Spec = s.model.Spec()
		c.Race = s.race
		c.Drift = s.drift
		c.Decided = s.decided
	}
	for _, src := range c.Sources {
		c.Progress = append(c.Progress, s.sources[src].Progress)
	}
	return c
}

// ClearChanges forgets what changed in the model and the ledgers, because it is on disk now.
func (s *State) ClearChanges() {
	s.stored = s.next
	s.emptied = false
	if s.model != nil {
		s.model.ClearChanges()
	}
	for _, src := range s.sources {
		if src.ledger != nil {
			src.ledger.clearChanges()
		}
	}
}

// Restore returns the state of a checkpoint, whose race, drift, scores and teachers it takes over, with an
// empty model and empty ledgers. The caller restores the rows through Model and Ledger.
func Restore(c Checkpoint) *State {
	s := New(c.Ledgers)
	s.next = c.Next
	s.stored = c.Next
	s.log = c.Log
	s.era = c.Era
	s.eraCRC = c.EraCRC
	s.spec = c.SpecAt
	s.specCRC = c.SpecCRC
	s.voids = c.Voids
	s.anchor = c.Anchor
	if c.Spec == nil {
		return s
	}
	s.use(c.Spec)
	if c.Teachers != nil {
		s.teachers = c.Teachers
	}
	if c.Race != nil {
		s.race = c.Race
		s.model.Lead(s.race)
	}
	if c.Drift != nil {
		s.drift = c.Drift
	}
	if c.Decided != nil {
		s.decided = c.Decided
	}
	for i, src := range c.Sources {
		s.add(src, c.Progress[i])
	}
	return s
}
