package fold_test

import (
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/storetest"
)

// command appends a control that is made for the state of the writer, which may be an old one.
func (wr *writer) command() {
	if wr.state.Model() == nil {
		return
	}
	c := &fold.Control{Log: wr.state.Log(), Era: wr.state.Era()}
	end := wr.state.Next()
	void := func(to int64) *fold.Void {
		from := 1 + int64(wr.rnd.IntN(int(to)-1))
		return &fold.Void{From: from, To: to, FirstCRC: wr.log[from].CRC, LastCRC: wr.log[to-1].CRC}
	}
	names := []string{"ham", "spam", "news", "another"}
	switch kind := wr.rnd.IntN(8); {
	case kind == 0:
		c.Reset = &fold.Reset{}
	case kind <= 2:
		c.Rename = &fold.Rename{From: names[wr.rnd.IntN(4)], To: names[wr.rnd.IntN(4)]}
	case end < 2:
		return
	case kind <= 5:
		c.Void = void(end)
		for _, src := range wr.state.Sources() {
			p, _ := wr.state.Progress(src)
			c.Void.Marks = append(c.Void.Marks, fold.Mark{Source: src, Progress: p})
		}
	default:
		c.Void = void(2 + int64(wr.rnd.IntN(int(end)-1)))
		c.Void.Recount = true
	}
	wr.append(wr.entry(codec.EncodeControl(c)))
}

// upkeep takes out what is owed, as the first delta of a chain. It reports whether there was any.
func (wr *writer) upkeep(src fold.Source, c *chain) bool {
	wr.build.Gone = func(offset int64) bool { return offset < wr.gone[src] }
	d := wr.build.Upkeep(wr.t, wr.state, src, wr.records[src])
	if d == nil {
		return false
	}
	e := wr.entry(codec.EncodeDelta(d))
	c.sent = append(c.sent, e)
	wr.append(e)
	return true
}

// owes reports whether a document that is owed can be taken out.
func (wr *writer) owes(src fold.Source) bool {
	l := wr.state.Ledger(src)
	if l == nil {
		return false
	}
	for c := range l.Owed() {
		if c.Put.Offset >= wr.gone[src] {
			return true
		}
	}
	return false
}

// reading is what somebody who reads the log and the training topic would count, with nothing of
// the fold but its outcomes.
type reading struct {
	*world
	recount *recount
	covered map[fold.Source]int64
	learned map[fold.Source]map[string]*storetest.Record
	owed    map[fold.Source]map[string]bool // forgotten in a void, and learned before it
}

func newReading(w *world) *reading {
	l := &reading{world: w, recount: newRecount(w.spec), covered: map[fold.Source]int64{}}
	l.learned = map[fold.Source]map[string]*storetest.Record{}
	l.owed = map[fold.Source]map[string]bool{}
	for _, src := range w.sources {
		l.learned[src] = map[string]*storetest.Record{}
		l.owed[src] = map[string]bool{}
	}
	return l
}

// delta counts the records of an accepted delta.
func (l *reading) delta(d *fold.Delta) {
	src := d.Ranges[0].Source
	if d.Ranges[0].Start != l.covered[src] {
		l.t.Fatalf("%v: an accepted delta starts at %d, counted so far: %d", src, d.Ranges[0].Start, l.covered[src])
	}
	l.recount.learned = l.learned[src]
	if d.IsUpkeep() {
		l.upkeep(d)
		return
	}
	skipped := map[int64]bool{}
	for _, s := range d.Ranges[0].Skipped {
		skipped[s.Offset] = true
	}
	for offset := d.Ranges[0].Start; offset < d.Ranges[0].End; offset++ {
		if !skipped[offset] {
			rec := l.records[src][offset] // a copy: a rename changes its label
			delete(l.owed[src], rec.ID)
			l.recount.record(&rec)
		}
	}
	l.covered[src] = d.Ranges[0].End
}

// upkeep takes out what an upkeep delta does, which must have been forgotten.
func (l *reading) upkeep(d *fold.Delta) {
	for _, c := range d.Ranges[0].Ledger {
		before := l.learned[d.Ranges[0].Source][c.ID]
		if before == nil {
			l.t.Fatalf("%v: upkeep takes out %q, which is not counted", d.Ranges[0].Source, c.ID)
		}
		l.recount.add(before, -1)
		delete(l.learned[d.Ranges[0].Source], c.ID)
		delete(l.owed[d.Ranges[0].Source], c.ID)
	}
}

// control does what a control in force says.
func (l *reading) control(c *fold.Control) {
	switch {
	case c.Reset != nil:
		*l = *newReading(l.world)
	case c.Rename != nil:
		l.recount.counts.Rename(c.Rename.From, c.Rename.To)
		for _, learned := range l.learned {
			for _, rec := range learned {
				if rec.Label == c.Rename.From {
					rec.Label = c.Rename.To
				}
				if rec.Ahead == c.Rename.From {
					rec.Ahead = c.Rename.To
				}
			}
		}
	case !c.Void.Recount:
		for _, m := range c.Void.Marks {
			for ; l.covered[m.Source] < m.Watermark; l.covered[m.Source]++ {
				rec := &l.records[m.Source][l.covered[m.Source]]
				if rec.Label == "" && l.learned[m.Source][rec.ID] != nil {
					l.owed[m.Source][rec.ID] = true
				}
			}
		}
	}
}

// TestZombiesWithControls is TestZombies with writers who also append controls, on whatever state
// they have: what was built before a control is never counted behind it, and all replicas are what
// the log says.
func TestZombiesWithControls(t *testing.T) {
	t.Parallel()
	eachLikelihood(t, func(t *testing.T, likelihood string) {
		upkeep := 0
		controls := func(w *world) { w.controls = true }
		n, total := runZombies(t, likelihood, schedules, controls, func(w *world, _ *fold.State) {
			for i := range w.log {
				if d := w.log[i].Delta; d != nil && d.IsUpkeep() {
					upkeep++
				}
			}
		})
		t.Logf("%d schedules: %v, %d upkeep deltas", n, total, upkeep)
		mustCome(t, n, total, fold.Accepted, fold.Stale, fold.Gap, fold.Controlled, fold.Voided)
		if upkeep == 0 && n == schedules {
			t.Error("nothing was ever owed")
		}
	})
}
