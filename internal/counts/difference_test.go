package counts_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

// A difference is what a signed table of the same documents holds, whatever lexicons their bags have, and its
// size is within the bound.
func TestDifferenceEqualsTable(t *testing.T) {
	lexicons := []*bow.Lexicon{bow.NewLexicon(), bow.NewLexicon(), bow.NewLexicon()}
	var d counts.Difference
	rapid.Check(t, func(t *rapid.T) {
		d.Clear()
		table := counts.NewTable(counts.Options{Signed: true})
		rank := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "rank")
		for range rapid.IntRange(0, 12).Draw(t, "documents") {
			var bag bow.Bag
			bag.Use(rapid.SampledFrom(lexicons).Draw(t, "lexicon"))
			for _, w := range rapid.SliceOfN(rapid.StringMatching(`(same-start-)?[a-e]`), 0, 10).Draw(t, "words") {
				bag.Add([]byte(w))
			}
			class, n := rapid.IntRange(0, 3).Draw(t, "class"), rapid.Int64Range(-2, 2).Draw(t, "n")
			presence := rapid.Bool().Draw(t, "presence")
			d.Observe(class, n, &bag, presence)
			for i := range bag.Len() {
				x := n
				if !presence {
					x *= int64(bag.Count(i))
				}
				if err := table.Add(bag.Hash(i), bag.Term(i), class, x); err != nil {
					t.Fatal(err)
				}
			}
		}
		bound := d.Size()
		got, want := d.Flatten(rank), table.Flatten(rank)
		if got.Len() != want.Len() || got.Len() > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if err := got.Validate(4); err != nil {
			t.Fatal(err)
		}
		if size := len(got.Bytes) + 8*got.Len() + 11*len(got.Class); size > bound {
			t.Fatalf("%d bytes, bound to %d", size, bound)
		}
		for class := range 4 {
			if got, want := d.Has(class), table.Has(class); got != want {
				t.Fatalf("class %d: has %v, want %v", class, got, want)
			}
		}
	})
}

// So many documents that they are added up on the way: the bound of the size stays tight.
func TestDifferenceOfManyDocuments(t *testing.T) {
	for _, other := range []int{1, 100} { // a class with a bit of its own, and one without
		var d counts.Difference
		table := counts.NewTable(counts.Options{Signed: true})
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
			for i := range bag.Len() {
				if err := table.Add(bag.Hash(i), bag.Term(i), class, 2); err != nil {
					t.Fatal(err)
				}
			}
		}
		rank := make([]int, other+1)
		rank[0] = 1
		bound, want := d.Size(), table.Flatten(rank)
		exact := len(want.Bytes) + 8*want.Len() + 11*len(want.Class)
		if other == 1 && bound != exact || bound < exact || bound > exact+11<<16 {
			t.Errorf("classes 0 and %d: a size of %d bytes, bound to %d", other, exact, bound)
		}
		if got := d.Flatten(rank); !reflect.DeepEqual(got, want) {
			t.Errorf("%d terms and %d cells, want %d and %d", got.Len(), len(got.Class), want.Len(), len(want.Class))
		}
	}
}

// Has looks at its class alone: it is asked for each of a thousand, when a delta replaces documents by others.
func TestHasCostsNoFlattening(t *testing.T) {
	var d counts.Difference
	var bag bow.Bag
	for i := range 1000 {
		bag.Add(strconv.AppendInt(nil, int64(i), 10))
	}
	d.Observe(0, 1, &bag, true)
	d.Observe(2, 1, &bag, true)
	d.Observe(2, -1, &bag, true)
	if n := testing.AllocsPerRun(10, func() {
		if !d.Has(0) || d.Has(1) || d.Has(2) || d.Has(3) {
			t.Error("class 0 alone has counts")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
