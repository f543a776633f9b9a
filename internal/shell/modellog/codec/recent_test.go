package codec

import (
	"errors"
	"testing"
)

// TestRecent: what was made is kept for its key, an error is not, and not more than so many are.
func TestRecent(t *testing.T) {
	var r recent[int, int]
	made := 0
	get := func(key int) int {
		value, err := r.get(key, func() (int, error) { made++; return 10 * key, nil })
		if err != nil || value != 10*key {
			t.Fatalf("key %d: %d, %v", key, value, err)
		}
		return made
	}
	if _, err := r.get(0, func() (int, error) { return 1, errors.New("not made") }); err == nil {
		t.Error("the error is lost")
	}
	for range 2 {
		for key := range mostRecent {
			get(key)
		}
	}
	if made != mostRecent {
		t.Errorf("%d values were made, want %d", made, mostRecent)
	}
	if get(mostRecent) != mostRecent+1 || len(r.kept) > mostRecent {
		t.Errorf("%d values are kept, want at most %d", len(r.kept), mostRecent)
	}
}
