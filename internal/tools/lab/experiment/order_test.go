package experiment

import (
	"math"
	"slices"
	"testing"
)

// Changes of a shuffled corpus are near what is expected, those of a sorted one are one less than
// the classes, and a seed gives one order.
func TestOrder(t *testing.T) {
	sorted := func() *Corpus {
		c := &Corpus{}
		for i := range 3000 {
			c.Documents = append(c.Documents, Document{ID: string(rune(i)), Label: []string{"a", "b", "c"}[i/1000]})
		}
		return c
	}
	c := sorted()
	if found, expected := c.Order().Changes(); found != 2 || math.Abs(expected-2000) > 1e-9 {
		t.Errorf("sorted: %d changes, %v expected; want 2 and 2000", found, expected)
	}
	c.Shuffle(7)
	if found, expected := c.Order().Changes(); math.Abs(float64(found)-expected) > 150 || math.Abs(expected-2000) > 1e-9 {
		t.Errorf("shuffled: %d changes, %v expected", found, expected)
	}
	again, other := sorted(), sorted()
	again.Shuffle(7)
	other.Shuffle(8)
	ids := func(c *Corpus) (ids []string) {
		for _, d := range c.Documents {
			ids = append(ids, d.ID)
		}
		return ids
	}
	if !slices.Equal(ids(c), ids(again)) || slices.Equal(ids(c), ids(other)) {
		t.Error("a seed does not give one order, or all seeds do")
	}
	empty := &Corpus{}
	empty.Shuffle(1)
	if found, expected := empty.Order().Changes(); found != 0 || expected != 0 {
		t.Errorf("no documents: %d changes, %v expected", found, expected)
	}
}
