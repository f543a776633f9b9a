package fold

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"bayestream/internal/core/drift"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
)

// ErrHole is the error of an entry that does not follow the last one. The state must be rebuilt.
var ErrHole = errors.New("the model log has a hole")

type source struct {
	Progress
	ledger *Ledger
}

// State is what the log says so far. The zero value is not usable; call New.
type State struct {
	model      *model.Model      // nil before the first spec
	race       *race.State       // nil before the first spec
	drift      *drift.State      // nil before the first spec
	decided    *race.Prequential // nil before the first spec
	unsettled  bool              // a delta was added since the model was prepared
	counting   spec.Fingerprint
	log        LogID
	era        uint64
	eraCRC     uint32
	spec       int64  // offset of the spec in force
	specCRC    uint32 // 0: it is the first one, which the log id names
	next       int64
	stored     int64 // next at the last ClearChanges, -1 before it
	anchor     Anchor
	sources    map[Source]*source
	keepLedger bool
	teachers   Teachers
	voids      []KnownVoid // by their offsets
	refused    int64       // the offset of a void that is not in force, -1: none
	emptied    bool        // all that was stored is gone
}

// New returns the state before the first record. A state that only classifies needs no ledgers.
func New(keepLedger bool) *State {
	return &State{sources: map[Source]*source{}, teachers: Teachers{}, stored: -1, anchor: NoAnchor,
		keepLedger: keepLedger, refused: -1}
}

// Model returns the model, nil before the first spec. After Fold its counts are up to date at once,
// and what is computed from them (densities, priors) after Settle.
func (s *State) Model() *model.Model { return s.model }

// Spec returns the spec of the model, nil before the first one.
func (s *State) Spec() *spec.Spec {
	if s.model == nil {
		return nil
	}
	return s.model.Spec()
}

// Race returns the race of the candidates of the spec, nil before the first one. It is a view.
func (s *State) Race() *race.State { return s.race }

// Drift returns what is known about drifts of the stream, nil before the first spec. It is a view.
func (s *State) Drift() *drift.State { return s.drift }

// Prequential returns what the decisions on the scored records of the streams come to, nil before
// the first spec. It is a view.
func (s *State) Prequential() *race.Prequential { return s.decided }

// Scores returns what the records that were scored come to, nil if none was. It is a view.
func (s *State) Scores() *Scores {
	if s.race == nil || s.race.Sums().Scored == 0 {
		return nil
	}
	return &Scores{List: s.race.List().Fingerprint(), Sums: s.race.Sums()}
}

// Counting returns the fingerprint of how documents are counted, zero before the first spec.
func (s *State) Counting() spec.Fingerprint { return s.counting }

// Reading is what it depends on, besides its bytes, how a record of the log is read. Only a spec
// changes it.
type Reading struct {
	Spec     *spec.Spec // nil before the first one
	List     *race.List // as Spec
	Counting spec.Fingerprint
	Log      LogID
}

// Reading returns how the next record of the log is to be read.
func (s *State) Reading() Reading {
	if s.model == nil {
		return Reading{}
	}
	return Reading{Spec: s.Spec(), List: s.race.List(), Counting: s.counting, Log: s.log}
}

// Log returns the id of the log, zero before the first spec.
func (s *State) Log() LogID { return s.log }

// Settle prepares the model for decisions, by the leader of the race. Call it once for a batch of
// entries, before others read the state: preparing takes longer than folding an entry.
func (s *State) Settle() {
	if s.unsettled {
		s.model.Lead(s.race)
		s.model.Prepare()
		s.unsettled = false
	}
}

// Next returns the offset of the log that is folded next.
func (s *State) Next() int64 { return s.next }

// Anchor returns the identity of the last folded entry.
func (s *State) Anchor() Anchor { return s.anchor }

// Era returns 1 + the offset of the last control in force, or 0. If a void with recount removed that
// control, it is 1 + the offset of the void. A delta of another era is not counted.
func (s *State) Era() uint64 { return s.era }

