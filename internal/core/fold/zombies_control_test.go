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
	src := d.Source
	if d.Start != l.covered[src] {
		l.t.Fatalf("%v: an accepted delta starts at %d, counted so far: %d", src, d.Start, l.covered[src])
	}
	l.recount.learned = l.learned[src]
	if d.IsUpkeep() {
		l.upkeep(d)
		return
	}
	skipped := map[int64]bool{}
	for _, s := range d.Skipped {
		skipped[s.Offset] = true
	}
	for offset := d.Start; offset < d.End; offset++ {
		if !skipped[offset] {
			rec := l.records[src][offset] // a copy: a rename changes its label
			delete(l.owed[src], rec.ID)
			l.recount.record(&rec)
		}
	}
	l.covered[src] = d.End
}

// upkeep takes out what an upkeep delta does, which must have been forgotten.
func (l *reading) upkeep(d *fold.Delta) {
	for _, c := range d.Ledger {
		before := l.learned[d.Source][c.ID]
		if before == nil {
			l.t.Fatalf("%v: upkeep takes out %q, which is not counted", d.Source, c.ID)
		}
		l.recount.add(before, -1)
		delete(l.learned[d.Source], c.ID)
		delete(l.owed[d.Source], c.ID)
	}
}

// control does what a control in force says.
func (l *reading) control(c *fold.Control) {
	switch {
	case c.Reset != nil:
		*l = *newReading(l.world)
	case c.Rename != nil:
		l.recount.rename(c.Rename.From, c.Rename.To)
		for _, learned := range l.learned {
			for _, rec := range learned {
				if rec.Label == c.Rename.From {
					rec.Label = c.Rename.To
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

// rename moves what is counted for a class.
func (r *recount) rename(from, to string) {
	move(r.documents, from, to, func(a, b int64) int64 { return a + b })
	for _, table := range r.tables {
		for _, row := range table {
			move(row, from, to, func(a, b int64) int64 { return a + b })
		}
	}
	for _, block := range r.numbers {
		move(block, from, to, (*moments).plus)
	}
}

func move[T any](m map[string]T, from, to string, add func(a, b T) T) {
	moved, ok := m[from]
	if !ok {
		return
	}
	if have, ok := m[to]; ok {
		moved = add(have, moved)
	}
	m[to] = moved
	delete(m, from)
}

func (m *moments) plus(other *moments) *moments {
	for i, n := range other.n {
		m.n[i] += n
	}
	for i, s := range other.sum {
		m.sum[i].Add(m.sum[i], s)
	}
	for i, p := range other.products {
		m.products[i].Add(m.products[i], p)
	}
	return m
}

// TestZombiesWithControls is TestZombies with writers who also append controls, on whatever state
// they have: what was built before a control is never counted behind it, and all replicas are what
// the log says.
func TestZombiesWithControls(t *testing.T) {
	bothLikelihoods(t, func(t *testing.T, likelihood string) {
		t.Parallel()
		s := storetest.Spec(t, likelihood, 1000, 1000)
		n := schedules / 4
		if testing.Short() || raceEnabled {
			n /= 10
		}
		total := map[fold.Outcome]int{}
		upkeep := 0
		var seed uint64
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("the last seed was %d", seed)
			}
		})
		for ; seed < uint64(n); seed++ {
			w := newWorld(t, seed, s)
			w.controls = true
			for range 20 + w.rnd.IntN(80) {
				w.step()
			}
			w.finish()
			_, outcomes := w.check()
			for outcome, k := range outcomes {
				total[outcome] += k
			}
			for i := range w.log {
				if d := w.log[i].Delta; d != nil && d.IsUpkeep() {
					upkeep++
				}
			}
		}
		t.Logf("%d schedules: %v, %d upkeep deltas", n, total, upkeep)
		for _, o := range []fold.Outcome{fold.Accepted, fold.Stale, fold.Gap, fold.Controlled, fold.Voided} {
			if total[o] < n/20 {
				t.Errorf("%q came %d times in %d schedules: they do not test the rule", o, total[o], n)
			}
		}
		if upkeep == 0 && n == schedules/4 {
			t.Error("nothing was ever owed")
		}
	})
}
