package fold_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

// contents is the dump of a state without its position in the log, which every entry moves.
func contents(t storetest.Fataler, s *fold.State) string {
	t.Helper()
	_, rest, _ := strings.Cut(storetest.Dump(t, s), "\n")
	return rest
}

// copyOf returns the delta with a change to it.
func copyOf(d *fold.Delta, change func(*fold.Delta)) *fold.Delta {
	c := *d
	c.Ranges = slices.Clone(d.Ranges)
	counts := *d.Counts
	c.Counts = &counts
	change(&c)
	return &c
}

// Whatever is not accepted moves the position and nothing else.
func TestRefusedEntriesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := chance(t)
		sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
		records := append(storetest.Records(1+draw(10), draw), storetest.Document("", draw))
		s, first := learnAll(t, sp, records)
		end := first.Ranges[0].End
		more := append(records, storetest.Document("", draw))
		next := storetest.NewWriter(t, sp).Delta(t, s, training, more, end, end+1)
		never := storetest.Document("", draw)
		never.Label = "never learned"
		before := contents(t, s)
		for _, c := range []struct {
			name  string
			want  fold.Outcome
			entry fold.Entry
		}{
			{"a duplicate", fold.Stale, fold.Entry{Delta: first}},
			{"one that begins too early", fold.Stale, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Start-- })}},
			{"one that begins too late", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Start++; d.Ranges[0].End++ })}},
			{"another fingerprint", fold.Foreign, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Counting[5] ^= 1 })}},
			{"another log", fold.Foreign, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Log[15] ^= 1 })}},
			{"one of a later era", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Era++ })}},
			{"one of a later spec", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Spec++ })}},
			{"one of an earlier spec", fold.Stale, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Spec-- })}},
			{"one of another control", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.EraCRC ^= 1 })}},
			{"one of another spec", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.SpecCRC ^= 1 })}},
			{"one of a generation after the next", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Generation = 2 })}},
			{"the last of all generations", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Generation-- })}},
			{"a source that begins with its second generation", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Source.Partition, d.Ranges[0].Generation = 1, 1 })}},
			{"a source whose first delta is missing", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Source.Partition = 1 })}},
			{"one after a delta that the log does not have", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Previous ^= 1 })}},
			{"a source that begins after a delta", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Source.Partition, d.Ranges[0].Previous = 1, 1 })}},
			{"a generation that begins after another delta", fold.Gap, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Generation, d.Ranges[0].Previous = 1, d.Ranges[0].Previous^1 })}},
			{"a source that begins with upkeep", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Source.Partition, d.Ranges[0].End = 1, d.Ranges[0].Start })}},
			{"a generation that begins with upkeep", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Generation, d.Ranges[0].End = 1, d.Ranges[0].Start })}},
			{"upkeep that skips a record", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].End, d.Ranges[0].Skipped = d.Ranges[0].Start, []fold.Skipped{{}} })}},
			{"upkeep that lost a record", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].End, d.Ranges[0].Lost = d.Ranges[0].Start, 1 })}},
			{"upkeep that read a record", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].End, d.Ranges[0].Anchor = d.Ranges[0].Start, &fold.Anchor{} })}},
			{"fewer than no lost records", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Lost = -1 })}},
			{"a range that ends before it starts", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].End = d.Ranges[0].Start - 1 })}},
			{"a negative start", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Ranges[0].Source.Partition = 1; d.Ranges[0].Start = -1 })}},
			{"a delta of another shape", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Counts.Numbers = nil })}},
			{"what was never learned", fold.Invalid, fold.Entry{Delta: copyOf(next, func(d *fold.Delta) { d.Counts = taking(t, sp, never) })}},
			{"an unreadable record", fold.Invalid, fold.Entry{Unreadable: errors.New("broken")}},
			{"an unreadable record with what could be read", fold.Invalid, fold.Entry{Delta: next, Unreadable: errors.New("broken")}},
			{"nothing", fold.Invalid, fold.Entry{}},
			{"the same spec", fold.Repeated, fold.Entry{Spec: sp}},
			{"a spec that counts otherwise", fold.Foreign, fold.Entry{Spec: storetest.Spec(t, spec.Bernoulli, 1000, 1000)}},
		} {
			c.entry.Offset = s.Next()
			got, err := s.Fold(c.entry)
			if got != c.want || err != nil {
				t.Fatalf("%s: outcome %q, error %v, want %q", c.name, got, err, c.want)
			}
			if after := contents(t, s); after != before {
				t.Fatalf("%s changed the state from\n%s\nto\n%s", c.name, before, after)
			}
			if s.Anchor().Offset != s.Next()-1 {
				t.Fatalf("%s: anchor %+v, next %d: the position must move", c.name, s.Anchor(), s.Next())
			}
		}
		if got := foldDelta(t, s, next); got != fold.Accepted {
			t.Fatalf("the next delta after all that: %q", got)
		}
	})
}

