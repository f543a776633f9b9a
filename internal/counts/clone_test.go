package counts_test

import (
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

// A clone goes on as the table would have gone on, and the table stays as it was.
func TestCloneGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{0, 10}).Draw(t, "limit")
		tab := counts.NewTable(counts.Options{Limit: limit, TrackChanges: true, CountOfCounts: true})
		same := counts.NewTable(counts.Options{Limit: limit, CountOfCounts: true})
		apply := func(tab *counts.Table, changes []change) {
			for _, c := range changes {
				_ = tab.Add(bow.Hash([]byte(c.term)), []byte(c.term), c.class, c.n) // one below zero changes nothing
			}
		}
		changes := drawChanges(t)
		apply(tab, changes)
		apply(same, changes)
		before := dump(tab)
		clone := tab.Clone()
		changes = drawChanges(t)
		apply(clone, changes)
		apply(same, changes)
		if err := clone.Check(); err != nil {
			t.Fatal(err)
		}
		if got, want := dump(clone), dump(same); got != want || clone.Vocabulary() != same.Vocabulary() || clone.Frozen() != same.Frozen() {
			t.Fatalf("the clone is\n%swant\n%s", got, want)
		}
		for class := range 6 {
			if got, want := len(clone.CountOfCounts(class)), len(same.CountOfCounts(class)); got != want || clone.Digest(class) != same.Digest(class) {
				t.Fatalf("class %d has %d counts, want %d", class, got, want)
			}
		}
		if err := tab.Check(); err != nil || dump(tab) != before {
			t.Fatalf("%v: the table is\n%swant\n%s", err, dump(tab), before)
		}
	})
}
