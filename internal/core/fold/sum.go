package fold

import (
	"cmp"
	"slices"

	"bayestream/internal/core/race"
)

// Sum returns one delta of the ranges of all, which stay as they are. They are built on one log, era
// and spec, and each has other sources.
func Sum(deltas []*Delta) *Delta {
	sum := sumOf(deltas)
	slices.SortFunc(sum.Ranges, func(a, b Range) int { return a.Source.compare(b.Source) })
	return sum
}

func sumOf(deltas []*Delta) *Delta {
	if len(deltas) == 1 {
		return deltas[0]
	}
	half := len(deltas) / 2 // neighbours first, so that each term is copied log2(deltas) times
	return sumOf(deltas[:half]).plus(sumOf(deltas[half:]))
}

func (d *Delta) plus(o *Delta) *Delta {
	sum := *d
	sum.Ranges = slices.Concat(d.Ranges, o.Ranges)
	sum.Counts = d.Counts.Plus(o.Counts)
	sum.Scores = d.Scores.plus(o.Scores)
	return &sum
}

// plus returns the sum of the scores of two deltas, of which nil is none.
func (c *Scores) plus(o *Scores) *Scores {
	if c == nil || o == nil {
		return cmp.Or(c, o)
	}
	sum := &Scores{List: c.List, Sums: race.NewSums(len(c.Sums.By)), Classes: race.Tallies{}}
	for _, s := range []*Scores{c, o} {
		sum.Sums.Add(s.Sums)
		sum.Classes.Add(s.Classes)
	}
	return sum
}