// Basis returns what a delta of a source must be built on to be accepted next.
func (s *State) Basis(src Source) Basis {
	p, _ := s.Progress(src)
	return Basis{Era: s.era, Spec: s.spec, EraCRC: s.eraCRC, SpecCRC: s.specCRC, Generation: p.Generation,
		Previous: p.Previous}
}

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
	return slices.SortedFunc(maps.Keys(s.sources), Source.compare)
}

// Fold adds the next entry of the log. The errors are ErrHole, ErrOtherVoid and *VoidedError; after
// them the state is that before the entry.
func (s *State) Fold(e Entry) (Outcome, error) {
	if e.Offset != s.next {
		return "", fmt.Errorf("offset %d comes after %d: %w", e.Offset, s.next-1, ErrHole)
	}
	outcome, err := s.fold(e)
	if err != nil {
		return "", err
	}
	s.next++
	s.anchor = Anchor{Offset: e.Offset, Epoch: e.Epoch, Checksum: e.CRC}
	return outcome, nil
}

func (s *State) fold(e Entry) (Outcome, error) {
	if s.contradicts(e) {
		return "", ErrOtherVoid
	}
	if v := s.voidOf(e.Offset); v != nil {
		return s.pass(e, v), nil
	}
	switch {
	case e.Unreadable != nil:
		return Invalid, nil //nolint:nilerr // an outcome, not a failure of the fold
	case e.Spec != nil:
		return s.foldSpec(&e), nil
	case e.Delta != nil:
		return s.foldDelta(&e), nil
	case e.Control != nil:
		return s.foldControl(e)
	}
	return Invalid, nil
}

func (s *State) foldSpec(e *Entry) Outcome {
	sp := e.Spec
	if sp == s.Spec() {
		return Repeated
	}
	counting := sp.Counting()
	switch {
	case s.model == nil:
		s.begin(sp, race.Of(sp))
		s.log = e.Log
	case counting != s.counting:
		return Foreign
	case s.HasCounted() && sp.Extends(s.Spec()) != nil:
		return Stale // what was learned could not be read again
	case !sp.Changes(s.Spec()):
		return Repeated
	default:
		s.specCRC = e.CRC
		s.Rescore(sp)
		s.shorten(sp.Limits.Window)
	}
	s.counting = counting
	s.spec = e.Offset
	return Respecified
}

// HasCounted reports whether records are counted, so that they must stay readable.
func (s *State) HasCounted() bool { return len(s.sources) > 0 }

// Offline returns a state with a spec and no log, for a model that is trained on files.
func Offline(sp *spec.Spec) *State {
	s := New(false)
	s.use(sp)
	return s
}

func (s *State) use(sp *spec.Spec) {
	s.begin(sp, race.Of(sp))
	s.counting = sp.Counting()
}

// begin begins an empty model and the race of its candidates.
func (s *State) begin(sp *spec.Spec, l *race.List) {
	s.model = model.New(sp)
	s.race = race.NewState(l)
	s.drift = drift.New()
	s.decided = &race.Prequential{}
	s.model.Lead(s.race)
	s.unsettled = false
}

// Rescore replaces the spec by one with the same counting settings. The spec of a log is replaced
// by Fold alone.
func (s *State) Rescore(sp *spec.Spec) {
	s.model.Rescore(sp)
	l := race.Of(sp)
	if l.Fingerprint() != s.race.List().Fingerprint() {
		s.drift.Restart() // other decisions have other errors
	}
	s.race.SetList(l)
	s.model.Lead(s.race)
	s.unsettled = false
}

// Score adds the scores of documents to an offline state, and has the leader decide.
func (s *State) Score(c *Scores) {
	if s.score(c) {
		s.model.Lead(s.race)
	}
}

// score adds the scores of a delta if they are of the list in force, and reports whether they are.
// Settle has the leader decide.
func (s *State) score(c *Scores) bool { return c != nil && s.race.Fold(c.List, c.Sums) }

// Documents returns how many documents each class has, by weight.
func (s *State) Documents() map[string]int64 {
	documents := map[string]int64{}
	if s.model == nil {
		return documents
	}
	classes := s.model.Classes()
	for _, c := range classes.Live() {
		documents[classes.Name(c)] = classes.Documents(c)
	}
	return documents
}
