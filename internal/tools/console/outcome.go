package console

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
	"bayestream/internal/shell/wire"
)

// outcome returns what is known of a record of the training topic.
func (a *corrections) outcome(at wire.Ref) (outcome, reason string) {
	src := sourceOf(at)
	var watermark int64
	a.c.replica.Read(func(s *fold.State) {
		p, _ := s.Progress(src)
		watermark = p.Watermark
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	outcome, reason = a.outcomes.Of(at)
	switch {
	case outcome == httpapi.OutcomeSkipped:
	case at.Offset >= watermark:
		return httpapi.OutcomeWritten, ""
	case outcome == httpapi.OutcomeWritten:
		return httpapi.OutcomeSkipped, reasonRolledBack
	}
	return outcome, reason
}

// reasonRolledBack is why a record does not count that a delta had which is no longer in force.
const reasonRolledBack = "rolled_back"

func sourceOf(at wire.Ref) fold.Source {
	return fold.Source{Topic: at.Topic, Partition: int32(at.Partition)}
}

// restart notes that the replica goes on from another state. What each correction came to is found
// out again.
func (a *corrections) restart(s *fold.State) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes.Restart(s)
	for _, x := range a.list {
		x.Outcome = httpapi.OutcomeWritten
		x.Reason = ""
	}
}

// folded notes a record of the model log. Behind one that is a command corrections that were not
// counted may never be.
func (a *corrections) folded(o fold.Outcome) {
	if o != fold.Controlled {
		return
	}
	a.mu.Lock()
	var waiting []*correctionJSON
	for _, x := range a.list {
		if x.Outcome == httpapi.OutcomeWritten {
			waiting = append(waiting, x)
		}
	}
	a.mu.Unlock()
	for _, x := range waiting {
		a.refresh(x)
	}
}

// accepted notes a delta. The replica calls it under its lock.
func (a *corrections) accepted(d *fold.Delta) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes.Accepted(d)
	for _, x := range a.list {
		isInDelta := sourceOf(x.at) == d.Source && x.at.Offset >= d.Start && x.at.Offset < d.End
		if x.Outcome == httpapi.OutcomeWritten && isInDelta {
			outcome, reason := a.outcomes.Of(x.at)
			a.settle(x, outcome, reason)
		}
	}
}
