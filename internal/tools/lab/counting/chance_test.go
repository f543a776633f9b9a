package counting

import (
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
)

// A way is chosen if its errors and its log loss are less than those of the usual one by more than
// chance, and the reason says so. What a document costs in both ways tells nothing.
func TestBetterThanChance(t *testing.T) {
	ways := []Way{{Name: Usual, Spec: spec.Default()}, {Name: "other", Spec: spec.Default()}}
	for _, c := range []struct {
		won, lost int     // documents that the other way alone has right, and the usual one
		loss      float64 // of each of the first 100 documents, in the other way less than in the usual one
		chosen    int
		says      string
	}{
		{0, 0, 0, 0, "default, of 2 ways the best by errors and log loss in"},
		{1, 0, 0, 0, "default: of 2 ways none is better by more than chance"},
		{3, 0, 0, 1, "other, of 2 ways the best by errors and log loss in"},
		{3, 1, 0, 0, "default: of 2 ways none is better by more than chance"},
		{60, 50, 0, 0, "default: of 2 ways none is better by more than chance"},
		{62, 50, 0, 1, "other, of 2 ways the best by errors and log loss in"},
		{0, 9, 0, 0, "default, of 2 ways the best by errors and log loss in"},
		{60, 50, .1, 1, "other, of 2 ways the best by errors and log loss in"},
		{0, 0, .1, 1, "other, of 2 ways the best by errors and log loss in"},
		{62, 50, -2, 0, "default, of 2 ways the best by errors and log loss in"},
	} {
		tried := &Trial{tests: []map[string]test{{}, {}}}
		for i := range 2 * Least {
			id := strconv.Itoa(i)
			tried.ids = append(tried.ids, id)
			usual, other := test{i >= c.won, 5}, test{i < c.won || i >= c.won+c.lost, 5}
			if i < 100 {
				other.loss -= c.loss
			}
			tried.tests[0][id], tried.tests[1][id] = usual, other
		}
		found := tried.Choose(func(string) bool { return true })
		for _, score := range found.Scores {
			if score.Way == c.chosen && !strings.Contains(found.Reason(ways), score.String()) {
				t.Errorf("%+v: %s, without %s", c, found.Reason(ways), score)
			}
		}
		if found.Chosen != c.chosen || !strings.Contains(found.Reason(ways), "counted as "+c.says) {
			t.Errorf("%+v: way %d, %s", c, found.Chosen, found.Reason(ways))
		}
	}
}

// Which way with corrections is chosen depends on the documents that fit, and on no others.
func TestCorrectedByWhatFits(t *testing.T) {
	ways := []Way{{Name: "plain"}, {Name: "words"}, {Name: "pairs"}}
	tried := &Trial{Ways: ways, tests: []map[string]test{{}}, without: map[string]test{}, with: []map[string]test{{}, {}}}
	for i := range 4 * Least {
		id := strconv.Itoa(i)
		isEarly := i < 2*Least
		tried.ids = append(tried.ids, id)
		tried.tests[0][id] = test{i%2 == 0, 1}
		tried.without[id] = tried.tests[0][id]
		tried.with[0][id] = test{i%2 == 0 || isEarly, 1}
		tried.with[1][id] = test{i%2 == 0 || !isEarly, 1}
	}
	for want, isEarly := range map[int]bool{1: true, 2: false} {
		found := tried.Choose(func(id string) bool { i, _ := strconv.Atoi(id); return (i < 2*Least) == isEarly })
		if found.Chosen != want || found.Corrected.With != 1 || found.Corrected.Without != .5 {
			t.Errorf("%s is chosen by %+v, want %s", ways[found.Chosen].Name, found.Corrected, ways[want].Name)
		}
	}
}
