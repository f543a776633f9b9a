package counting

import (
	"strconv"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
)

// A way is chosen if it is better than the usual one by more than chance, and the reason says so.
func TestBetterThanChance(t *testing.T) {
	ways := []Way{{Usual, spec.Default()}, {"other", spec.Default()}}
	for _, c := range []struct {
		won, lost, chosen int
		says              string
	}{
		{0, 0, 0, "default, the best of 2 ways"},
		{1, 0, 0, "default: of 2 ways none is better by more than chance"},
		{2, 0, 1, "other, the best of 2 ways"},
		{3, 1, 0, "default: of 2 ways none is better by more than chance"},
		{4, 1, 1, "other, the best of 2 ways"},
		{60, 50, 0, "default: of 2 ways none is better by more than chance"},
		{61, 50, 1, "other, the best of 2 ways"},
		{0, 9, 0, "default, the best of 2 ways"},
	} {
		tried := &Trial{tests: []map[string]test{{}, {}}}
		for i := range 2 * Least {
			id := strconv.Itoa(i)
			tried.ids = append(tried.ids, id)
			tried.tests[0][id] = test{i >= c.won, 0}
			tried.tests[1][id] = test{i < c.won || i >= c.won+c.lost, 0}
		}
		found := tried.Choose(func(string) bool { return true })
		if found.Chosen() != c.chosen || !strings.Contains(found.Reason(ways), "counted as "+c.says) {
			t.Errorf("%d won and %d lost: way %d, %s; want %d, %s", c.won, c.lost, found.Chosen(), found.Reason(ways), c.chosen, c.says)
		}
	}
}
