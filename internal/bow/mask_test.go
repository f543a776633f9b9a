package bow_test

import (
	"fmt"
	"testing"

	"bayestream/internal/bow"
)

// A bag under a mask counts what the mask makes of terms, calls it once for each, and keeps their
// names.
func TestMask(t *testing.T) {
	calls := 0
	mask := func(dst, term []byte) []byte {
		calls++
		return fmt.Appendf(dst, "%02x", len(term))
	}
	l := bow.NewMasked(mask)
	for range 2 {
		var b bow.Bag
		b.Use(l)
		for _, term := range []string{"a", "bcd", "a", "efgh"} {
			b.Add([]byte(term))
		}
		for i, want := range []struct {
			name, term string
			count      uint32
		}{{"a", "01", 2}, {"bcd", "03", 1}, {"efgh", "04", 1}} {
			if b.Name(i) != want.name || string(b.Term(i)) != want.term || b.Count(i) != want.count || b.Hash(i) != bow.Hash([]byte(want.term)) ||
				string(l.Term(b.Number(i))) != want.term {
				t.Errorf("entry %d is %s, counted as %s %d times; want %+v", i, b.Name(i), b.Term(i), b.Count(i), want)
			}
		}
	}
	if calls != 3 {
		t.Errorf("the mask was called %d times for 3 terms", calls)
	}
	next := l.Empty()
	if got := string(next.Term(next.Number([]byte("xy")))); got != "02" {
		t.Errorf("the lexicon after a full one counts %q", got)
	}
}
