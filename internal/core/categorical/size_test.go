package categorical_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/core/categorical"

	"pgregory.net/rapid"
)

// sizeName returns the value of a size.
func sizeName(n int) string { return categorical.Sizes.Name(categorical.SizeNumber(n)) }

func TestSize(t *testing.T) {
	var got []string
	for n := 0; n <= 64; n++ {
		if key := sizeName(n); len(got) == 0 || got[len(got)-1] != key {
			got = append(got, key)
		}
	}
	want := []string{"0", "1", "2", "3", "4-5", "6-7", "8-11", "12-15", "16-23", "24-31", "32-47", "48-63", "64-95"}
	if !slices.Equal(got, want) {
		t.Errorf("sizes from 0 to 64 are %v, want %v", got, want)
	}
}

// Values of sizes are in the order of the sizes.
func TestCompareSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(0, 1<<20).Draw(t, "a")
		b := rapid.IntRange(a, 1<<20).Draw(t, "b")
		x := sizeName(a)
		y := sizeName(b)
		if got := categorical.CompareSizes(x, y); got > 0 || got == 0 && x != y || categorical.CompareSizes(y, x) != -got {
			t.Fatalf("%s is compared with %s as %d", x, y, got)
		}
	})
}

// Each size has one value, which says where it begins and where it ends.
func TestSizeHasItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, math.MaxInt).Draw(t, "n")
		key := sizeName(n)
		least, largest := 0, 0
		if k, _ := fmt.Sscanf(key, "%d-%d", &least, &largest); k == 1 {
			largest = least
		}
		if n < least || largest < n || largest-least > n/2 {
			t.Fatalf("the size %d counts as %s", n, key)
		}
		for _, end := range []int{least, largest} {
			if other := sizeName(end); other != key {
				t.Fatalf("the size %d counts as %s, and %d, which is one of these, as %s", n, key, end, other)
			}
		}
	})
}
