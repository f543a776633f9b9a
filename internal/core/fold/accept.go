package fold

import (
	"cmp"

	"bayestream/internal/core/drift"
)

// foldDelta adds a delta if it counts by the law in the documentation of the package.
func (s *State) foldDelta(e *Entry) Outcome {
	d := e.Delta
	if s.model == nil || d.Counting != s.counting || d.Log != s.log {
		return Foreign
	}
	if !d.isRange() || d.Source.IsImport() && s.isWindowed() {
		return Invalid
	}
	src := s.sources[d.Source]
	begins := s.begins(d, src)
	if outcome := s.compare(d, src, begins); outcome != Accepted {
		return outcome
	}
	if s.model.Add(d.Counts) != nil {
		return Invalid
	}
	s.unsettled = true
	if begins {
		src = s.beginSource(d, src)
	}
	src.count(d, s.teachers)
	src.Previous = e.Sum
	src.At = e.Offset
	src.Path = pathBehind(src.Path, e.Offset)
	scored := s.score(d.Scores)
	if !d.Source.IsImport() && !d.IsUpkeep() { // a file is no part of the stream, and upkeep is of records before
		s.watch(e, scored)
	}
	return Accepted
}

// pathBehind returns the path behind one more delta (FNV-1a, of whole offsets).
func pathBehind(path uint64, offset int64) uint64 { return (path ^ uint64(offset)) * 1099511628211 }

// begins reports whether a delta is the first one of its source, or of the generation after the one
// that was counted. Its start is taken as it is. src is nil for a source that was never counted.
func (s *State) begins(d *Delta, src *source) bool {
	if src == nil {
		return d.Generation == 0
	}
	return d.Generation > 0 && d.Generation-1 == src.Generation
}

// compare compares what a delta was built on with the state.
func (s *State) compare(d *Delta, src *source, begins bool) Outcome {
	var now Progress
	if src != nil {
		now = src.Progress
	}
	if begins {
		now.Generation = d.Generation
		now.Watermark = d.Start
	}
	age := cmp.Or(
		cmp.Compare(d.Era, s.era),
		cmp.Compare(d.Spec, s.spec),
		cmp.Compare(d.Generation, now.Generation),
		cmp.Compare(d.Start, now.Watermark),
	)
	switch {
	case age != 0:
		return outcomeOf(age)
	case d.EraCRC != s.eraCRC, d.SpecCRC != s.specCRC:
		return Gap // a new leader lost what it was built on
	case begins && d.IsUpkeep():
		return Invalid // upkeep of what was never counted
	case d.Previous == now.Previous:
		return Accepted
	case d.Digest != nil && d.Digest.Next <= now.At:
		return Stale // upkeep came first, which reads no record on
	}
	return Gap // it follows a delta that the log does not have
}

// watch adds what a delta of the stream says about decisions, and looks for a drift in it. scored
// says that its scores are of the list in force.
func (s *State) watch(e *Entry, scored bool) {
	d := e.Delta
	step := drift.Step{
		Place: drift.Place{Mark: drift.Mark{Offset: s.next, Time: e.Time}, Topic: d.Source.Topic,
			Partition: d.Source.Partition, End: d.End},
		Counts: d.Counts,
	}
	if scored {
		step.Period = drift.Period{Scored: d.Scores.Sums.Scored, Errors: d.Scores.Sums.Decided.Errors,
			Classes: d.Scores.Classes}
		s.decided.Add(d.Scores.Sums, d.Scores.Classes)
	}
	s.drift.Add(s.model, &step)
}

// isWindowed reports whether what is counted of a source is bounded by a window.
func (s *State) isWindowed() bool { return !s.Spec().Limits.Window.IsZero() }

// isRange reports whether a delta says what one can say of a range of records, and of no record if
// it is upkeep.
func (d *Delta) isRange() bool {
	if d.IsUpkeep() && (len(d.Skipped) > 0 || d.Lost > 0 || d.Ahead > 0 || d.Anchor != nil) {
		return false
	}
	return d.Start >= 0 && d.End >= d.Start && d.Lost >= 0 && d.mayScore()
}

// mayScore reports whether a delta can have its scores: each record is scored at most once. An
// import has its file's.
func (d *Delta) mayScore() bool {
	return d.Scores == nil || d.Scores.Sums.Scored <= d.End-d.Start || d.Source.IsImport()
}

// outcomeOf returns the outcome of what was built on another state: below 0 on an earlier one.
func outcomeOf(age int) Outcome {
	if age < 0 {
		return Stale
	}
	return Gap
}

// beginSource adds the source of its first delta, or begins its next generation: the ledger of the
// one before goes, because its texts are gone.
func (s *State) beginSource(d *Delta, src *source) *source {
	if src == nil {
		src = s.add(d.Source, Progress{})
	}
	src.Progress = Progress{Generation: d.Generation, Begin: d.Start, FromStart: d.FromStart, Anchor: NoAnchor,
		Path: src.Path}
	if src.ledger != nil {
		src.ledger.empty()
	}
	return src
}

// count adds what a delta says besides the counts.
func (src *source) count(d *Delta, teachers Teachers) {
	src.Watermark = d.End
	src.Skipped += int64(len(d.Skipped))
	src.Lost += d.Lost
	if d.Anchor != nil {
		src.Anchor = *d.Anchor
	}
	if !d.IsUpkeep() {
		src.Ahead = d.Ahead
	}
	for _, c := range d.Ledger {
		src.change(c, d.IsUpkeep(), teachers)
	}
}

// change makes one change of the ledger, after which documents may have left the window.
func (src *source) change(c LedgerChange, isUpkeep bool, teachers Teachers) {
	if c.Put != nil {
		src.Newest = max(src.Newest, c.Put.Time)
	}
	if c.Gone {
		src.Gone++
	}
	switch {
	case src.ledger == nil:
	case isUpkeep:
		src.ledger.takeOut(c)
	default:
		teachers.add(src.ledger, &c)
		src.ledger.apply(c, src.Newest)
	}
}

func (s *State) add(id Source, p Progress) *source {
	src := &source{Progress: p}
	if s.keepLedger {
		src.ledger = newLedger(&s.model.Spec().Limits)
	}
	s.sources[id] = src
	return src
}
