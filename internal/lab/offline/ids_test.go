package offline

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The table says what a map would.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s ids
		want := map[string]location{}
		spread := rapid.IntRange(1, 3000).Draw(t, "ids")
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, spread), 0, 2000).Draw(t, "drawn") {
			id, at := fmt.Sprint("id-", n), location{fmt.Sprint("file ", i/700), int64(i)}
			if n == 0 {
				id = ""
			}
			before, met := want[id]
			if got, again := s.add(id, at); got != before || again != met {
				t.Fatalf("%q at %s: got %s, %t, want %s, %t", id, at, got, again, before, met)
			}
			if !met {
				want[id] = at
			}
		}
	})
}
