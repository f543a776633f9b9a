package modellog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"bayestream/internal/core/drift"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
)

// history is what Follow knows of the drifts that the log held when its epoch began: they are of
// the past, whenever a replica reads them. The zero value says that nothing was read yet.
type history struct {
	begun bool
	told  bool  // that it is read
	end   int64 // offset of the first record that is news
	known int64 // drifts of the state that the epoch began with
}

// begin notes the end that the log had at the first fetch of the epoch.
func (h *history) begin(s *fold.State, end int64) {
	if h.begun {
		return
	}
	*h = history{begun: true, end: end}
	if d := s.Drift(); d != nil {
		h.known = d.Found
	}
}

// logDrifts logs a drift that the entry which was folded last has shown, and drifts of the past
// together, once they are read.
func (r *Replica) logDrifts(e *fold.Entry) {
	d := r.state.Drift()
	if d == nil {
		return
	}
	h := &r.history
	last := d.Last()
	if !h.told && e.Offset+1 >= h.end {
		h.told = true
		if d.Found > h.known {
			r.log.Warn("the stream has changed in the past: the model log that was read holds drifts",
				append(attributes(last, r.state.Model()),
					"drifts", d.Found-h.known, "before", h.end)...)
		}
	}
	if e.Delta != nil && last != nil && last.Offset == e.Offset && e.Offset >= h.end {
		r.log.Warn("the stream has changed: the model errs clearly more than before; look at what is labelled now, and "+
			"whether it is labelled right",
			append(attributes(last, r.state.Model()), "drifts", d.Found)...)
	}
}

func attributes(a *drift.Alarm, m *model.Model) []any {
	classes, words := a.Names(m)
	return []any{
		slog.Int64("offset", a.Offset), slog.Time("time", time.UnixMilli(a.Time).UTC()), slog.String("topic", a.Topic),
		slog.Int("partition", int(a.Partition)),
		slog.Int64("end", a.End), slog.String("classes", strings.Join(classes, ", ")), slog.String("words",
			strings.Join(words, ", ")),
	}
}

// digests are what the state had behind the last records that changed it. What the builder of
// a delta had counted is compared with them. The zero value knows nothing.
type digests struct {
	last []digestBehind // by position
}

// digestBehind is the digest of the state from a position on, until the next one of the list.
type digestBehind struct {
	fold.Digest
	ledgers []ledgerDigest // of the sources that the last record has changed
}

type ledgerDigest struct {
	source fold.Source
	digest uint64
}

// keptDigests is how many digests are kept: a builder is that many deltas behind at most when its
// delta is folded.
const keptDigests = 4096

// follow keeps the digest of a state that has just folded an entry.
func (k *digests) follow(s *fold.State, e *fold.Entry, outcome fold.Outcome) {
	switch outcome {
	case fold.Accepted:
		k.add(s, e.Delta.Ranges)
	case fold.Stale, fold.Gap, fold.Foreign, fold.Invalid, fold.Repeated:
	default: // other ledgers may have changed as well
		k.last = nil
		k.add(s, nil)
	}
}

// begin keeps the digest of a state that was not followed to where it is, unless a digest is
// kept.
func (k *digests) begin(s *fold.State) {
	if len(k.last) == 0 {
		k.add(s, nil)
	}
}

func (k *digests) add(s *fold.State, changed []fold.Range) {
	d := s.Digest()
	if d == nil {
		return
	}
	if len(k.last) >= 2*keptDigests {
		k.last = slices.Clone(k.last[keptDigests:])
	}
	var ledgers []ledgerDigest
	if s.KeepsLedger() {
		ledgers = make([]ledgerDigest, len(changed))
		for i := range changed {
			ledgers[i] = ledgerDigest{changed[i].Source, s.LedgerDigest(changed[i].Source)}
		}
	}
	k.last = append(k.last, digestBehind{*d, ledgers})
}

// differs reports whether a delta was built on other counts, or on other ledgers where these are kept,
// than the state had there. known is false where that cannot be told any more.
func (k *digests) differs(d *fold.Delta, ledgers bool) (differs, known bool) {
	before := func(b digestBehind, next int64) int { return int(b.Next - next) }
	end, _ := slices.BinarySearchFunc(k.last, d.Digest.Next+1, before)
	if end == 0 {
		return false, false
	}
	if k.last[end-1].Counts != d.Digest.Counts {
		return true, true
	}
	isOther := func(r fold.Range) bool {
		digest, kept := k.ledger(end, r.Source)
		return kept && digest != r.Digest
	}
	return ledgers && slices.ContainsFunc(d.Ranges, isOther), true
}

// ledger returns the digest of the ledger of a source behind the first end of the list, if it is
// kept.
func (k *digests) ledger(end int, src fold.Source) (digest uint64, kept bool) {
	for i := end - 1; i >= 0; i-- {
		for _, l := range k.last[i].ledgers {
			if l.source == src {
				return l.digest, true
			}
		}
	}
	return 0, false
}

// errDiffers says that the builder of a delta had counted something else than the state, which is
// rebuilt.
var errDiffers = errors.New("the state differs from that of the writer of a delta")

// suspicion decides what a difference leads to: the state is rebuilt once. If it differs again it
// is the writer that is wrong, and is reported.
type suspicion struct {
	offset int64 // of the delta that the state was last rebuilt for
	again  bool  // it was
	equal  int   // deltas after that one that agreed
}

// met reports whether the state is to be rebuilt for the delta at an offset.
func (s *suspicion) met(offset int64) (rebuild bool) {
	if s.again && (offset <= s.offset || s.equal < keptDigests) {
		return false
	}
	*s = suspicion{offset: offset, again: true}
	return true
}

func (s *suspicion) agreed(offset int64) {
	if offset > s.offset {
		s.equal++
	}
}

// checkDigest compares what the builder of an accepted delta had counted with what this replica
// had. The error is errDiffers if the state is to be rebuilt.
func (r *Replica) checkDigest(e *fold.Entry) error {
	d := e.Delta.Digest
	if d == nil || d.Next > e.Offset || r.voidsBehind(d.Next) {
		return nil
	}
	differs, known := r.digests.differs(e.Delta, r.state.KeepsLedger())
	switch {
	case !known:
		return nil
	case !differs:
		r.suspicion.agreed(e.Offset)
		return nil
	case r.suspicion.met(e.Offset):
		return fmt.Errorf("offset %d, built behind offset %d: %w", e.Offset, d.Next-1, errDiffers)
	}
	r.reportWriter(e.Offset)
	return nil
}

// voidsBehind reports whether a void that a builder at an offset of the log could not know takes
// out what it had counted.
func (r *Replica) voidsBehind(next int64) bool {
	return slices.ContainsFunc(r.state.Voids(), func(v fold.KnownVoid) bool { return v.At >= next && v.From < next })
}

// reportWriter says that the delta at an offset was built on something else than the log says.
func (r *Replica) reportWriter(offset int64) {
	r.log.Error("the writer of a delta had counted something else than the model log says: look for the ingest that "+
		"wrote it, and restart it without its model file",
		"offset", offset)
	if r.observe.Differed != nil {
		r.observe.Differed()
	}
}

// settleDifference rebuilds a state that differs from a writer's, if the log reaches back to
// its start.
func (r *Replica) settleDifference(ctx context.Context, reason error) {
	if start, _, err := r.broker.Offsets(ctx, r.topic, 0); err != nil || start > 0 {
		r.reportWriter(r.state.Next() - 1)
		return
	}
	r.rebuild(reason)
}
