package counts_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

// plain is a difference as plain as it can be: term, class, count.
type plain map[string]map[int]int64

func (p plain) add(term string, class int, n int64) {
	if p[term] == nil {
		p[term] = map[int]int64{}
	}
	p[term][class] += n
}

func (p plain) observe(class int, n int64, bag *bow.Bag, presence bool) {
	for i := range bag.Len() {
		x := n
		if !presence {
			x *= int64(bag.Count(i))
		}
		p.add(string(bag.Term(i)), class, x)
	}
}

// terms returns the canonical form; rank gives each class its index in the delta.
func (p plain) terms(rank []int) counts.Terms {
	var out counts.Terms
	for _, term := range slices.Sorted(maps.Keys(p)) {
		byRank := map[int]int64{}
		for class, n := range p[term] {
			if n != 0 {
				byRank[rank[class]] = n
			}
		}
		if len(byRank) == 0 {
			continue
		}
		for _, class := range slices.Sorted(maps.Keys(byRank)) {
			out.Class = append(out.Class, uint32(class))
			out.Count = append(out.Count, byRank[class])
		}
		out.Bytes = append(out.Bytes, term...)
		out.Ends = append(out.Ends, uint32(len(out.Bytes)))
		out.Cells = append(out.Cells, uint32(len(out.Class)))
	}
	return out
}

// A difference is the plain sum of its documents, whatever lexicons their bags have, and its size
// is within the bound.
func TestDifferenceIsPlainSum(t *testing.T) {
	lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon(), bow.NewLexicon()}
	var d counts.Difference
	rapid.Check(t, func(t *rapid.T) {
		d.Reset()
		want := plain{}
		classes := []int{0, 1, 2, 70} // the last has no bit of its own
		rank := make([]int, 71)
		for i, r := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "rank") {
			rank[classes[i]] = r
		}
		for range rapid.IntRange(0, 12).Draw(t, "documents") {
			var bag bow.Bag
			bag.Use(rapid.SampledFrom(lexicons).Draw(t, "lexicon"))
			for _, w := range rapid.SliceOfN(rapid.StringMatching(`(same-start-)?[a-e]`), 0, 10).Draw(t, "words") {
				bag.Add([]byte(w))
			}
			class, n := rapid.SampledFrom(classes).Draw(t, "class"), rapid.Int64Range(-2, 2).Draw(t, "n")
			presence := rapid.Bool().Draw(t, "presence")
			d.Observe(class, n, &bag, presence)
			want.observe(class, n, &bag, presence)
			one := rapid.SampledFrom(lexicons).Draw(t, "lexicon of one")
			term := rapid.StringMatching(`[a-g]`).Draw(t, "one")
			d.Add(class, n, one, one.Number([]byte(term)))
			want.add(term, class, n)
		}
		terms, bytes, cells := d.Size()
		got := d.Terms(rank)
		if want := want.terms(rank); got.Len() != want.Len() || got.Len() > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if err := got.Validate(4); err != nil {
			t.Fatal(err)
		}
		if got.Len() > terms || len(got.Bytes) > bytes || len(got.Class) > cells {
			t.Fatalf("%d terms of %d bytes, %d cells: bound to %d, %d, %d", got.Len(), len(got.Bytes), len(got.Class), terms, bytes, cells)
		}
	})
}

// So many documents that they are added up on the way: the bound of the size stays tight.
func TestDifferenceOfManyDocuments(t *testing.T) {
	for _, other := range []int{1, 100} { // a class with a bit of its own, and one without
		var d counts.Difference
		sum := plain{}
		lexicon := bow.NewLexicon()
		rng := rand.New(rand.NewPCG(1, 2))
		for range 60_000 {
			var bag bow.Bag
			bag.Use(lexicon)
			for range 5 {
				bag.Add(fmt.Appendf(nil, "word%d", rng.IntN(3000)))
			}
			class := rng.IntN(2) * other
			d.Observe(class, 2, &bag, true)
			sum.observe(class, 2, &bag, true)
		}
		rank := make([]int, other+1)
		rank[0] = 1
		want := sum.terms(rank)
		terms, bytes, cells := d.Size()
		most := len(want.Class)
		if other > 1 {
			most += 1 << 16
		}
		if terms != want.Len() || bytes != len(want.Bytes) || cells < len(want.Class) || cells > most {
			t.Errorf("classes 0 and %d: %d terms of %d bytes, %d cells: bound to %d, %d, %d", other,
				want.Len(), len(want.Bytes), len(want.Class), terms, bytes, cells)
		}
		if got := d.Terms(rank); !reflect.DeepEqual(got, want) {
			t.Errorf("%d terms and %d cells, want %d and %d", got.Len(), len(got.Class), want.Len(), len(want.Class))
		}
	}
}
