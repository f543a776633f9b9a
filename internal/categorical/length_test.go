package categorical_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/bow"
	"bayestream/internal/categorical"
	"bayestream/internal/counts"

	"pgregory.net/rapid"
)

func TestLength(t *testing.T) {
	var got []string
	for n := 1; n <= 64; n++ {
		if key := string(categorical.AppendLength(nil, n)); len(got) == 0 || got[len(got)-1] != key {
			got = append(got, key)
		}
	}
	want := []string{"1", "2", "3", "4-5", "6-7", "8-11", "12-15", "16-23", "24-31", "32-47", "48-63", "64-95"}
	if !slices.Equal(got, want) {
		t.Errorf("lengths from 1 to 64 are %v, want %v", got, want)
	}
}

// Lengths gives what the likelihood of any category gives of the same counts, to the last bit, while these come and go; values that no
// text has are as if they were not there.
func TestLengthsAreACategory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var classes counts.Classes
		table := counts.NewTable(counts.Options{})
		for _, name := range []string{"a", "b", "c"} {
			if err := classes.Add(classes.Intern(name), 1); err != nil {
				t.Fatal(err)
			}
		}
		lengths := categorical.NewLengths(table, &classes)
		plain := categorical.New(categorical.LengthAlpha, nil, table, &classes)
		length := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, math.MaxInt))
		for range rapid.IntRange(1, 4).Draw(t, "deltas") {
			for range rapid.IntRange(0, 8).Draw(t, "documents") {
				if n := length.Draw(t, "length"); n > 0 {
					change(t, table, string(categorical.AppendLength(nil, n)), rapid.IntRange(0, 2).Draw(t, "class"), rapid.Int64Range(-1, 3).Draw(t, "weight"))
				}
			}
			lengths.Prepare()
			plain.Prepare()
			n := length.Draw(t, "probe")
			var want, got [3]float64
			isKnown := n > 0 && plain.Set(want[:], categorical.AppendLength(nil, n))
			if lengths.Set(got[:], n) != isKnown || got != want {
				t.Fatalf("of %d tokens %v, want %v", n, got, want)
			}
		}
		for _, value := range []string{"", "-", "0", "-1", "5", "4-6", "04-5", "4-5-", "99999999999999999999-"} {
			change(t, table, value, 0, 1)
		}
		lengths.Prepare()
		var got [3]float64
		if n := 0; lengths.Set(got[:], n) || got != [3]float64{} {
			t.Fatalf("no token is as long as %v", got)
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

// Values of lengths are in the order of the lengths.
func TestCompareLengths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(1, 1<<20).Draw(t, "a")
		b := rapid.IntRange(a, 1<<20).Draw(t, "b")
		x := string(categorical.AppendLength(nil, a))
		y := string(categorical.AppendLength(nil, b))
		if got := categorical.CompareLengths(x, y); got > 0 || got == 0 && x != y || categorical.CompareLengths(y, x) != -got {
			t.Fatalf("%s is compared with %s as %d", x, y, got)
		}
	})
}

// Each length has one value, which says where it begins and where it ends.
func TestLengthHasItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, math.MaxInt).Draw(t, "n")
		key := string(categorical.AppendLength([]byte("x"), n))[1:]
		least, largest := 0, 0
		if k, _ := fmt.Sscanf(key, "%d-%d", &least, &largest); k == 1 {
			largest = least
		}
		if n < least || largest < n || largest-least > n/2 {
			t.Fatalf("the length %d counts as %s", n, key)
		}
		for _, end := range []int{least, largest} {
			if other := string(categorical.AppendLength(nil, end)); other != key {
				t.Fatalf("the length %d counts as %s, and %d, which is one of these, as %s", n, key, end, other)
			}
		}
	})
}