// taking returns counts that take a document out.
func taking(t storetest.Fataler, s *spec.Spec, rec storetest.Record) *model.Delta {
	t.Helper()
	x, err := model.NewExtractor(s)
	if err != nil {
		t.Fatalf("extractor: %v", err)
	}
	var f model.Features
	in := rec.Input()
	x.Extract(&f, &in)
	b := model.NewBuilder(s)
	b.Observe(rec.Label, -rec.Weight, &f)
	return b.Delta()
}

func TestDeltaBeforeSpecIsForeign(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	_, d := learnAll(t, sp, storetest.Records(3, newRand(3).IntN))
	s := fold.New(true)
	if got := foldDelta(t, s, d); got != fold.Foreign || s.Model() != nil || len(s.Sources()) != 0 {
		t.Errorf("outcome %q, model %v, sources %v: want foreign and nothing", got, s.Model(), s.Sources())
	}
	if got, err := s.Fold(fold.Entry{Offset: 1, Spec: sp}); got != fold.Respecified || err != nil {
		t.Fatalf("the spec: %q, %v", got, err)
	}
	d.Spec = 1
	if got := foldDelta(t, s, d); got != fold.Accepted {
		t.Errorf("after the spec: %q, want accepted", got)
	}
}

func TestHoleStops(t *testing.T) {
	s := newState(t, storetest.Spec(t, spec.Multinomial, 1000, 1000))
	before := storetest.Dump(t, s)
	for _, offset := range []int64{-1, 0, 2, 7} {
		if _, err := s.Fold(fold.Entry{Offset: offset}); !errors.Is(err, fold.ErrHole) {
			t.Errorf("offset %d after 0: error %v, want ErrHole", offset, err)
		}
	}
	if after := storetest.Dump(t, s); after != before {
		t.Errorf("a hole changed the state from\n%s\nto\n%s", before, after)
	}
}

func TestSpecThatScoresOtherwiseKeepsCounts(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	s, _ := learnAll(t, sp, storetest.Records(12, newRand(2).IntN))
	before := modeltest.Dump(s.Model())
	again := modeltest.Spec(t, string(sp.YAML())+"\n")
	again.Text.Alpha = 0.25
	if got, _ := s.Fold(fold.Entry{Offset: s.Next(), Spec: again}); got != fold.Respecified {
		t.Fatalf("outcome %q, want respecified", got)
	}
	if s.Model().Spec().Text.Alpha != 0.25 || modeltest.Dump(s.Model()) != before {
		t.Errorf("alpha %v, counts\n%s\nwant 0.25 and\n%s", s.Model().Spec().Text.Alpha, modeltest.Dump(s.Model()), before)
	}
}

// The first delta of a source says where counting began.
func TestFirstDeltaSetsTheBeginning(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	records := storetest.Records(10, newRand(4).IntN)
	for _, c := range []struct {
		start     int64
		fromStart bool
	}{{0, true}, {4, false}, {4, true}} {
		s := newState(t, sp)
		d := storetest.NewWriter(t, sp).Delta(t, s, training, records, c.start, 9)
		d.Ranges[0].FromStart = c.fromStart
		d.Ranges[0].Lost = 3
		d.Ranges[0].Anchor = &fold.Anchor{Offset: 8, Epoch: 2, Checksum: 5, TopicID: [16]byte{1}}
		d.Ranges[0].Skipped = []fold.Skipped{{Offset: 5, Reason: "no_label"}}
		if got := foldDelta(t, s, d); got != fold.Accepted {
			t.Fatalf("outcome %q", got)
		}
		want := fold.Progress{
			Watermark: 9, Begin: c.start, FromStart: c.fromStart, Previous: sumOf(t, d), At: 1, Path: pathOf(1), Skipped: 1, Lost: 3, Anchor: *d.Ranges[0].Anchor,
		}
		if got, known := s.Progress(training); got != want || !known {
			t.Errorf("progress %+v, %v, want %+v", got, known, want)
		}
	}
}

// sumOf returns the sum of a delta in the log.
func sumOf(t *testing.T, d *fold.Delta) uint64 {
	t.Helper()
	value, err := codec.EncodeDelta(d)
	if err != nil {
		t.Fatal(err)
	}
	return codec.Sum(value)
}

