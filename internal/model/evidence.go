package model

import (
	"cmp"
	"math"
	"strings"
)

// topEvidence keeps the entries of largest weight, sorted; a limit of 0 keeps all in any order, a
// negative one none.
type topEvidence struct {
	list  []Evidence
	limit int
}

// compareEvidence sorts by size of the weight, then terms before blocks, then by name.
func compareEvidence(x, y Evidence) int {
	if c := cmp.Compare(math.Abs(y.Weight), math.Abs(x.Weight)); c != 0 {
		return c
	}
	return cmp.Or(strings.Compare(x.Block, y.Block), strings.Compare(x.Term, y.Term))
}

// addTerm is add that makes a string of the term only if it is kept.
func (t *topEvidence) addTerm(term []byte, count int, weight float64) {
	if t.limit > 0 && len(t.list) == t.limit && math.Abs(weight) < math.Abs(t.list[t.limit-1].Weight) {
		return
	}
	t.add(Evidence{Term: string(term), Count: count, Weight: weight})
}

func (t *topEvidence) add(e Evidence) {
	if t.limit < 0 {
		return
	}
	if t.limit == 0 || len(t.list) < t.limit {
		t.list = append(t.list, e)
	} else if compareEvidence(e, t.list[t.limit-1]) < 0 {
		t.list[t.limit-1] = e
	} else {
		return
	}
	if t.limit == 0 {
		return
	}
	for i := len(t.list) - 1; i > 0 && compareEvidence(t.list[i], t.list[i-1]) < 0; i-- {
		t.list[i], t.list[i-1] = t.list[i-1], t.list[i]
	}
}
