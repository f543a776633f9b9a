package fold_test

import (
	"maps"
	"slices"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

// history is a log whose deltas one writer appends, and what it was made from.
type history struct {
	*scribe
	records []storetest.Record
}

func newHistory(t *rapid.T) *history {
	draw := chance(t)
	sp := storetest.Spec(t, anyLikelihood(draw), 1000, 1000)
	h := &history{scribe: &scribe{
		t: t, spec: sp, draw: draw, log: &storetest.Log{}, state: fold.New(true), build: storetest.NewWriter(t, sp),
	}}
	h.append(codec.EncodeSpec(sp, fold.LogID{7}))
	h.records = storetest.Records(5+draw(25), draw)
	return h
}

// watermark returns how many records were counted.
func (h *history) watermark() int64 {
	p, _ := h.state.Progress(training)
	return p.Watermark
}

// learn counts the records up to an end, in deltas of random length, after what is owed was taken
// out.
func (h *history) learn(end int64) {
	h.t.Helper()
	h.payOff()
	for start := h.watermark(); start < end; start = h.watermark() {
		stop := min(start+1+int64(h.draw(6)), end)
		h.append(codec.EncodeDelta(h.build.Delta(h.t, h.state, training, h.records, start, stop)))
		if h.watermark() != stop {
			h.t.Fatalf("the delta of the records %d to %d was not counted", start, stop)
		}
	}
}

// payOff takes out what is owed.
func (h *history) payOff() {
	h.t.Helper()
	if d := h.build.Upkeep(h.t, h.state, training, h.records); d != nil {
		h.append(codec.EncodeDelta(d))
	}
	if l := h.state.Ledger(training); l != nil && l.OwedLen() > 0 {
		h.t.Fatalf("%d documents are owed after upkeep", l.OwedLen())
	}
}

// command appends a control, which must be in force.
func (h *history) command(build modellog.Build) {
	h.t.Helper()
	if _, err := modellog.Command(h.t.Context(), h.log, "log", h.state, build); err != nil {
		h.t.Fatalf("command: %v", err)
	}
}

// void takes a record out of the log, with recount.
func (h *history) void(offset int64) {
	h.t.Helper()
	if _, err := modellog.VoidRecords(h.t.Context(), h.log, "log", offset, offset+1, "test"); err != nil {
		h.t.Fatalf("void: %v", err)
	}
	follow(h.t, h.state, h.log)
}

// mustBe compares the counts with those of records that were counted one after the other, and every
// replica with the one that saw all happen.
func (h *history) mustBe(records []storetest.Record) {
	h.t.Helper()
	r := newRecount(h.spec)
	r.partition(records, nil)
	r.mustEqual(h.t, h.state.Model())
	modeltest.CheckTables(h.t, h.state.Model())
	h.mustAgree()
}

// mustAgree compares the replicas that read the log from its start, with and without ledgers, with
// the one that saw all happen.
func (h *history) mustAgree() {
	h.t.Helper()
	fresh, classify := fold.New(true), fold.New(false)
	follow(h.t, fresh, h.log)
	follow(h.t, classify, h.log)
	if got, want := storetest.Dump(h.t, fresh), storetest.Dump(h.t, h.state); got != want {
		h.t.Fatalf("from the start:\n%s\nlive:\n%s", got, want)
	}
	if got, want := storetest.Counts(h.t, classify), storetest.Counts(h.t, h.state); got != want {
		h.t.Fatalf("without ledgers:\n%s\nwith them:\n%s", got, want)
	}
}

// forgets returns the records that forget.
func forgets(records []storetest.Record) (out []storetest.Record) {
	for _, r := range records {
		if r.Label == "" {
			out = append(out, r)
		}
	}
	return out
}

// Behind a rollback the counts are those of the offset that it goes back to, the watermarks those
// of before it, and forgets that it takes out are in force all the same, once what is owed was
// taken out.
func TestRollback(t *testing.T) {
	owed := 0
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		kept := int64(1 + h.draw(len(h.records)-2))
		h.learn(kept)
		for c := range h.state.Ledger(training).All() { // forget something behind it
			h.records[kept] = storetest.Record{ID: c.ID, Weight: 1}
		}
		to := h.state.Next()
		was := modeltest.Dump(h.state.Model())
		end := kept + 1 + int64(h.draw(len(h.records)-int(kept)-1))
		h.learn(end)
		before, _ := h.state.Progress(training)
		h.command(modellog.Rollback(to, "test"))
		if now := modeltest.Dump(h.state.Model()); now != was {
			t.Fatalf("after a rollback to offset %d:\n%s\nat that offset:\n%s", to, now, was)
		}
		if now, _ := h.state.Progress(training); now != before {
			t.Fatalf("progress %+v, before the rollback %+v", now, before)
		}
		h.mustAgree()
		owed += h.state.Ledger(training).OwedLen()
		left := append(h.records[:kept:kept], forgets(h.records[kept:end])...)
		h.payOff()
		h.mustBe(left)
		h.learn(int64(len(h.records)))
		h.mustBe(append(left, h.records[end:]...))
	})
	if owed == 0 {
		t.Error("no forget was ever owed: the test tests half of it")
	}
}

