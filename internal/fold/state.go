package fold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"bayestream/internal/model"
	"bayestream/internal/spec"
)

// Source is a partition of a training topic, or the pseudo-topic "import/<sha256>" of a file.
type Source struct {
	Topic     string
	Partition int32
}

// Skipped is a source offset that was read and not counted.
type Skipped struct {
	Offset int64
	Reason string
}

// Delta is what one record of the log says: the counts of the records [Start, End) of Source.
type Delta struct {
	Counting  spec.Fingerprint
	Source    Source
	Start     int64
	End       int64
	FromStart bool // the first delta of its source: it begins where the topic began
	Skipped   []Skipped
	Counts    *model.Delta   // in canonical form
	Ledger    []LedgerChange // by ascending offset
}

// Entry is one record of the model log, decoded. Spec or Delta is set, or Unreadable.
type Entry struct {
	Offset     int64
	Epoch      int32  // leader epoch of its batch, -1 if unknown
	CRC        uint32 // Castagnoli, of the record's value
	Spec       *spec.Spec
	Delta      *Delta
	Unreadable error
}

// Outcome says what became of an entry.
type Outcome string

// The outcomes of an entry. All but Accepted and Respecified leave the state as it was, apart from
// the position.
const (
	Accepted    Outcome = "accepted"    // a delta was added
	Respecified Outcome = "respecified" // the first spec, or one that scores differently
	Repeated    Outcome = "repeated"    // a spec equal to the one in force
	Stale       Outcome = "stale"       // a delta whose records were counted before
	Gap         Outcome = "gap"         // a delta that begins after the watermark
	Foreign     Outcome = "foreign"     // another counting fingerprint, or a delta before any spec
	Invalid     Outcome = "invalid"     // unreadable, or it does not fit the counts
)

// Outcomes lists all outcomes, for metrics.
var Outcomes = []Outcome{Accepted, Respecified, Repeated, Stale, Gap, Foreign, Invalid}

// ErrHole says that the log was not read without a gap. The state must be rebuilt.
var ErrHole = errors.New("the model log has a hole")

// Anchor identifies the last entry that was folded, to recognise another log under the same name.
type Anchor struct {
	Offset int64 // -1: nothing was folded
	Epoch  int32
	CRC    uint32
}

// Progress is how far a source was counted.
type Progress struct {
	Watermark int64 // the next offset to count
	Begin     int64 // where counting began
	FromStart bool  // that was the start of the topic
	Skipped   int64 // records that were read and not counted
}

type source struct {
	Progress
	ledger *Ledger
}

// State is what the log says so far. The zero value is not usable; call New.
type State struct {
	model      *model.Model // nil before the first spec
	unsettled  bool         // counts were added since the model was prepared
	counting   spec.Fingerprint
	scoring    spec.Fingerprint
	next       int64
	stored     int64 // next at the last ClearChanges, -1 before it
	anchor     Anchor
	sources    map[Source]*source
	keepLedger bool
}

// New returns the state before the first record. A state that only classifies needs no ledgers.
func New(keepLedger bool) *State {
	return &State{sources: map[Source]*source{}, stored: -1, anchor: Anchor{Offset: -1, Epoch: -1}, keepLedger: keepLedger}
}

// Model returns the model, nil before the first spec. After Fold its counts are up to date at once, and what is
// computed from them (densities, priors) after Settle.
func (s *State) Model() *model.Model { return s.model }

// Spec returns the spec of the model, nil before the first one.
func (s *State) Spec() *spec.Spec {
	if s.model == nil {
		return nil
	}
	return s.model.Spec()
}

// Counting returns the fingerprint of how documents are counted, zero before the first spec.
func (s *State) Counting() spec.Fingerprint { return s.counting }

// Settle prepares the model for decisions. Call it once for a batch of entries, before others read the state:
// preparing takes longer than folding an entry.
func (s *State) Settle() {
	if s.unsettled {
		s.model.Prepare()
		s.unsettled = false
	}
}

// Next returns the offset of the log that is folded next.
func (s *State) Next() int64 { return s.next }

// Anchor returns the identity of the last folded entry.
func (s *State) Anchor() Anchor { return s.anchor }

// KeepsLedger reports whether the state holds the ledgers that ingest needs.
func (s *State) KeepsLedger() bool { return s.keepLedger }

// Progress returns how far a source was counted; false if it never was.
func (s *State) Progress(src Source) (Progress, bool) {
	if p, ok := s.sources[src]; ok {
		return p.Progress, true
	}
	return Progress{}, false
}

// Ledger returns the ledger of a source, nil if there is none.
func (s *State) Ledger(src Source) *Ledger {
	if p, ok := s.sources[src]; ok {
		return p.ledger
	}
	return nil
}

