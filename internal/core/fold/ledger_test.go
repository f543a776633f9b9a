package fold

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"bayestream/internal/core/spec"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// list is a ledger as one would write it down: documents by age, the oldest first.
type list struct {
	limit int
	rows  []LedgerChange
}

func (l *list) apply(c LedgerChange) {
	l.rows = slices.DeleteFunc(l.rows, func(r LedgerChange) bool { return r.ID == c.ID })
	if c.Put != nil {
		l.rows = append(l.rows, c)
	}
	if len(l.rows) > l.limit {
		l.rows = l.rows[1:]
	}
}

func limitOf(n int) *spec.Limits { return &spec.Limits{Ledger: n} }

func learned(n int64) *Learned {
	return &Learned{Label: fmt.Sprint("label", n%3), Weight: 1 + n, Topic: "training", Partition: 2, Offset: n, Sum: uint64(n) << 40}
}

func all(l *Ledger) []LedgerChange { return slices.Collect(l.All()) }

// A ledger holds what the list holds, in its order; its changes, applied to a copy, make the copy
// equal; restored from what it yields it goes on alike. Now and then it is emptied, and offsets
// begin again.
func TestLedgerEqualsList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 6).Draw(t, "limit")
		l, want := newLedger(limitOf(limit)), &list{limit: limit}
		stored := map[int64]LedgerChange{}
		offset := int64(-1)
		for range rapid.IntRange(0, 300).Draw(t, "changes") {
			offset++
			if rapid.IntRange(0, 29).Draw(t, "empty") == 0 {
				l.empty()
				want.rows = nil
				offset = 0
			}
			c := LedgerChange{Offset: offset, ID: fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "id"))}
			if rapid.IntRange(0, 3).Draw(t, "forget") > 0 {
				c.Put = learned(offset)
			}
			l.apply(c, 0)
			want.apply(c)
			if rapid.IntRange(0, 9).Draw(t, "checkpoint") == 0 {
				checkpoint(stored, l)
				mustHold(t, stored, l)
			}
			if rapid.IntRange(0, 19).Draw(t, "restart") == 0 {
				l = restored(t, limit, l)
			}
		}
		if diff := cmp.Diff(want.rows, all(l), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("ledger (-list +ledger):\n%s", diff)
		}
		for id := range 10 {
			id := fmt.Sprint(id)
			got, ok := l.Entry(id)
			i := slices.IndexFunc(want.rows, func(r LedgerChange) bool { return r.ID == id })
			if ok != (i >= 0) || ok && (got.Offset != want.rows[i].Offset || *got.Put != *want.rows[i].Put) || !ok && got != (LedgerChange{}) {
				t.Fatalf("Entry(%q) = %+v, %v; the list has it at %d of %+v", id, got, ok, i, want.rows)
			}
		}
		if l.Len() != len(want.rows) {
			t.Fatalf("Len() = %d, want %d", l.Len(), len(want.rows))
		}
	})
}

func checkpoint(stored map[int64]LedgerChange, l *Ledger) {
	seen := map[int64]bool{}
	for c := range l.Changes {
		if seen[c.Offset] {
			panic(fmt.Sprintf("offset %d is yielded twice", c.Offset))
		}
		seen[c.Offset] = true
		if c.Put == nil {
			delete(stored, c.Offset)
			continue
		}
		stored[c.Offset] = LedgerChange{Offset: c.Offset, ID: c.ID, Put: &Learned{}}
		*stored[c.Offset].Put = *c.Put
	}
	l.clearChanges()
}

func mustHold(t *rapid.T, stored map[int64]LedgerChange, l *Ledger) {
	rows := map[int64]LedgerChange{}
	for c := range l.All() {
		rows[c.Offset] = c
	}
	if diff := cmp.Diff(rows, stored); diff != "" {
		t.Fatalf("stored by changes (-ledger +stored):\n%s", diff)
	}
	for c := range l.Changes {
		t.Fatalf("a change is left after ClearChanges: %+v", c)
	}
}

// restored returns a ledger filled with what another yields; changes are not part of it, as a
// restart begins with a checkpoint.
func restored(t *rapid.T, limit int, l *Ledger) *Ledger {
	again := newLedger(limitOf(limit))
	for c := range l.All() {
		if !again.Restore(c) {
			t.Fatalf("Restore(%+v) = false, of %+v", c, all(l))
		}
	}
	for _, e := range again.from(again.first) {
		seq, _ := l.find(again.ids.get(e))
		e.flags |= l.entry(seq).flags & isReplacing
	}
	again.dropped = maps.Clone(l.dropped)
	for range l.from(l.added) {
		again.added--
	}
	return again
}

