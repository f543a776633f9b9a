package bow_test

import (
	"fmt"
	"testing"

	"bayestream/internal/bow"

	"pgregory.net/rapid"
)

func ExampleBag() {
	var b bow.Bag
	for _, w := range []string{"football", "vote", "football"} {
		b.Add([]byte(w))
	}
	for i := range b.Len() {
		fmt.Printf("%s %d\n", b.Term(i), b.Count(i))
	}
	fmt.Println(b.Total(), "tokens")
	// Output:
	// football 2
	// vote 1
	// 3 tokens
}

// A bag equals a plain map for any documents, one after the other in the same Bag.
func TestBagEqualsMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bow.Bag
		for range rapid.IntRange(1, 4).Draw(t, "documents") {
			b.Use(b.Lexicon())
			want := map[string]uint32{}
			total := 0
			var numbers []uint32
			for _, w := range rapid.SliceOfN(rapid.StringN(0, 2, -1), 0, 100).Draw(t, "numbered") {
				numbers = append(numbers, b.Lexicon().Number([]byte(w)))
				want[w]++
			}
			total += len(numbers)
			first := rapid.IntRange(0, len(numbers)).Draw(t, "first")
			b.AddNumbers(numbers[:first])
			for _, w := range rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 300).Draw(t, "words") {
				n := rapid.Uint32Range(0, 3).Draw(t, "n")
				b.AddN([]byte(w), n)
				total += int(n)
				if n > 0 {
					want[w] += n
				}
			}
			b.AddNumbers(numbers[first:])
			if b.Len() != len(want) || b.Total() != total {
				t.Fatalf("got %d terms, %d tokens; want %d, %d", b.Len(), b.Total(), len(want), total)
			}
			for i := range b.Len() {
				if term := b.Term(i); b.Count(i) != want[string(term)] || b.Hash(i) != bow.Hash(term) {
					t.Fatalf("term %q: got count %d, want %d", term, b.Count(i), want[string(term)])
				}
			}
		}
	})
}

func TestBagReusesItsMemory(t *testing.T) {
	var b bow.Bag
	words := make([][]byte, 200)
	for i := range words {
		words[i] = fmt.Appendf(nil, "word%d", i%150)
	}
	fill := func() {
		b.Use(b.Lexicon())
		for _, w := range words {
			b.Add(w)
		}
	}
	fill()
	if n := testing.AllocsPerRun(100, fill); n != 0 {
		t.Fatalf("got %v allocations a document, want 0", n)
	}
}
