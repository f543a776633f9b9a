package intern

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A plainTable is a Table on Go's map.
type plainTable struct {
	numbers map[string]int
	terms   []string
}

func (p *plainTable) find(term []byte) int {
	number, ok := p.numbers[string(term)]
	if !ok {
		return -1
	}
	return number
}

func (p *plainTable) add(term []byte) int {
	number := len(p.terms)
	p.numbers[string(term)] = number
	p.terms = append(p.terms, string(term))
	return number
}

// checkTable adds the words to a table and to a plain one, and compares them.
func checkTable(t *testing.T, table *Table[int], words [][]byte) {
	t.Helper()
	plain := plainTable{numbers: map[string]int{}}
	for _, word := range words {
		want := plain.find(word)
		if got := table.Find(word); got != want {
			t.Fatalf("number of %q is %d, want %d", word, got, want)
		}
		if want >= 0 {
			continue
		}
		want = plain.add(word)
		if got := table.Add(word, -want); got != want {
			t.Fatalf("%q was added as %d, want %d", word, got, want)
		}
	}
	total := 0
	for number, term := range plain.terms {
		total += len(term)
		if got := string(table.Term(number)); got != term || *table.Value(number) != -number {
			t.Fatalf("term %d is %q with %d, want %q", number, got, *table.Value(number), term)
		}
	}
	if table.Len() != len(plain.terms) || table.Bytes() != total {
		t.Fatalf("%d terms of %d bytes, want %d of %d", table.Len(), table.Bytes(), len(plain.terms), total)
	}
}

// FuzzTable: a table does what Go's map does, for any bytes, at the end of their memory or amid it.
func FuzzTable(f *testing.F) {
	f.Add([]byte("a b a\x00 aa \x00 \x00\x00 fifteen_letters sixteen__letters sixteen__letterS  "))
	f.Add(bytes.Repeat([]byte("one word and another "), 10))
	for n := range 40 {
		f.Add([]byte(strings.Repeat("x", n) + " " + strings.Repeat("x", n) + "y"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var table Table[int]
		words := bytes.Split(text, []byte(" "))
		checkTable(t, &table, words)
		table.Clear()
		for i := range words {
			words[i] = slices.Clip(bytes.Clone(words[i]))
		}
		checkTable(t, &table, words)
	})
}

// TestTableGrows adds more terms than a new table has slots, again and again.
func TestTableGrows(t *testing.T) {
	var table Table[int]
	for _, n := range []int{0, 1, 100, 10_000} {
		var words [][]byte
		for i := range n {
			words = append(words, fmt.Appendf(nil, "word%d", i), fmt.Appendf(nil, "a long word with the number %d", i%10))
		}
		table.Clear()
		checkTable(t, &table, words)
	}
}

func TestTableReusesItsMemory(t *testing.T) {
	var table Table[int]
	words := bytes.Fields([]byte(strings.Repeat("some words, the same words, extraordinarily long words ", 3)))
	fill := func() {
		table.Clear()
		for _, word := range words {
			if table.Find(word) < 0 {
				table.Add(word, 0)
			}
		}
	}
	fill()
	if n := testing.AllocsPerRun(100, fill); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestIndexIsMap: numbers come and go in an index that is nearly full, with hashes of which many
// are equal in their high half, their low half or both, and it finds those it has.
func TestIndexIsMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 70).Draw(t, "slots")
		half := rapid.SampledFrom([]uint64{0, 1, 1 << 30, 1<<32 - 1})
		hashes := make([]uint64, slots)
		for number := range hashes {
			hashes[number] = half.Draw(t, "high")<<32 | half.Draw(t, "low")
		}
		hashOf := func(number int) uint64 { return hashes[number] }
		x := NewIndex(slots)
		has := map[int]bool{}
		for _, number := range rapid.SliceOfN(rapid.IntRange(0, slots-1), 0, 3*slots).Draw(t, "turned") {
			switch {
			case has[number]:
				x.Remove(hashes[number], number, hashOf)
				delete(has, number)
			case !x.Full(len(has)):
				x.Enter(hashes[number], number)
				has[number] = true
			}
		}
		for number, hash := range hashes {
			slot, found := x.First(hash)
			for found >= 0 && found != number {
				slot, found = x.Next(slot, hash)
			}
			if (found == number) != has[number] {
				t.Fatalf("number %d with hash %x: found is %v, want %v", number, hash, found == number, has[number])
			}
		}
	})
}

func TestEmptyIndex(t *testing.T) {
	var x Index
	if _, number := x.First(42); number >= 0 || !x.Full(0) {
		t.Errorf("an index without slots has number %d, is full: %v", number, x.Full(0))
	}
}

// TestHashesSpread: words that count up do not share slots more often than by chance.
func TestHashesSpread(t *testing.T) {
	for _, pattern := range []string{"w%d", "word%d", "%dwordwordword", "word%dwordwordwordwordword", "%d%[1]d%[1]d%[1]d"} {
		counts := make([]int, 1<<12)
		for i := range 16 << 12 {
			counts[keyOf(fmt.Appendf(nil, pattern, i)).hash()>>52]++
		}
		if most := slices.Max(counts); most > 60 {
			t.Errorf("%s: %d of 65536 words share the upper 12 bits of their hash, want 16 or so", pattern, most)
		}
	}
}

// TestWordsThatCollideAreNotKnown: words that one process has in one slot are all over the table of
// another, as its seeds are others.
func TestWordsThatCollideAreNotKnown(t *testing.T) {
	here := keySeeds
	defer func() { keySeeds = here }()
	there := [2]uint64{^here[0], here[1] * 3}
	var words [][]byte
	for i := 0; len(words) < 400; i++ {
		word := fmt.Appendf(nil, "word%d", i)
		if keyOf(word).hash()>>55 == 0 {
			words = append(words, word)
		}
	}
	keySeeds = there
	var table Table[int]
	for _, word := range words {
		table.Add(word, 0)
	}
	longest := 0
	run := 0
	for _, slot := range table.index.slots {
		run++
		if slot == 0 {
			run = 0
		}
		longest = max(longest, run)
	}
	if longest > len(words)/2 { // with the same seeds it is all of them
		t.Errorf("%d slots in a row are used by words that began in one slot elsewhere", longest)
	}
}
