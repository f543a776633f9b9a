package categorical_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/categorical"

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
