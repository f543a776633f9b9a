package counts

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"bayestream/internal/bow"
	"bayestream/internal/bow/intern"

	"pgregory.net/rapid"
)

// TestIndexIsMap: terms come and go, so that the index grows, wraps around and closes gaps, and it
// finds those that are there and no others; after a load too, where it has another number of slots.
func TestIndexIsMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.IntRange(1, 400).Draw(t, "terms")
		first := rapid.IntRange(0, 1000).Draw(t, "first")
		tab, want := NewTable(Options{}), map[string]bool{}
		if rapid.Bool().Draw(t, "loaded") {
			for i := range terms {
				want[strconv.Itoa(first+i)] = true
			}
			l := NewLoader(tab)
			for _, term := range slices.Sorted(maps.Keys(want)) {
				if err := l.Restore([]byte(term), []Cell{NewCell(0, 1)}); err != nil {
					t.Fatal(err)
				}
			}
			l.Finish(false)
		}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, 2*terms-1), 0, 3*terms).Draw(t, "turned") {
			term, n := strconv.Itoa(first+i), int64(1)
			if want[term] {
				n = -1
			}
			want[term] = !want[term]
			if err := tab.Add(bow.Hash([]byte(term)), []byte(term), 0, n); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 2 * terms {
			term := []byte(strconv.Itoa(first + i))
			row := tab.Lookup(bow.Hash(term), term)
			if (row >= 0) != want[string(term)] || row >= 0 && string(tab.term(row)) != string(term) {
				t.Fatalf("term %q, which is there: %v, has row %d", term, want[string(term)], row)
			}
		}
		if err := tab.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRowsMakeRoom: a row that counts fewer classes gives the run back that it does not need any
// more, and the next one uses it.
func TestRowsMakeRoom(t *testing.T) {
	tab := NewTable(Options{})
	add := func(term string, class int, n int64) {
		t.Helper()
		if err := tab.Add(bow.Hash([]byte(term)), []byte(term), class, n); err != nil {
			t.Fatal(err)
		}
	}
	for c := range 9 {
		add("a", c, 1)
	}
	for c := range 8 {
		add("a", c, -1)
	}
	slab := len(tab.slab)
	for c := range 16 {
		add("b", c, 1)
	}
	if got := len(tab.slab) - slab; got != 1 { // a has the only run of one cell; those of 2, 4, 8 and 16 are free
		t.Errorf("the slab grew by %d cells, want 1", got)
	}
	if err := tab.Check(); err != nil || tab.Count(tab.Lookup(bow.Hash([]byte("a")), []byte("a")), 8) != 1 {
		t.Errorf("the cell that stayed is not what it was: %v", err)
	}
}

// TestBytesOfTerm: what a term costs besides its word and its counts, as docs/performance.md says.
func TestBytesOfTerm(t *testing.T) {
	if got := unsafe.Sizeof(place{}); got != 12 {
		t.Errorf("a place has %d bytes, want 12", got)
	}
	const terms = 1_000_000
	if x := intern.NewIndex(slotsFor(terms)); 4*x.Slots() > 7*terms || x.Full(terms+terms/8) {
		t.Errorf("%d slots for %d terms: want 7 bytes a term, and room for some more", x.Slots(), terms)
	}
}