// A rollback that takes out a reset, behind which another topic of the name was counted, leaves no
// ledger: its texts are gone with their topic, and the offsets in it are those of other texts now.
func TestRollbackOverAnotherTopic(t *testing.T) {
	emptied := 0
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		count := func(topic byte, end int64) {
			d := h.build.Delta(t, h.state, training, h.records, h.watermark(), end)
			d.Ranges[0].Anchor = &fold.Anchor{Offset: end - 1, TopicID: [16]byte{topic}}
			h.append(codec.EncodeDelta(d))
		}
		before := int64(1 + h.draw(len(h.records)))
		count(1, before)
		to := h.state.Next()
		was := modeltest.Dump(h.state.Model())
		documents := h.state.Ledger(training).Len()
		h.command(modellog.Reset("test"))
		after := int64(1 + h.draw(len(h.records))) // before or behind where the first topic stands
		count(2, after)
		h.command(modellog.Rollback(to, "test"))
		if now := modeltest.Dump(h.state.Model()); now != was {
			t.Fatalf("after a rollback to offset %d:\n%s\nat that offset:\n%s", to, now, was)
		}
		if now, _ := h.state.Progress(training); now.Watermark != after || now.Anchor.TopicID != [16]byte{2} || h.state.Ledger(training).Len() > 0 {
			t.Fatalf("progress %+v and %d documents in the ledger; want that of the second topic, up to offset %d, and none", now, h.state.Ledger(training).Len(), after)
		}
		h.mustAgree()
		emptied += documents
	})
	if emptied == 0 {
		t.Error("no ledger had a document")
	}
}

// Of a delta that a void with recount takes out, and of all that came behind it, nothing is left,
// and when its records are counted again the counts are as if it had never been.
func TestRecountVoid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.learn(int64(len(h.records)) / 2)
		from := 1 + int64(h.draw(len(h.log.Records)-1))
		to := min(from+1+int64(h.draw(2)), h.state.Next())
		if h.draw(2) == 0 {
			h.learn(int64(len(h.records)))
		}
		if _, err := modellog.VoidRecords(t.Context(), h.log, "log", from, to, "test"); err != nil {
			t.Fatal(err)
		}
		follow(h.t, h.state, h.log)
		if !h.state.Ignores(from) {
			t.Fatalf("offset %d is not void", from)
		}
		h.mustBe(h.records[:h.watermark()])
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}