// Sources returns all sources in order of topic and partition.
func (s *State) Sources() []Source {
	out := make([]Source, 0, len(s.sources))
	for src := range s.sources {
		out = append(out, src)
	}
	slices.SortFunc(out, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return out
}

// Fold adds the next entry of the log. The only error is ErrHole.
func (s *State) Fold(e Entry) (Outcome, error) {
	if e.Offset != s.next {
		return "", fmt.Errorf("offset %d comes after %d: %w", e.Offset, s.next-1, ErrHole)
	}
	s.next++
	s.anchor = Anchor{Offset: e.Offset, Epoch: e.Epoch, CRC: e.CRC}
	switch {
	case e.Unreadable != nil:
		return Invalid, nil //nolint:nilerr // an outcome, not a failure of the fold
	case e.Spec != nil:
		return s.foldSpec(e.Spec), nil
	case e.Delta != nil:
		return s.foldDelta(e.Delta), nil
	}
	return Invalid, nil
}

func (s *State) foldSpec(sp *spec.Spec) Outcome {
	counting, scoring := sp.Counting(), sp.Scoring()
	switch {
	case s.model == nil:
		s.model = model.New(sp)
	case counting != s.counting:
		return Foreign
	case scoring == s.scoring:
		return Repeated
	default:
		s.model.Rescore(sp)
		s.unsettled = false
	}
	s.counting, s.scoring = counting, scoring
	return Respecified
}

func (s *State) foldDelta(d *Delta) Outcome {
	if s.model == nil || d.Counting != s.counting {
		return Foreign
	}
	src, known := s.sources[d.Source]
	switch {
	case d.End <= d.Start || d.Start < 0:
		return Invalid
	case known && d.Start < src.Watermark:
		return Stale
	case known && d.Start > src.Watermark:
		return Gap
	}
	if s.model.Add(d.Counts) != nil {
		return Invalid
	}
	s.unsettled = true
	if !known {
		src = s.add(d.Source, Progress{Begin: d.Start, FromStart: d.FromStart})
	}
	src.Watermark = d.End
	src.Skipped += int64(len(d.Skipped))
	if src.ledger != nil {
		for _, c := range d.Ledger {
			src.ledger.Apply(c)
		}
	}
	return Accepted
}

func (s *State) add(id Source, p Progress) *source {
	src := &source{Progress: p}
	if s.keepLedger {
		src.ledger = NewLedger(s.model.Spec().Limits.Ledger)
	}
	s.sources[id] = src
	return src
}

// Checkpoint is the part of a state that is small: all but the rows of the model and the ledgers.
type Checkpoint struct {
	Spec     *spec.Spec // nil before the first spec
	Next     int64
	Since    int64 // Next of the checkpoint before, -1 if there was none
	Anchor   Anchor
	Ledgers  bool
	Sources  []Source
	Progress []Progress // by source
}

// Checkpoint returns the small part.
func (s *State) Checkpoint() Checkpoint {
	c := Checkpoint{Next: s.next, Since: s.stored, Anchor: s.anchor, Ledgers: s.keepLedger, Sources: s.Sources()}
	if s.model != nil {
		c.Spec = s.model.Spec()
	}
	for _, src := range c.Sources {
		c.Progress = append(c.Progress, s.sources[src].Progress)
	}
	return c
}

// ClearChanges forgets what changed in the model and the ledgers: it is on disk now.
func (s *State) ClearChanges() {
	s.stored = s.next
	if s.model != nil {
		s.model.ClearChanges()
	}
	for _, src := range s.sources {
		if src.ledger != nil {
			src.ledger.ClearChanges()
		}
	}
}

// Restore returns the state of a checkpoint, to be filled: the rows through Model, the ledgers through
// Ledger.
func Restore(c Checkpoint) *State {
	s := New(c.Ledgers)
	s.next, s.stored, s.anchor = c.Next, c.Next, c.Anchor
	if c.Spec == nil {
		return s
	}
	s.model, s.counting, s.scoring = model.New(c.Spec), c.Spec.Counting(), c.Spec.Scoring()
	for i, src := range c.Sources {
		s.add(src, c.Progress[i])
	}
	return s
}

// Offline returns a state that has a spec and has seen no log: a model that is learned from files.
func Offline(sp *spec.Spec) *State {
	s := New(false)
	s.model, s.counting, s.scoring = model.New(sp), sp.Counting(), sp.Scoring()
	return s
}

// Rescore replaces the spec of an offline state by one that counts alike.
func (s *State) Rescore(sp *spec.Spec) {
	s.model.Rescore(sp)
	s.scoring = sp.Scoring()
}