// An upkeep delta changes counts and ledger and counts as one more, whatever comes twice; it does
// not read on.
func TestUpkeep(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	doc := storetest.Document("a", newRand(1).IntN)
	other := storetest.Document("b", newRand(2).IntN)
	s, first := learnAll(t, sp, []storetest.Record{doc, {ID: "nobody"}, other})
	p, _ := s.Progress(training)
	upkeep := &fold.Delta{
		Ranges:   []fold.Range{{Source: training, Previous: p.Previous, Start: 3, End: 3, Ledger: []fold.LedgerChange{{Offset: 0, ID: "a"}, {Offset: 1, ID: "b"}}}},
		Counting: sp.Counting(),
		Counts:   taking(t, sp, doc),
		Digest:   &fold.Digest{Next: s.Next()},
	}
	if got := foldDelta(t, s, upkeep); got != fold.Accepted {
		t.Fatalf("outcome %q, want accepted", got)
	}
	if p, _ := s.Progress(training); p.Watermark != 3 || p.Previous != sumOf(t, upkeep) || p.At != s.Next()-1 {
		t.Errorf("progress %+v, want the watermark 3 behind the upkeep", p)
	}
	alone, _ := learnAll(t, sp, []storetest.Record{other})
	if got, want := modeltest.Dump(s.Model()), modeltest.Dump(alone.Model()); got != want {
		t.Errorf("counts\n%s\nwant\n%s", got, want)
	}
	_, a := s.Ledger(training).Entry("a")
	_, b := s.Ledger(training).Entry("b")
	if a || !b {
		t.Errorf("the ledger has a: %v, b: %v; want b alone, which another record put in", a, b)
	}
	more := []storetest.Record{doc, {}, other, storetest.Document("c", newRand(3).IntN)}
	next := storetest.NewWriter(t, sp).Delta(t, s, training, more, 3, 4)
	unseen := copyOf(next, func(d *fold.Delta) {
		d.Ranges[0].Previous, d.Digest = upkeep.Ranges[0].Previous, &fold.Digest{Next: s.Next() - 1}
	})
	lost := copyOf(next, func(d *fold.Delta) {
		d.Ranges[0].Previous, d.Digest = upkeep.Ranges[0].Previous^1, &fold.Digest{Next: s.Next()}
	})
	for name, d := range map[string]*fold.Delta{
		"the upkeep again":            upkeep,
		"a delta from before":         first,
		"a delta that did not see it": unseen,
	} {
		if got := foldDelta(t, s, d); got != fold.Stale {
			t.Errorf("%s: outcome %q, want stale", name, got)
		}
	}
	if got := foldDelta(t, s, lost); got != fold.Gap {
		t.Errorf("a delta behind upkeep that the log does not have: outcome %q, want gap", got)
	}
	if got := foldDelta(t, s, next); got != fold.Accepted {
		t.Errorf("the next delta: outcome %q, want accepted", got)
	}
}

// A generation begins where its first delta does, with an empty ledger; the counts of the one
// before stay.
func TestGeneration(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	doc := storetest.Document("a", newRand(1).IntN)
	s, first := learnAll(t, sp, []storetest.Record{doc, doc, doc})
	before := s.Model().Classes().Total()
	w := storetest.NewWriter(t, sp)
	again := w.Delta(t, s, training, []storetest.Record{{}, storetest.Document("b", newRand(2).IntN)}, 1, 2)
	again.Ranges[0].Generation, again.Ranges[0].FromStart = 1, true
	if got := foldDelta(t, s, again); got != fold.Accepted {
		t.Fatalf("outcome %q, want accepted", got)
	}
	want := fold.Progress{Generation: 1, Watermark: 2, Begin: 1, FromStart: true, Previous: sumOf(t, again), At: 2, Path: pathOf(1, 2), Anchor: fold.NoAnchor}
	if got, _ := s.Progress(training); got != want {
		t.Errorf("progress %+v, want %+v", got, want)
	}
	if _, ok := s.Ledger(training).Entry("a"); ok || s.Ledger(training).Len() != 1 {
		t.Errorf("the ledger has %d documents, that of the generation before: %v; want b alone", s.Ledger(training).Len(), ok)
	}
	if now := s.Model().Classes().Total(); now <= before {
		t.Errorf("%d documents, before the generation %d: want more", now, before)
	}
	late := copyOf(first, func(d *fold.Delta) { d.Ranges[0].Start, d.Ranges[0].End, d.Ranges[0].Ledger = 3, 4, nil })
	for name, d := range map[string]*fold.Delta{"the first delta": first, "the next delta of the first generation": late} {
		if got := foldDelta(t, s, d); got != fold.Stale {
			t.Errorf("%s: outcome %q, want stale", name, got)
		}
	}
}

// Of more classes than the spec allows none is added, not even those that would fit.
func TestTooManyClassesAreRefused(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	sp.Limits.Classes = 2
	s := newState(t, sp)
	b := model.NewBuilder(sp)
	for _, label := range []string{"a", "b", "c"} {
		b.Observe(label, 1, &model.Features{Numbers: make([]model.Number, 4), Categories: make([]model.Category, 2)})
	}
	d := &fold.Delta{Ranges: []fold.Range{{Source: training, End: 3}},
		Counting: sp.Counting(),
		Counts:   b.Delta()}
	if got := foldDelta(t, s, d); got != fold.Invalid || len(s.Model().Classes().Live()) != 0 || len(s.Sources()) != 0 {
		t.Errorf("outcome %q, classes %v, sources %v: want invalid and nothing", got, s.Model().Classes().Live(), s.Sources())
	}
	var many *model.TooManyClassesError
	if err := s.Model().Apply(d.Counts); !errors.As(err, &many) || errors.Is(err, counts.ErrNegative) {
		t.Errorf("Apply: %v, want TooManyClassesError", err)
	}
}

// pathOf is FNV-1a of offsets.
func pathOf(offsets ...uint64) (path uint64) {
	for _, offset := range offsets {
		path = (path ^ offset) * 1099511628211
	}
	return path
}
