package console

import (
	"slices"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/wire"
)

// A span is the offsets of a partition from start to before end.
type span struct{ start, end int64 }

// counted are the offsets of training records that deltas in force have, by source and in order.
// What stands between two spans was rolled back.
type counted map[fold.Source][]span

// countedBy returns what a state has counted, as far as it says so: all that is before its
// watermarks.
func countedBy(s *fold.State) counted {
	c := counted{}
	for _, src := range s.Sources() {
		p, _ := s.Progress(src)
		c.add(src, 0, p.Watermark)
	}
	return c
}

// add adds a span behind those of a source. Those that touch are one.
func (c counted) add(src fold.Source, start, end int64) {
	spans := c[src]
	switch n := len(spans); {
	case start >= end:
	case n > 0 && spans[n-1].end >= start:
		spans[n-1].end = max(spans[n-1].end, end)
	default:
		c[src] = append(spans, span{start, end})
	}
}

// cut takes out what is not before a watermark: the source is another one of its name.
func (c counted) cut(src fold.Source, watermark int64) {
	c[src] = slices.DeleteFunc(c[src], func(s span) bool { return s.start >= watermark })
	if n := len(c[src]); n > 0 {
		c[src][n-1].end = min(c[src][n-1].end, watermark)
	}
}

// has reports whether a delta in force has an offset.
func (c counted) has(src fold.Source, offset int64) bool {
	return slices.ContainsFunc(c[src], func(s span) bool { return s.start <= offset && offset < s.end })
}

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
	reason, skipped := a.skipped[at]
	switch {
	case skipped:
		return "skipped", reason
	case at.Offset >= watermark:
		return "written", ""
	case a.counted.has(src, at.Offset):
		return "counted", ""
	}
	return "skipped", reasonRolledBack
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
	a.counted = countedBy(s)
	a.skipped = map[wire.Ref]string{}
	a.order = nil
	for _, x := range a.list {
		x.Outcome = "written"
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
		if x.Outcome == "written" {
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
	a.counted.cut(d.Source, d.Start)
	a.counted.add(d.Source, d.Start, d.End)
	for _, s := range d.Skipped {
		a.skip(wire.Ref{Topic: d.Source.Topic, Partition: int(d.Source.Partition), Offset: s.Offset}, s.Reason)
	}
	for _, x := range a.list {
		if x.Outcome != "written" || sourceOf(x.at) != d.Source || x.at.Offset < d.Start || x.at.Offset >= d.End {
			continue
		}
		if reason, skipped := a.skipped[x.at]; skipped {
			a.settle(x, "skipped", reason)
		} else {
			a.settle(x, "counted", "")
		}
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// skip remembers a record that was not counted. The lock is held.
func (a *corrections) skip(at wire.Ref, reason string) {
	if _, known := a.skipped[at]; !known {
		a.order = append(a.order, at)
	}
	a.skipped[at] = reason
	if len(a.order) > mostSkipped {
		delete(a.skipped, a.order[0])
		a.order = slices.Delete(a.order, 0, 1)
	}
}
