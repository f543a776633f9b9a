package bow_test

import (
	"strings"
	"testing"

	"bayestream/internal/bow"

	"pgregory.net/rapid"
)

// TestBounds compares a bag with bounds with a plain reference: of the distinct terms the first
// ones count, and of the occurrences of each the first ones.
func TestBounds(t *testing.T) {
	lexicon := bow.NewLexicon()
	rapid.Check(t, func(t *rapid.T) {
		bounds := bow.Bounds{Terms: rapid.IntRange(0, 6).Draw(t, "terms"), Count: rapid.Uint32Range(0, 4).Draw(t, "count")}
		words := rapid.SliceOfN(rapid.StringMatching("[a-h]"), 0, 40).Draw(t, "words")
		var order []string
		counts := map[string]uint32{}
		total, cut := 0, false
		for _, w := range words {
			n, known := counts[w]
			switch {
			case !known && bounds.Terms > 0 && len(order) == bounds.Terms:
				cut = true
			case bounds.Count > 0 && n == bounds.Count:
			default:
				if !known {
					order = append(order, w)
				}
				counts[w]++
				total++
			}
		}
		var b bow.Bag
		b.Use(lexicon)
		b.Limit(bounds)
		for _, w := range words {
			b.Add([]byte(w))
		}
		if b.Len() != len(order) || b.Total() != total || b.Cut() != cut {
			t.Fatalf("%q within %+v: %d terms, %d tokens, cut %v; want %d, %d, %v", strings.Join(words, " "), bounds, b.Len(), b.Total(), b.Cut(), len(order), total, cut)
		}
		for i, w := range order {
			if string(b.Term(i)) != w || b.Count(i) != counts[w] {
				t.Fatalf("term %d is %s, %d times; want %s, %d times", i, b.Term(i), b.Count(i), w, counts[w])
			}
		}
	})
}

// TestBoundsOfOneDocument: bounds last until the bag is used again.
func TestBoundsOfOneDocument(t *testing.T) {
	var b bow.Bag
	lexicon := bow.NewLexicon()
	b.Use(lexicon)
	b.Limit(bow.Bounds{Terms: 1, Count: 2})
	b.AddN([]byte("a"), 7)
	b.Add([]byte("b"))
	if b.Len() != 1 || b.Count(0) != 2 || !b.Cut() {
		t.Errorf("%d terms, %d times, cut %v; want 1, 2, true", b.Len(), b.Count(0), b.Cut())
	}
	b.Use(lexicon)
	b.AddN([]byte("a"), 7)
	b.Add([]byte("b"))
	if b.Len() != 2 || b.Count(0) != 7 || b.Cut() {
		t.Errorf("%d terms, %d times, cut %v; want 2, 7, false", b.Len(), b.Count(0), b.Cut())
	}
}
