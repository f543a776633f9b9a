package counts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

// A clone and its table go on apart, each as a table of its own would.
func TestCloneGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{0, 10}).Draw(t, "limit")
		with := counts.Options{Limit: limit, TrackChanges: true, CountOfCounts: true}
		tab, own := counts.NewTable(with), counts.NewTable(with)
		with.TrackChanges = false
		other := counts.NewTable(with)
		apply := func(changes []change, tables ...*counts.Table) {
			for _, c := range changes {
				for _, tab := range tables {
					_ = tab.Add(bow.Hash([]byte(c.term)), []byte(c.term), c.class, c.n) // one below zero changes nothing
				}
			}
		}
		apply(drawRemovals(t), tab, own, other)
		clone := tab.Clone()
		for range 4 {
			apply(drawRemovals(t), tab, own)
			apply(drawRemovals(t), clone, other)
			same(t, "clone", clone, other)
			same(t, "table", tab, own)
			if got, want := changed(tab), changed(own); got != want {
				t.Fatalf("the rows that changed are %s, want %s", got, want)
			}
		}
	})
}

// drawRemovals draws changes of few terms with small counts, so that many of them leave a table and come again.
func drawRemovals(t *rapid.T) []change {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) change {
		return change{rapid.StringMatching(`[a-f]`).Draw(t, "term"), rapid.IntRange(0, 1).Draw(t, "class"), rapid.Int64Range(-1, 1).Draw(t, "n")}
	}), 0, 60).Draw(t, "removals")
}

// same fails if a table differs from another one, or is damaged.
func same(t *rapid.T, what string, got, want *counts.Table) {
	t.Helper()
	if err := got.Check(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if dump(got) != dump(want) || got.Vocabulary() != want.Vocabulary() || got.Frozen() != want.Frozen() {
		t.Fatalf("the %s is\n%swant\n%s", what, dump(got), dump(want))
	}
	for class := range 6 {
		if got, want := fmt.Sprint(got.CountOfCounts(class), got.Digest(class), got.Total(class)), fmt.Sprint(want.CountOfCounts(class), want.Digest(class), want.Total(class)); got != want {
			t.Fatalf("%s: class %d has %s, want %s", what, class, got, want)
		}
	}
}

// changed returns what a table says has changed.
func changed(tab *counts.Table) string {
	var all []string
	for term, c := range tab.Changes {
		all = append(all, fmt.Sprintf("%q %v", term, c))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
