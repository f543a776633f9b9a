package worker

import (
	"context"
	"slices"
	"sync"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

// mostSkipped is how many records are remembered that deltas say were not counted.
const mostSkipped = 10_000

// Outcomes tell what became of records of the training topic, by the deltas that were accepted.
type Outcomes struct {
	mu      sync.Mutex
	counted map[fold.Source][]span   // that deltas have, in order
	skipped Newest[wire.Ref, string] // reasons
	changed chan struct{}            // closed by the next delta
}

// A span is the offsets of a partition from start to before end. What lies between two spans was
// rolled back.
type span struct{ start, end int64 }

// NewOutcomes returns those before the first delta.
func NewOutcomes() *Outcomes {
	return &Outcomes{counted: map[fold.Source][]span{}, skipped: Newest[wire.Ref, string]{Most: mostSkipped},
		changed: make(chan struct{})}
}

// Restart goes on behind a state, which has counted all that is before its watermarks.
func (o *Outcomes) Restart(s *fold.State) {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.counted)
	o.skipped = Newest[wire.Ref, string]{Most: mostSkipped}
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		o.counted[src] = []span{{0, p.Watermark}}
	}
}

// Accepted notes a delta.
func (o *Outcomes) Accepted(d *fold.Delta) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range d.Ranges {
		o.accepted(&d.Ranges[i])
	}
	close(o.changed)
	o.changed = make(chan struct{})
}

// accepted notes a range. What is behind its start was of another topic of the name. The lock is
// held.
func (o *Outcomes) accepted(r *fold.Range) {
	spans := slices.DeleteFunc(o.counted[r.Source], func(s span) bool { return s.start >= r.Start })
	if n := len(spans); n > 0 && spans[n-1].end >= r.Start {
		spans[n-1].end = r.End
	} else {
		spans = append(spans, span{r.Start, r.End})
	}
	o.counted[r.Source] = spans
	for _, s := range r.Skipped {
		o.skipped.Put(wire.Ref{Topic: r.Topic, Partition: int(r.Partition), Offset: s.Offset}, s.Reason)
	}
}

// Of returns the outcome of a record, with the reason of one that was skipped; OutcomeWritten of
// one that no delta has.
func (o *Outcomes) Of(at wire.Ref) (outcome, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if reason, skipped := o.skipped.Get(at); skipped {
		return httpapi.OutcomeSkipped, reason
	}
	src := fold.Source{Topic: at.Topic, Partition: int32(at.Partition)}
	if slices.ContainsFunc(o.counted[src], func(s span) bool { return s.start <= at.Offset && at.Offset < s.end }) {
		return httpapi.OutcomeCounted, ""
	}
	return httpapi.OutcomeWritten, ""
}

// Changed returns what the next delta closes.
func (o *Outcomes) Changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changed
}

// wait waits for the delta that has a record, but not longer than ctx.
func (o *Outcomes) wait(ctx context.Context, at wire.Ref) (outcome, reason string) {
	for {
		changed := o.Changed()
		outcome, reason = o.Of(at)
		if outcome != httpapi.OutcomeWritten {
			return outcome, reason
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return outcome, ""
		}
	}
}

// receipts are the outcomes that somebody waits for.
type receipts struct{ open sync.Map } // by *Outcomes

// begin opens a receipt, before the record is written. It must be closed.
func (r *receipts) begin() (o *Outcomes, end func()) {
	o = NewOutcomes()
	r.open.Store(o, nil)
	return o, func() { r.open.Delete(o) }
}

// note notes a delta that was accepted.
func (r *receipts) note(d *fold.Delta) {
	for o := range r.open.Range {
		o.(*Outcomes).Accepted(d)
	}
}
