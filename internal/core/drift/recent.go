package drift

import (
	"fmt"
	"maps"
	"slices"

	"bayestream/internal/counts"
)

const (
	// mostCounts is how many counts a Recent may have, and fewCounts how many it has at most when some
	// had to go.
	mostCounts = 8192
	fewCounts  = mostCounts / 2
	// longest is how many bytes a term has at most that is counted. Values may be as long as a text.
	longest = 128
)

// Recent is what was learned in a while, by class and term, in bounded memory: the summary of Misra
// and Gries (1982), to which deltas are added as Agarwal et al. (2012) merge two. A count is at
// most Missed below the true one, and never above it.
type Recent struct {
	Totals map[Of]int64  // of all terms, exact since Counts has a term of the class
	Counts map[Key]int64 // at most mostCounts
	Missed int64
}

// Of is a class in a table of Model.Tables, by its index.
type Of struct {
	Table int
	Class string
}

// Key is a term of a class.
type Key struct {
	Of
	Term string
}

func newRecent() Recent { return Recent{Totals: map[Of]int64{}, Counts: map[Key]int64{}} }

// add adds what a delta learns, by table and for its classes. What it takes out are documents of before.
func (r *Recent) add(tables []*counts.Terms, classes []string) {
	for i, t := range tables {
		r.addTerms(i, t, classes)
	}
	if len(r.Counts) > mostCounts || len(r.Totals) > mostCounts {
		r.shrink()
	}
}

func (r *Recent) addTerms(table int, t *counts.Terms, classes []string) {
	for i := range t.Len() {
		term := t.Term(i)
		begin, end := t.Range(i)
		for j := begin; j < end; j++ {
			if t.Count[j] < 0 {
				continue
			}
			of := Of{table, classes[t.Class[j]]}
			r.Totals[of] += t.Count[j]
			if len(term) <= longest {
				r.Counts[Key{of, string(term)}] += t.Count[j]
			}
		}
	}
}

// shrink takes as much from each count that the smaller ones are gone.
func (r *Recent) shrink() {
	all := slices.Sorted(maps.Values(r.Counts))
	var least int64
	if len(all) > fewCounts {
		least = all[len(all)-1-fewCounts]
	}
	kept := map[Of]bool{}
	for key, n := range r.Counts {
		if n <= least {
			delete(r.Counts, key)
			continue
		}
		r.Counts[key] = n - least
		kept[key.Of] = true
	}
	r.Missed += least
	for of := range r.Totals {
		if !kept[of] {
			delete(r.Totals, of)
		}
	}
}

func (r *Recent) rename(from, to string) {
	for key, n := range r.Counts {
		if key.Class == from {
			delete(r.Counts, key)
			key.Class = to
			r.Counts[key] += n
		}
	}
	for of, n := range r.Totals {
		if of.Class == from {
			delete(r.Totals, of)
			of.Class = to
			r.Totals[of] += n
		}
	}
}

// check returns an error if there can be no such summary.
func (r *Recent) check() error {
	sums := map[Of]int64{}
	for key, n := range r.Counts {
		if n <= 0 || n > r.Totals[key.Of]-sums[key.Of] || counts.CheckTerm([]byte(key.Term)) != nil {
			return fmt.Errorf("since the errors rise, a class of %d terms cannot have %d of %q", r.Totals[key.Of], n, key.Term)
		}
		sums[key.Of] += n
	}
	for of, n := range r.Totals {
		if n <= 0 || n > counts.MaxCount || of.Table < 0 || counts.CheckClass(of.Class) != nil {
			return fmt.Errorf("since the errors rise, class %q of table %d cannot have %d terms", of.Class, of.Table, n)
		}
	}
	if len(r.Counts) > mostCounts || len(r.Totals) > mostCounts || r.Missed < 0 {
		return fmt.Errorf("since the errors rise, %d counts of %d classes with %d missed are not kept", len(r.Counts),
			len(r.Totals), r.Missed)
	}
	return nil
}
