package counts_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"
)

// words returns n terms, about as long as words are, and their hashes, from the number from on.
func words(from, n int) (terms [][]byte, hashes []uint64) {
	for i := range n {
		term := strconv.AppendUint(nil, uint64(uint32(from+i)*2654435761), 36)
		terms, hashes = append(terms, term), append(hashes, bow.Hash(term))
	}
	return terms, hashes
}

// millions returns a table of so many terms in four classes, as a start loads it.
func millions(b *testing.B, terms [][]byte) *counts.Table {
	b.Helper()
	sorted := map[string][]counts.Cell{}
	row := []counts.Cell{counts.NewCell(0, 1), counts.NewCell(1, 2), counts.NewCell(2, 1), counts.NewCell(3, 9)}
	for _, term := range terms {
		sorted[string(term)] = row
	}
	tab := counts.NewTable(counts.Options{TrackChanges: true})
	if err := load(tab, sorted, false); err != nil {
		b.Fatal(err)
	}
	return tab
}

// BenchmarkLookup finds terms in an order that memory cannot guess, and looks for others that are
// not there.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		known, hashes := words(0, n)
		unknown, others := words(1<<30, n)
		tab := millions(b, known)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) {
			known[i], known[j] = known[j], known[i]
			hashes[i], hashes[j] = hashes[j], hashes[i]
		})
		for name, x := range map[string]struct {
			terms  [][]byte
			hashes []uint64
			found  bool
		}{"known": {known, hashes, true}, "unknown": {unknown, others, false}} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				i := 0
				for b.Loop() {
					if (tab.Lookup(x.hashes[i], x.terms[i]) >= 0) != x.found {
						b.Fatalf("%q: found is not %v", x.terms[i], x.found)
					}
					if i++; i == n {
						i = 0
					}
				}
			})
		}
	}
}

// BenchmarkAddNew adds a million terms to an empty table.
func BenchmarkAddNew(b *testing.B) {
	terms, hashes := words(0, 1_000_000)
	for b.Loop() {
		tab := counts.NewTable(counts.Options{TrackChanges: true})
		for i := range terms {
			if err := tab.Add(hashes[i], terms[i], i%4, 1); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*len(terms)), "ns/term")
}