func TestLedgerRefusesWhatItNeverYields(t *testing.T) {
	put := learned(1)
	for name, rows := range map[string][]LedgerChange{
		"descending": {{Offset: 5, ID: "a", Put: put}, {Offset: 4, ID: "b", Put: put}},
		"same place": {{Offset: 5, ID: "a", Put: put}, {Offset: 5, ID: "b", Put: put}},
		"same id":    {{Offset: 5, ID: "a", Put: put}, {Offset: 6, ID: "a", Put: put}},
		"nothing":    {{Offset: 5, ID: "a", Put: put}, {Offset: 6, ID: "b"}},
	} {
		l := newLedger(limitOf(10))
		if !l.Restore(rows[0]) || l.Restore(rows[1]) {
			t.Errorf("%s: Restore took %+v", name, rows)
		}
	}
	if newLedger(limitOf(10)).Restore(LedgerChange{Offset: -1, ID: "a", Put: put}) {
		t.Error("Restore took what was learned before the first record")
	}
}

func TestLedgerReplaceMovesToNewest(t *testing.T) {
	l := newLedger(limitOf(2))
	for offset, id := range []string{"a", "b", "a", "c"} {
		l.apply(LedgerChange{Offset: int64(offset), ID: id, Put: learned(int64(offset))}, 0)
	}
	var got []string
	for c := range l.All() {
		got = append(got, fmt.Sprint(c.ID, "@", c.Offset))
	}
	if want := []string{"a@2", "c@3"}; !slices.Equal(got, want) {
		t.Errorf("ledger of 2 after a b a c: %v, want %v: the replaced a is newer than b", got, want)
	}
}

// A full ledger drops as many documents as it takes in; what it remembers of those must not grow.
func TestFullLedgerStaysSmall(t *testing.T) {
	const limit = 100
	l := newLedger(limitOf(limit))
	for offset := range int64(100 * limit) {
		put := learned(offset)
		put.By = fmt.Sprint(offset) // so that no two entries have as much alike as others
		l.apply(LedgerChange{Offset: offset, ID: fmt.Sprint(offset), Put: put}, 0)
		if len(l.ring) > 2*limit+64 || len(l.commons.all) > limit+1 || len(l.ids.blocks) > 2 {
			t.Fatalf("after %d documents a ledger of %d has %d places, %d names and %d blocks of ids", offset+1, limit,
				len(l.ring), len(l.commons.all), len(l.ids.blocks))
		}
	}
}

// One id that is replaced for ever is one entry, and what is gone does not pile up before it.
func TestReplacedLedgerStaysSmall(t *testing.T) {
	l := newLedger(limitOf(1000))
	for offset := range int64(5000) {
		l.apply(LedgerChange{Offset: offset, ID: "a", Put: learned(offset)}, 0)
		if l.Len() != 1 || len(l.ring) > 64 || len(l.ids.blocks) > 1 {
			t.Fatalf("after %d replacements the ledger has %d documents, %d places and %d blocks of ids", offset, l.Len(),
				len(l.ring), len(l.ids.blocks))
		}
	}
}

// What documents had in common goes with them, and so do the weights of a few.
func TestLedgerForgetsWhatDocumentsHadInCommon(t *testing.T) {
	const limit = 10_000
	l := newLedger(limitOf(limit))
	for offset := range int64(3 * limit) {
		put := &Learned{Label: "a", Weight: 1, Offset: offset}
		if offset < limit {
			put.By, put.Weight = fmt.Sprint(offset), offset
		}
		l.apply(LedgerChange{Offset: offset, ID: fmt.Sprint(offset), Put: put}, 0)
		if c, _ := l.Entry(fmt.Sprint(offset)); *c.Put != *put {
			t.Fatalf("entry %d is %+v, want %+v", offset, c.Put, put)
		}
	}
	if n := len(l.commons.all); n > limit/4 {
		t.Errorf("%d documents that are alike have %d things in common", l.Len(), n)
	}
}

// Blocks of ids that are freed are not reachable any more.
func TestFreedIDs(t *testing.T) {
	var x ids
	var e entry
	for range 5 {
		x.add(&e, strings.Repeat("x", 1<<16)) // a block each
	}
	all := x.blocks
	x.free(4)
	for i, block := range all[:4] {
		if block != nil {
			t.Errorf("block %d is kept", i)
		}
	}
}

func TestEntryOfUnknownIsNothing(t *testing.T) {
	l := newLedger(limitOf(10))
	l.apply(LedgerChange{Offset: 0, ID: "first", Put: learned(0)}, 0)
	if got, ok := l.Entry("other"); ok || got != (LedgerChange{}) {
		t.Errorf("Entry of an unknown id = %+v, %v, want nothing", got, ok)
	}
}

// TestEntrySize: a ledger has millions of entries, so that a field for a few documents belongs into
// what they have in common.
func TestEntrySize(t *testing.T) {
	if n := unsafe.Sizeof(entry{}); n > 40 {
		t.Errorf("an entry takes %d bytes, want at most 40", n)
	}
}
