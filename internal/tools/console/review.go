package console

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
)

// reviewJSON is what a person should label next.
type reviewJSON struct {
	Order     string           `json:"order"`
	Classes   []string         `json:"classes"`
	Waiting   int              `json:"waiting"`
	Items     []reviewItemJSON `json:"items"`
	Conflicts []conflictJSON   `json:"conflicts"`
}

type reviewItemJSON struct {
	Decision decisionJSON `json:"decision"`
	Score    float64      `json:"score"`
	Like     int          `json:"like"`
}

// conflictJSON is a text that has two labels.
type conflictJSON struct {
	Text   string              `json:"text"`
	Labels []conflictLabelJSON `json:"labels"`
}

type conflictLabelJSON struct {
	Label     string   `json:"label"`
	Documents []string `json:"documents"`
}

const (
	reviewLooks = 1000 // of the most unsure decisions
	alike       = 0.5  // share of the words that two texts have in common
)

// candidate is a decision that waits for a person.
type candidate struct {
	entry *entry
	score float64
	words []string // sorted
	like  int
}

// review answers GET /v1/review.
func (c *Console) review(r *http.Request, q *query) (any, error) {
	order := q.oneOf("order", "unsure", "unsure", "word", "conflicts")
	f := filter{label: q.text("label"), word: strings.ToLower(q.text("word")), max: 1}
	limit := q.limit()
	if err := q.check(); err != nil {
		return nil, err
	}
	if order == "word" && f.word == "" {
		return nil, badRequest("order=word needs word")
	}
	out := reviewJSON{Order: order, Classes: c.classNames(), Items: []reviewItemJSON{}, Conflicts: []conflictJSON{}}
	if order == "conflicts" {
		out.Conflicts = c.memory.conflicts(limit)
		return out, nil
	}
	waiting := c.memory.waiting(&f)
	out.Waiting = len(waiting)
	waiting = waiting[:min(len(waiting), reviewLooks)]
	var entries []*entry
	for _, x := range waiting[:min(len(waiting), 2*limit)] {
		entries = append(entries, x.entry)
	}
	c.describe(r.Context(), entries, describeAsks)
	picked := c.memory.pick(waiting, limit, order == "unsure")
	c.memory.mu.RLock()
	for _, x := range picked {
		out.Items = append(out.Items,
			reviewItemJSON{Decision: x.entry.decisionJSON, Score: x.score, Like: x.like})
	}
	c.memory.mu.RUnlock()
	return out, nil
}

// classNames returns the classes in the order of the number keys.
func (c *Console) classNames() []string {
	s := sessionJSON{Classes: []string{}}
	c.describeModel(&s)
	slices.Sort(s.Classes)
	return s.Classes
}

// waiting returns the decisions that match and wait for a person: first those of which no label is
// known, the most unsure first, then those whose label came and is another one, the surest first,
// because the label may be wrong.
func (m *memory) waiting(f *filter) []candidate {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var unknown, disputed []candidate
	for _, e := range slices.Backward(m.entries) {
		switch {
		case e.Correction != nil || m.byID[e.ID] != e || !f.matches(e):
		case e.Truth == nil:
			unknown = append(unknown, candidate{entry: e, score: unsure(e)})
		case e.Label != nil && *e.Label != *e.Truth && e.Confidence != nil:
			disputed = append(disputed, candidate{entry: e, score: *e.Confidence})
		}
	}
	byScore := func(a, b candidate) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(unknown, byScore)
	slices.SortStableFunc(disputed, byScore)
	return append(unknown, disputed...)
}

// unsure returns how much a label would tell: the entropy of the posterior, 1 for equal odds of the
// classes that are known.
func unsure(e *entry) float64 {
	if len(e.Posterior) < 2 {
		if e.Confidence == nil {
			return 1
		}
		return 1 - math.Abs(2*(*e.Confidence)-1)
	}
	sum := 0.0
	for _, p := range e.Posterior {
		if p > 0 {
			sum -= p * math.Log(p)
		}
	}
	return min(1, sum/math.Log(float64(len(e.Posterior))))
}

// pick returns the first candidates. If they are to be diverse, it passes over those that are like
// one that it picked.
func (m *memory) pick(from []candidate, limit int, diverse bool) (out []candidate) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, x := range from {
		x.words = wordsOf(x.entry)
		i := -1
		if diverse {
			i = slices.IndexFunc(out, func(y candidate) bool { return isLike(x.words, y.words) })
		}
		if i >= 0 {
			out[i].like++
			continue
		}
		if len(out) < limit {
			out = append(out, x)
		}
	}
	return out
}

// wordsOf returns the words of a snippet, or the terms of the evidence without one.
func wordsOf(e *entry) []string {
	var out []string
	if e.Snippet != nil {
		out = strings.Fields(strings.ToLower(*e.Snippet))
	} else {
		for _, x := range e.Evidence {
			out = append(out, x.Term)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isLike reports whether two sorted lists of words have much in common.
func isLike(a, b []string) bool {
	common, i, k := 0, 0, 0
	for i < len(a) && k < len(b) {
		switch {
		case a[i] == b[k]:
			common++
			i++
			k++
		case a[i] < b[k]:
			i++
		default:
			k++
		}
	}
	return common > 0 && float64(common) > alike*float64(len(a)+len(b)-common)
}

// conflicts returns texts that have two labels: said by training records, else decided.
func (m *memory) conflicts(limit int) []conflictJSON {
	m.mu.RLock()
	defer m.mu.RUnlock()
	by := map[string]map[string][]string{}
	var order []string
	for _, e := range slices.Backward(m.entries) {
		label := cmp.Or(e.Truth, e.Label)
		if e.Snippet == nil || *e.Snippet == "" || label == nil || m.byID[e.ID] != e {
			continue
		}
		if by[*e.Snippet] == nil {
			by[*e.Snippet] = map[string][]string{}
			order = append(order, *e.Snippet)
		}
		if places := by[*e.Snippet][*label]; len(places) < ofCell {
			by[*e.Snippet][*label] = append(places, e.Place)
		}
	}
	out := []conflictJSON{}
	for _, text := range order {
		if len(by[text]) < 2 || len(out) == limit {
			continue
		}
		c := conflictJSON{Text: text}
		for label, places := range by[text] {
			c.Labels = append(c.Labels, conflictLabelJSON{label, places})
		}
		slices.SortFunc(c.Labels, func(a, b conflictLabelJSON) int { return strings.Compare(a.Label, b.Label) })
		out = append(out, c)
	}
	return out
}
