package modellog

import (
	"log/slog"
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

// attributes returns what a line says of a drift.
func attributes(a *drift.Alarm, m *model.Model) []any {
	classes, words := a.Names(m)
	return []any{
		slog.Int64("offset", a.Offset), slog.Time("time", time.UnixMilli(a.Time).UTC()), slog.String("topic", a.Topic),
		slog.Int("partition", int(a.Partition)),
		slog.Int64("end", a.End), slog.String("classes", strings.Join(classes, ", ")), slog.String("words",
			strings.Join(words, ", ")),
	}
}
