package categorical_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/core/categorical"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

func TestSize(t *testing.T) {
	var got []string
	for n := 0; n <= 64; n++ {
		if key := categorical.SizeName(n); len(got) == 0 || got[len(got)-1] != key {
			got = append(got, key)
		}
	}
	want := []string{"0", "1", "2", "3", "4-5", "6-7", "8-11", "12-15", "16-23", "24-31", "32-47", "48-63", "64-95"}
	if !slices.Equal(got, want) {
		t.Errorf("sizes from 0 to 64 are %v, want %v", got, want)
	}
}

// Sizes gives what the likelihood of any category gives of the same counts, to the last bit, while
// these come and go; values that no document has are as if they were not there.
func TestSizesAreACategory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var classes counts.Classes
		table := counts.NewTable(counts.Options{})
		for _, name := range []string{"a", "b", "c"} {
			if err := classes.Add(classes.Intern(name), 1); err != nil {
				t.Fatal(err)
			}
		}
		sizes := categorical.NewSizes(table, &classes)
		plain := categorical.New(categorical.SizeAlpha, nil, table, &classes)
		size := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, math.MaxInt))
		for range rapid.IntRange(1, 4).Draw(t, "deltas") {
			for range rapid.IntRange(0, 8).Draw(t, "documents") {
				n := size.Draw(t, "size")
				change(t, table, categorical.SizeName(n), rapid.IntRange(0, 2).Draw(t, "class"), rapid.Int64Range(-1, 3).Draw(t, "weight"))
			}
			sizes.Prepare()
			plain.Prepare()
			n := size.Draw(t, "probe")
			var want, got [3]float64
			isKnown := plain.Set(want[:], []byte(categorical.SizeName(n)))
			if sizes.Set(got[:], n) != isKnown || got != want {
				t.Fatalf("of %d %v, want %v", n, got, want)
			}
		}
		for _, value := range []string{"", "-", "00", "-0", "-1", "5", "4-6", "04-5", "4-5-", "99999999999999999999-"} {
			change(t, table, value, 0, 1)
		}
		sizes.Prepare()
		plain.Prepare()
		for n := range 30 {
			var want, got [3]float64
			isKnown := plain.Set(want[:], []byte(categorical.SizeName(n)))
			if sizes.Set(got[:], n) != isKnown || got != want {
				t.Fatalf("beside other values, of %d %v, want %v", n, got, want)
			}
		}
	})
}

// change adds n to the count of a value, unless too few would be left.
func change(t *rapid.T, table *counts.Table, value string, class int, n int64) {
	row := table.Lookup(bow.Hash([]byte(value)), []byte(value))
	if n < 0 && (row < 0 || table.Count(row, class)+n < 0) {
		return
	}
	if err := table.Add(bow.Hash([]byte(value)), []byte(value), class, n); err != nil {
		t.Fatal(err)
	}
}

// Values of sizes are in the order of the sizes.
func TestCompareSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(0, 1<<20).Draw(t, "a")
		b := rapid.IntRange(a, 1<<20).Draw(t, "b")
		x := categorical.SizeName(a)
		y := categorical.SizeName(b)
		if got := categorical.CompareSizes(x, y); got > 0 || got == 0 && x != y || categorical.CompareSizes(y, x) != -got {
			t.Fatalf("%s is compared with %s as %d", x, y, got)
		}
	})
}

// Each size has one value, which says where it begins and where it ends.
func TestSizeHasItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, math.MaxInt).Draw(t, "n")
		key := categorical.SizeName(n)
		least, largest := 0, 0
		if k, _ := fmt.Sscanf(key, "%d-%d", &least, &largest); k == 1 {
			largest = least
		}
		if n < least || largest < n || largest-least > n/2 {
			t.Fatalf("the size %d counts as %s", n, key)
		}
		for _, end := range []int{least, largest} {
			if other := categorical.SizeName(end); other != key {
				t.Fatalf("the size %d counts as %s, and %d, which is one of these, as %s", n, key, end, other)
			}
		}
	})
}