// Behind a rename that a void with recount takes out no delta counts that was built under it, also
// if the control of another void stands between them: it would take documents out of the class of
// the other name.
func TestRecountVoidOfRename(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		kept := int64(1 + h.draw(len(h.records)-2))
		h.learn(kept)
		labels := map[string]bool{}
		for c := range h.state.Ledger(training).All() { // forget the newest behind it
			labels[c.Put.Label] = true
			h.records[kept] = storetest.Record{ID: c.ID, Weight: 1}
		}
		if len(labels) < 2 {
			t.Skip("one class has no other one")
		}
		last, _ := h.state.Ledger(training).Entry(h.records[kept].ID)
		from := last.Put.Label
		delete(labels, from)
		to := slices.Min(slices.Collect(maps.Keys(labels)))
		renamed := h.state.Next()
		h.command(modellog.Rename(from, to, "test"))
		h.append(codec.EncodeSpec(h.spec, fold.LogID{7}))
		h.void(renamed + 1)
		h.learn(int64(len(h.records)))
		h.void(renamed)
		h.mustBe(h.records[:h.watermark()])
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}

// A void with recount of what a rollback was made behind undoes the rollback: else the deltas after
// that would take out what is not counted any more.
func TestRecountVoidBeforeRollback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.learn(1)
		h.learn(2 + int64(h.draw(len(h.records)-2)))
		h.command(modellog.Rollback(2+int64(h.draw(int(h.state.Next())-2)), "test"))
		h.learn(int64(len(h.records)))
		h.void(1)
		h.mustBe(nil)
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}

// The same where two workers have appended the same delta, one before the rollback and one that it
// takes out: that one counts behind the void.
func TestRecountVoidOfATwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		twin, err := codec.EncodeDelta(h.build.Delta(t, h.state, training, h.records, 0, 1))
		h.append(twin, err)
		h.append(twin, nil)
		h.learn(1 + int64(h.draw(len(h.records)-1)))
		h.command(modellog.Rollback(2, "test"))
		h.void(1)
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}

// The same where the rollback takes out a reset, behind which all was counted again: what the void
// takes out was not counted when the rollback was made, and would be behind it.
func TestRecountVoidBeforeRollbackOfReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.learn(1)
		h.learn(2 + int64(h.draw(len(h.records)-2)))
		kept := h.state.Next()
		h.command(modellog.Reset("test"))
		again := int64(h.draw(len(h.records)))
		h.learn(again)
		h.command(modellog.Rollback(kept, "test"))
		h.learn(int64(len(h.records)))
		h.void(1)
		if got := h.watermark(); got != again {
			t.Fatalf("the source is counted up to offset %d, want %d, as before the rollback", got, again)
		}
		h.mustBe(h.records[:again])
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}

// A void with recount of a record that a rollback has taken out leaves the rollback in force, also
// behind an earlier void.
func TestRecountVoidWithinRollback(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.learn(2)
		h.void(1)
		kept := h.state.Next()
		h.learn(int64(len(h.records)))
		within := kept + int64(h.draw(int(h.state.Next()-kept)))
		h.command(modellog.Rollback(kept, "test"))
		h.void(within)
		if got := h.watermark(); got != int64(len(h.records)) {
			t.Fatalf("the records from offset %d on are counted again, which were rolled back", got)
		}
		h.mustBe(nil)
	})
}

// A rename is the same as if all documents before it had been learned under the new name.
func TestRename(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		known := int64(1 + h.draw(len(h.records)-1))
		h.learn(known)
		classes := h.state.Model().Classes()
		if len(classes.Live()) == 0 {
			return
		}
		from := classes.Name(classes.Live()[h.draw(len(classes.Live()))])
		to := []string{"ham", "spam", "another"}[h.draw(3)]
		if from == to {
			return
		}
		h.command(modellog.Rename(from, to, "test"))
		for i := range h.records[:known] {
			if h.records[i].Label == from {
				h.records[i].Label = to
			}
			if h.records[i].Ahead == from {
				h.records[i].Ahead = to
			}
		}
		h.mustBe(h.records[:known])
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}

// A reset leaves the spec alone, and all is counted again.
func TestReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		h.learn(int64(h.draw(len(h.records))))
		h.command(modellog.Reset("test"))
		mustBeNew(t, h.state.Model())
		if _, known := h.state.Progress(training); known {
			t.Fatal("the source is still known")
		}
		h.learn(int64(len(h.records)))
		h.mustBe(h.records)
	})
}
