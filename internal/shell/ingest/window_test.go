package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/worker"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// timed is an event at a time. One that relabels has no words.
type timed struct {
	event
	relabels bool
	hour     int64 // of its record
}

const hour = 3_600_000

func drawTimed(t *rapid.T) timed {
	e := timed{event: drawEvent(t)}
	if e.id != "" && e.label != "" && rapid.IntRange(0, 4).Draw(t, "relabels") == 0 {
		e.relabels = true
	}
	return e
}

// record is that of event, with its time.
func (e timed) record(offset int64) (training, text *stream.Record) {
	training, text = e.event.record(offset)
	if e.relabels {
		training, text = at(offset, fmt.Sprintf(`{"id":%q,"label":%q,"weight":%d}`, e.id, e.label, e.weight)), nil
	}
	training.Time = time.UnixMilli(e.hour * hour)
	return training, text
}

// windowed is the recount of a window: a list of the documents that are in it, changed record by
// record. What it counts is counted from that list alone.
type windowed struct {
	window  spec.Window
	rows    []row
	newest  int64 // hour
	ahead   int64
	skipped []fold.Skipped
}

type row struct {
	timed
	text string // its words, which a relabel keeps
}

func (w *windowed) skip(offset int64, reason string) {
	w.skipped = append(w.skipped, fold.Skipped{Offset: offset, Reason: reason})
}

func (w *windowed) add(offset int64, e timed) {
	known := slices.IndexFunc(w.rows, func(r row) bool { return e.id != "" && r.id == e.id })
	forgets := e.label == "" && !e.relabels
	switch {
	case forgets && known < 0:
		w.skip(offset, wire.SkipUnknownID)
		return
	case !forgets && !e.relabels && e.words == "":
		w.skip(offset, string(wire.NotJSON))
		return
	case !forgets && w.isAhead(e):
		w.skip(offset, string(wire.AheadOfTime))
		return
	case e.relabels && known < 0:
		w.skip(offset, string(wire.UnknownID))
		return
	}
	now := row{e, e.words}
	if known >= 0 {
		if e.relabels {
			now.text = w.rows[known].text
		}
		w.rows = slices.Delete(w.rows, known, known+1)
	}
	if forgets {
		return
	}
	w.rows = append(w.rows, now)
	w.newest = max(w.newest, e.hour)
	if n := w.window.Records; n > 0 {
		w.rows = w.rows[max(0, int64(len(w.rows))-n):]
		return
	}
	w.rows = slices.DeleteFunc(w.rows, func(r row) bool { return r.hour*hour < w.newest*hour-w.window.Age.Milliseconds })
}

func (w *windowed) isAhead(e timed) bool {
	allowed := max(24, w.window.Age.Milliseconds/hour/2)
	if w.window.Records > 0 || w.newest == 0 || e.hour <= w.newest+allowed || w.ahead == mostAhead {
		w.ahead = 0
		return false
	}
	w.ahead++
	return true
}

func (w *windowed) says() string {
	counts := map[string]int64{}
	for _, r := range w.rows {
		counts["class "+r.label] += r.weight
		for _, word := range strings.Fields(r.text) {
			counts[word+" "+r.label] += r.weight
		}
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintln(&out, key, counts[key])
	}
	for _, r := range w.rows {
		fmt.Fprintln(&out, "ledger", r.id, r.label, r.weight)
	}
	fmt.Fprintln(&out, "skipped", w.skipped)
	return out.String()
}

// alone returns the digest of the counts of a model that has learned what is in the window, and
// nothing else.
func (w *windowed) alone(t *rapid.T, b *batch, s *spec.Spec) digest.Sum {
	c := &counted{state: storetest.Start(t, s, true)}
	b.begin(0, viewOf(c.state, b.source), &worker.Fetched{})
	for i, r := range w.rows {
		e := r.timed
		e.words, e.relabels, e.ref, e.hour = r.text, false, false, w.newest
		rec, _ := e.record(int64(i))
		apply(t, b, nil, rec)
	}
	if len(w.rows) > 0 {
		c.close(t, b, s)
	}
	counts, _ := c.state.Digests()
	return counts
}

// upkeep takes out what is owed, in deltas of at most n documents, at most times.
func (c *counted) upkeep(t *rapid.T, b *batch, s *spec.Spec, stored []*stream.Record, n, times int) {
	for ; times > 0 && c.state.Ledger(b.source) != nil && c.state.Ledger(b.source).OwedLen() > 0; times-- {
		p, _ := c.state.Progress(b.source)
		b.begin(p.Watermark, viewOf(c.state, b.source), &worker.Fetched{})
		for entry := range c.state.Ledger(b.source).Owed() {
			if len(b.changes) == n {
				break
			}
			read := texts{}
			for _, rec := range stored {
				read[place{rec.Topic, int32(rec.Partition), rec.Offset}] = rec
			}
			entry.Put = new(*entry.Put)
			if taken, gone := b.takeOut(&entry, read, nil); !taken || gone != nil {
				t.Fatalf("%+v cannot be taken out: %v", entry, gone)
			}
		}
		d := b.delta(s.Counting(), false)
		d.Digest = c.state.Digest()
		storetest.Fold(t, c.state, fold.Entry{Delta: d}, fold.Accepted)
		storetest.Fold(t, c.state, fold.Entry{Delta: d}, fold.Stale) // a worker that was thought dead appends it again
	}
}

