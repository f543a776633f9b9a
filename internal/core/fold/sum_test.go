package fold_test

import (
	"bytes"
	"slices"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/testing/storetest"

	"pgregory.net/rapid"
)

// readyDeltas returns two states that have counted the first record of some of n partitions, and a
// delta of each partition that counts its other records.
func readyDeltas(t storetest.Fataler, sp *spec.Spec, draw storetest.Chance, n int) (a, b *fold.State, deltas []*fold.Delta) {
	t.Helper()
	a, b = newState(t, sp), newState(t, sp)
	w := storetest.NewWriter(t, sp)
	records := make([][]storetest.Record, n)
	for i := range n {
		records[i] = storetest.Records(2+draw(8), draw)
		if draw(2) == 1 {
			first := w.Delta(t, a, partition(i), records[i], 0, 1)
			foldDelta(t, a, first)
			foldDelta(t, b, first)
		}
	}
	for i := range n {
		p, _ := a.Progress(partition(i))
		d := w.Delta(t, a, partition(i), records[i], p.Watermark, int64(len(records[i])))
		if sp.Race != nil {
			d.Scores = storetest.Scores(race.Of(sp), draw(len(records[i])-1), draw)
		}
		deltas = append(deltas, d)
	}
	return a, b, deltas
}

func partition(i int) fold.Source { return fold.Source{Topic: training.Topic, Partition: int32(i)} }

func encoded(t storetest.Fataler, d *fold.Delta) []byte {
	t.Helper()
	value, err := codec.EncodeDelta(d)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return value
}

// A sum counts what its parts count one after the other. Its bytes do not depend on their order.
func TestSumCountsItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := chance(t)
		sp := storetest.Spec(t, anyLikelihood(draw), 1000, 1000)
		if draw(2) == 1 {
			sp.Race = &spec.Race{Share: 32, Candidates: []spec.Candidate{{Likelihood: spec.Multinomial, Alpha: 0.1}, spec.Textbook}}
		}
		s, alone, parts := readyDeltas(t, sp, draw, 2+draw(4))
		want := encoded(t, fold.Sum(parts))
		sum := fold.Sum(rapid.Permutation(parts).Draw(t, "order"))
		if got := encoded(t, sum); !bytes.Equal(got, want) {
			t.Fatalf("the sum in another order has the bytes\n%x\nwant\n%x", got, want)
		}
		if got := foldDelta(t, s, sum); got != fold.Accepted {
			t.Fatalf("the sum: %q", got)
		}
		for _, d := range parts {
			if got := foldDelta(t, alone, d); got != fold.Accepted {
				t.Fatalf("a part alone: %q", got)
			}
			if got := foldDelta(t, s, d); got != fold.Stale {
				t.Fatalf("a part behind the sum: %q", got)
			}
		}
		if got, want := modeltest.Dump(s.Model()), modeltest.Dump(alone.Model()); got != want {
			t.Fatalf("the sum counts\n%s\nits parts count\n%s", got, want)
		}
		if s.Race().Sums().Scored != alone.Race().Sums().Scored {
			t.Fatalf("%d records are scored by the sum, %d by its parts", s.Race().Sums().Scored, alone.Race().Sums().Scored)
		}
		for _, d := range parts {
			src := d.Ranges[0].Source
			a, _ := s.Progress(src)
			b, _ := alone.Progress(src)
			a.Previous, a.At, a.Path = b.Previous, b.At, b.Path
			if a != b || s.LedgerDigest(src) != alone.LedgerDigest(src) {
				t.Fatalf("%v: %+v with the sum, %+v alone", src, a, b)
			}
		}
	})
}

// A sum counts as a whole or not at all: what one range spoils changes nothing, and the other one
// counts alone.
func TestSpoiltSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := chance(t)
		sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
		s, _, parts := readyDeltas(t, sp, draw, 3)
		counted, parts := parts[0], parts[1:]
		if got := foldDelta(t, s, counted); got != fold.Accepted {
			t.Fatalf("the first partition: %q", got)
		}
		before := contents(t, s)
		spoil := func(i int, change func(*fold.Range)) *fold.Delta {
			return copyOf(fold.Sum(parts), func(d *fold.Delta) { change(&d.Ranges[i]) })
		}
		at := draw(2)
		many := storetest.Scores(race.Of(sp), 1000, newRand(1).IntN)
		for name, c := range map[string]struct {
			want  fold.Outcome
			delta *fold.Delta
		}{
			"with one that is counted":  {fold.Stale, fold.Sum([]*fold.Delta{parts[0], counted, parts[1]})},
			"with one that comes later": {fold.Gap, spoil(at, func(r *fold.Range) { r.Generation += 2 })},
			"with one of other deltas":  {fold.Gap, spoil(at, func(r *fold.Range) { r.Previous ^= 1 })},
			"of one partition twice":    {fold.Invalid, fold.Sum([]*fold.Delta{parts[0], parts[0]})},
			"out of order":              {fold.Invalid, copyOf(fold.Sum(parts), func(d *fold.Delta) { slices.Reverse(d.Ranges) })},
			"with upkeep": {fold.Invalid, spoil(at, func(r *fold.Range) {
				*r = fold.Range{Source: r.Source, Start: r.Start, End: r.Start, Previous: r.Previous}
			})},
			"with a file":                 {fold.Invalid, spoil(0, func(r *fold.Range) { r.Source = fold.Import("00") })},
			"with an impossible range":    {fold.Invalid, spoil(at, func(r *fold.Range) { r.Lost = -1 })},
			"of an earlier era":           {fold.Gap, copyOf(fold.Sum(parts), func(d *fold.Delta) { d.Era++ })},
			"of more scores than records": {fold.Invalid, copyOf(fold.Sum(parts), func(d *fold.Delta) { d.Scores = many })},
		} {
			if got := foldDelta(t, s, c.delta); got != c.want {
				t.Fatalf("a sum %s: %q, want %q", name, got, c.want)
			}
			if after := contents(t, s); after != before {
				t.Fatalf("a sum %s changed the state from\n%s\nto\n%s", name, before, after)
			}
		}
		if got := foldDelta(t, s, parts[at]); got != fold.Accepted {
			t.Fatalf("alone: %q", got)
		}
	})
}
