package fold

import (
	"cmp"

	"bayestream/internal/core/drift"
)

// Find looks for what an entry counts, so that Fold takes less time. Others may read the state
// meanwhile.
func (s *State) Find(e *Entry) {
	if d := e.Delta; d != nil && s.model != nil && d.Counting == s.counting {
		d.Found = s.model.Find(d.Counts)
	}
}

// foldDelta adds a delta if it counts by the law in the documentation of the package.
func (s *State) foldDelta(e *Entry) Outcome {
	d := e.Delta
	if s.model == nil || d.Counting != s.counting || d.Log != s.log {
		return Foreign
	}
	if !d.isSum() || d.isImport() && s.isWindowed() {
		return Invalid
	}
	for i := range d.Ranges {
		if outcome := s.compare(d, &d.Ranges[i]); outcome != Accepted {
			return outcome
		}
	}
	if s.model.Add(d.Counts, d.Found) != nil {
		return Invalid
	}
	d.Found = nil
	s.unsettled = true
	for i := range d.Ranges {
		s.count(e, &d.Ranges[i])
	}
	scored := s.score(d.Scores)
	if !d.isImport() && !d.IsUpkeep() { // a file is no part of the stream, and upkeep is of records before
		s.watch(e, scored)
	}
	return Accepted
}

// pathBehind returns the path behind one more delta (FNV-1a, of whole offsets).
func pathBehind(path uint64, offset int64) uint64 { return (path ^ uint64(offset)) * 1099511628211 }

// begins reports whether a range is the first one of its source, or of the generation after the one
// that was counted. Its start is taken as it is. src is nil for a source that was never counted.
func (r *Range) begins(src *source) bool {
	if src == nil {
		return r.Generation == 0
	}
	return r.Generation > 0 && r.Generation-1 == src.Generation
}

// compare compares what a range of a delta was built on with the state.
func (s *State) compare(d *Delta, r *Range) Outcome {
	var now Progress
	src := s.sources[r.Source]
	if src != nil {
		now = src.Progress
	}
	begins := r.begins(src)
	if begins {
		now.Generation = r.Generation
		now.Watermark = r.Start
	}
	age := cmp.Or(
		cmp.Compare(d.Era, s.era),
		cmp.Compare(d.Spec, s.spec),
		cmp.Compare(r.Generation, now.Generation),
		cmp.Compare(r.Start, now.Watermark),
	)
	switch {
	case age != 0:
		return outcomeOf(age)
	case d.EraCRC != s.eraCRC, d.SpecCRC != s.specCRC:
		return Gap // a new leader lost what it was built on
	case begins && r.IsUpkeep():
		return Invalid // upkeep of what was never counted
	case r.Previous == now.Previous:
		return Accepted
	case d.Digest != nil && d.Digest.Next <= now.At:
		return Stale // upkeep came first, which reads no record on
	}
	return Gap // it follows a delta that the log does not have
}

// watch adds what a delta of the stream says about decisions, and looks for a drift in it, the place
// of which is the first range. scored says that its scores are of the list in force.
func (s *State) watch(e *Entry, scored bool) {
	d := e.Delta
	first := &d.Ranges[0]
	step := drift.Step{
		Place: drift.Place{Mark: drift.Mark{Offset: s.next, Time: e.Time}, Topic: first.Topic, Partition: first.Partition,
			End: first.End},
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

// isSum reports whether a delta says what one can say of ranges of records: each of another source.
// Upkeep and a file stand alone.
func (d *Delta) isSum() bool {
	records := int64(0)
	for i := range d.Ranges {
		r := &d.Ranges[i]
		isInOrder := i == 0 || d.Ranges[i-1].Source.compare(r.Source) < 0
		if !isInOrder || !r.isRange() || len(d.Ranges) > 1 && (r.IsUpkeep() || r.IsImport()) {
			return false
		}
		records += r.End - r.Start
	}
	return len(d.Ranges) > 0 && (d.Scores == nil || d.Scores.Sums.Scored <= records || d.isImport())
}

// isRange reports whether a range says what one can say of records, and of no record if it is
// upkeep.
func (r *Range) isRange() bool {
	if r.IsUpkeep() && (len(r.Skipped) > 0 || r.Lost > 0 || r.Ahead > 0 || r.Anchor != nil) {
		return false
	}
	return r.Start >= 0 && r.End >= r.Start && r.Lost >= 0
}

// isImport reports whether a delta is of a file: its scores are those that the file has.
func (d *Delta) isImport() bool { return d.Ranges[0].IsImport() }

// outcomeOf returns the outcome of what was built on another state: below 0 on an earlier one.
func outcomeOf(age int) Outcome {
	if age < 0 {
		return Stale
	}
	return Gap
}

// count adds what an accepted delta says of a range besides the counts.
func (s *State) count(e *Entry, r *Range) {
	src := s.sources[r.Source]
	if r.begins(src) {
		src = s.beginSource(r, src)
	}
	src.Watermark = r.End
	src.Skipped += int64(len(r.Skipped))
	src.Lost += r.Lost
	if r.Anchor != nil {
		src.Anchor = *r.Anchor
	}
	if !r.IsUpkeep() {
		src.Ahead = r.Ahead
	}
	for _, c := range r.Ledger {
		src.change(c, r.IsUpkeep(), s.teachers)
	}
	src.Previous = e.Sum
	src.At = e.Offset
	src.Path = pathBehind(src.Path, e.Offset)
}

// beginSource adds the source of its first range, or begins its next generation: the ledger of the
// one before goes, because its texts are gone.
func (s *State) beginSource(r *Range, src *source) *source {
	if src == nil {
		src = s.add(r.Source, Progress{})
	}
	src.Progress = Progress{Generation: r.Generation, Begin: r.Start, FromStart: r.FromStart, Anchor: NoAnchor,
		Path: src.Path}
	if src.ledger != nil {
		src.ledger.empty()
	}
	return src
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