// schedule says where deltas end, and what happens between two of them.
type schedule struct {
	cut      []bool
	upkeep   []int // deltas of it
	atOnce   int   // documents that one takes out
	restarts bool
}

// countWindow counts records by a schedule, and then takes out what is still owed.
func countWindow(t *rapid.T, b *batch, s *spec.Spec, records, stored []*stream.Record, how schedule) *counted {
	c := &counted{state: storetest.Start(t, s, true)}
	begin := func(offset int64) {
		b.begin(offset, viewOf(c.state, b.source), &worker.Fetched{})
	}
	begin(0)
	end := func(i int) {
		c.skipped = append(c.skipped, b.skipped...)
		d := b.delta(s.Counting(), b.start == 0)
		storetest.Fold(t, c.state, fold.Entry{Delta: d}, fold.Accepted)
		if how.restarts {
			c.state = again(t, c.state)
		}
		c.upkeep(t, b, s, stored, how.atOnce, how.upkeep[i])
		p, _ := c.state.Progress(b.source)
		begin(p.Watermark)
	}
	for i, rec := range records {
		if how.cut[i] && !b.isEmpty() {
			end(i)
		}
		apply(t, b, stored, rec)
	}
	end(len(records) - 1)
	c.upkeep(t, b, s, stored, how.atOnce, len(records))
	return c
}

// again returns the state as a restart finds it: its rows, in new tables and ledgers.
func again(t *rapid.T, s *fold.State) *fold.State {
	fresh := fold.Restore(s.Checkpoint())
	err := modellog.Chunks(s.Model(), fold.Source{}, func(d *fold.Delta) error { return fresh.Model().Apply(d.Counts) })
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, src := range s.Sources() {
		for c := range s.Ledger(src).All() {
			if !fresh.Ledger(src).Restore(c) {
				t.Fatalf("Restore(%+v) = false", c)
			}
		}
	}
	return fresh
}

// TestWindow counts random records in deltas of all sizes, with upkeep late or at once, in pieces,
// and restarts. Once nothing is owed, counts, digest and ledger are those of the records in the
// window alone, and what was skipped is what a recount skips that evicts record by record.
func TestWindow(t *testing.T) {
	for _, window := range []string{"{records: 1}", "{records: 3}", "{records: 1000}", "{age: 3h}", "{age: 20h}", "{age: 4d}"} {
		text := fmt.Sprintf("{text: {stem: false}, limits: {window: %s, ledger: 1}}", window)
		b := newBatch(t, text, mapView{})
		s := modeltest.Spec(t, text)
		rapid.Check(t, func(t *rapid.T) {
			events := rapid.SliceOfN(rapid.Custom(drawTimed), 1, 30).Draw(t, "events")
			recount := windowed{window: s.Limits.Window}
			var records, stored []*stream.Record
			now := int64(1000)
			for i := range events {
				now += rapid.SampledFrom([]int64{0, 0, 1, 1, 2, 12}).Draw(t, "hours")
				events[i].hour = now + rapid.SampledFrom([]int64{0, 0, 0, 0, -1, -30, 100}).Draw(t, "off")
				recount.add(int64(i), events[i])
				training, text := events[i].record(int64(i))
				records = append(records, training)
				stored = append(stored, training)
				if text != nil {
					stored = append(stored, text)
				}
			}
			want := recount.says()
			alone := recount.alone(t, b, s)
			var ledgers []digest.Sum
			for range 4 {
				how := schedule{
					cut:    rapid.SliceOfN(rapid.Bool(), len(events), len(events)).Draw(t, "cut"),
					upkeep: rapid.SliceOfN(rapid.IntRange(0, 3), len(events), len(events)).Draw(t, "upkeep"),
					atOnce: rapid.IntRange(1, 5).Draw(t, "at once"), restarts: rapid.Bool().Draw(t, "restarts"),
				}
				c := countWindow(t, b, s, records, stored, how)
				if diff := cmp.Diff(want, c.says(b.source)); diff != "" {
					t.Fatalf("window %s (-recount +model):\n%s", window, diff)
				}
				counts, ledger := c.state.Digests()
				if counts != alone {
					t.Fatalf("window %s: the digest is %d, that of a model that has learned the window alone %d", window, counts, alone)
				}
				ledgers = append(ledgers, ledger)
			}
			if len(slices.Compact(ledgers)) != 1 {
				t.Fatalf("window %s: ledgers with the digests %v", window, ledgers)
			}
		})
	}
}
