package categorical_test

import (
	"fmt"
	"math"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

// The insects of lecture 2: of those with antennae of length 3, ten were grasshoppers and two
// katydids; of those with length 7, three and nine.
func ExampleBins() {
	bins := categorical.Bins{From: 0, To: 10, Count: 10}
	var classes counts.Classes
	table := counts.NewTable(counts.Options{})
	learn := func(class string, length int64, n int64) {
		id := classes.Intern(class)
		key := categorical.AppendKey(nil, bins.Index(length))
		if err := table.Add(bow.Hash(key), key, id, n); err != nil {
			panic(err)
		}
		if err := classes.Add(id, n); err != nil {
			panic(err)
		}
	}
	learn("grasshopper", 3, 10)
	learn("grasshopper", 7, 3)
	learn("katydid", 3, 2)
	learn("katydid", 7, 9)
	l := categorical.New(0, bins.Keys(), table, &classes)
	l.Prepare()
	density := make([]float64, classes.Cap())
	for _, length := range []int64{3, 7} {
		l.Set(density, categorical.AppendKey(nil, bins.Index(length)))
		total := 0.0
		joint := make([]float64, classes.Cap())
		for _, c := range classes.Live() {
			joint[c] = float64(classes.Documents(c)) / float64(classes.Total()) * math.Exp(density[c])
			total += joint[c]
		}
		for _, c := range classes.Live() {
			fmt.Printf("P(%s | %d) = %.4f\n", classes.Name(c), length, joint[c]/total)
		}
	}
	// Output:
	// P(grasshopper | 3) = 0.8333
	// P(katydid | 3) = 0.1667
	// P(grasshopper | 7) = 0.2500
	// P(katydid | 7) = 0.7500
}

func TestIndex(t *testing.T) {
	b := categorical.Bins{From: -10, To: 10, Count: 4}
	for v, want := range map[int64]int{-1 << 60: 0, -10: 0, -6: 0, -5: 1, -1: 1, 0: 2, 4: 2, 5: 3, 9: 3, 10: 3, 1 << 60: 3} {
		if got := b.Index(v); got != want {
			t.Errorf("%d: got bin %d, want %d", v, got, want)
		}
	}
}

// The bins are those of exact division, whatever the range.
func TestIndexIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64Range(math.MinInt64/2, math.MaxInt64/2-1).Draw(t, "from")
		b := categorical.Bins{From: from, To: rapid.Int64Range(from+1, math.MaxInt64/2).Draw(t, "to"), Count: rapid.IntRange(1, 1000).Draw(t, "count")}
		last := -1
		for _, v := range []int64{b.From - 1, b.From, b.From + (b.To-b.From)/3, b.To - 1, b.To} {
			i := b.Index(v)
			if i < 0 || i >= b.Count || i < last {
				t.Fatalf("%+v: %d is in bin %d, the smaller number before it in %d", b, v, i, last)
			}
			last = i
		}
	})
}
