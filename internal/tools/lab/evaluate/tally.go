package evaluate

import (
	"encoding/json"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// classes numbers class names in the order of their first use.
type classes struct {
	ids   map[string]int
	names []string
}

func (c *classes) id(name string) int {
	id, ok := c.ids[name]
	if !ok {
		if c.ids == nil {
			c.ids = map[string]int{}
		}
		id = len(c.names)
		c.ids[name] = id
		c.names = append(c.names, name)
	}
	return id
}

// sorted returns the ids of the classes for which keep is true, sorted by name.
func (c *classes) sorted(keep func(id int) bool) []int {
	var ids []int
	for id := range c.names {
		if keep(id) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int) int { return strings.Compare(c.names[a], c.names[b]) })
	return ids
}

// tally counts true labels against predicted ones. The zero value is empty and ready for use.
type tally struct {
	classes   classes
	cells     [][]int64 // by true class, then by predicted class; rows may be short
	none      []int64   // by true class: got no label
	truth     []int64   // by class: true labels
	predicted []int64   // by class
}

// observe counts a document; label "" means that it got none.
func (t *tally) observe(truth, label string) {
	row := t.class(truth)
	t.truth[row]++
	if label == "" {
		t.none[row]++
		return
	}
	column := t.class(label)
	t.predicted[column]++
	for len(t.cells[row]) <= column {
		t.cells[row] = append(t.cells[row], 0)
	}
	t.cells[row][column]++
}

func (t *tally) class(name string) int {
	id := t.classes.id(name)
	for len(t.truth) <= id {
		t.cells = append(t.cells, nil)
		t.none = append(t.none, 0)
		t.truth = append(t.truth, 0)
		t.predicted = append(t.predicted, 0)
	}
	return id
}

// confusion returns the contingency table.
func (t *tally) confusion() *Confusion {
	ids := t.classes.sorted(func(id int) bool { return t.truth[id] > 0 || t.predicted[id] > 0 })
	c := &Confusion{Labels: make([]string, len(ids)), Rows: make([][]int64, len(ids))}
	for i, row := range ids {
		c.Labels[i] = t.classes.names[row]
		c.Rows[i] = make([]int64, len(ids))
		for j, column := range ids {
			if column < len(t.cells[row]) {
				c.Rows[i][j] = t.cells[row][column]
			}
		}
		if t.none[row] > 0 {
			if c.Unlabelled == nil {
				c.Unlabelled = make([]int64, len(ids))
			}
			c.Unlabelled[i] = t.none[row]
		}
	}
	return c
}

// total adds up numbers from 0 to 2^53 as fixed-point integers with 64 bits after the point.
// Integers add in any order to the same result, and what was added can be taken out again: so a
// report does not depend on the order of its documents, and a sliding window does not drift. What
// is below 2^-64 of a number is cut off, so a mean is at most 5.5e-20 too small.
type total struct {
	whole, fraction uint64
}

// fixed returns x as a total.
func fixed(x float64) total {
	whole, fraction := math.Modf(x)
	return total{uint64(whole), uint64(fraction * 0x1p64)}
}

func (t *total) add(u total) {
	var carry uint64
	t.fraction, carry = bits.Add64(t.fraction, u.fraction, 0)
	t.whole += u.whole + carry
}

func (t *total) subtract(u total) {
	var borrow uint64
	t.fraction, borrow = bits.Sub64(t.fraction, u.fraction, 0)
	t.whole -= u.whole + borrow
}

func (t *total) float() float64 { return float64(t.whole) + float64(t.fraction)*0x1p-64 }

// mean returns the total divided by n, NaN for n = 0.
func (t *total) mean(n int64) float64 {
	if n == 0 {
		return math.NaN()
	}
	return t.float() / float64(n)
}

// Number is a float64 that JSON shows as null where it is not a number or infinite: scores that the
// documents do not define.
type Number float64

// undefined is a score that there are no documents for.
var undefined = Number(math.NaN())

// UnmarshalJSON reads what MarshalJSON wrote: null is not a number.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = undefined
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// MarshalJSON returns the shortest decimal that reads back as n, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(f)
}
