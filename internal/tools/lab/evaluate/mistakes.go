package evaluate

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Mistake is a document that got another label than its own.
type Mistake struct {
	ID        string `json:"id"`
	Truth     string `json:"label"`
	Label     string `json:"predicted"`
	Posterior Number `json:"posterior"` // of the label it got
	Text      string `json:"text,omitempty"`

	odds float64 // ln of the odds of that label: a posterior near 1 tells no difference
}

// mistakes are the documents with the surest wrong labels, each once.
type mistakes struct {
	limit int
	list  []Mistake // the surest first
}

// add takes an outcome in, if it is a mistake and surer than others. A document without a label is
// none, and none that was decided when there was one class: nothing was sure.
func (m *mistakes) add(o *Outcome) {
	if m.limit == 0 || o.Label == "" || o.Label == o.Truth || len(o.Classes) < 2 {
		return
	}
	x := Mistake{ID: o.ID, Truth: o.Truth, Label: o.Label, Posterior: Number(math.Exp(o.logPosterior(o.Label))),
		Text: o.Text, odds: o.oddsOfLabel()}
	if i := slices.IndexFunc(m.list, func(y Mistake) bool { return y.ID == x.ID }); x.ID != "" && i >= 0 {
		if surer(m.list[i], x) <= 0 {
			return
		}
		m.list = slices.Delete(m.list, i, i+1)
	}
	at, _ := slices.BinarySearchFunc(m.list, x, surer)
	if at == m.limit {
		return
	}
	m.list = slices.Insert(m.list, at, x)
	m.list = m.list[:min(len(m.list), m.limit)]
}

// surer orders mistakes, the surest first, and equally sure ones by their ids.
func surer(a, b Mistake) int {
	return cmp.Or(cmp.Compare(b.odds, a.odds), strings.Compare(a.ID, b.ID), strings.Compare(a.Label, b.Label))
}

// oddsOfLabel returns ln P(label | document) - ln P(not label | document).
func (o *Outcome) oddsOfLabel() float64 {
	i := slices.Index(o.Classes, o.Label)
	if i < 0 {
		return math.Inf(-1)
	}
	return min(o.LogPosterior[i], 0) - logSumExp(slices.Concat(o.LogPosterior[:i], o.LogPosterior[i+1:]))
}

// Confused is how many documents of one class got the label of another.
type Confused struct {
	Truth     string `json:"label"`
	Label     string `json:"predicted"`
	Documents int64  `json:"n"`
}

// MostConfused returns up to n pairs of classes with the most documents of one that got the label
// of the other; equal ones by name.
func (c *Confusion) MostConfused(n int) []Confused {
	pairs := []Confused{}
	for i, row := range c.Rows {
		for j, documents := range row {
			if i != j && documents > 0 {
				pairs = append(pairs, Confused{Truth: c.Labels[i], Label: c.Labels[j], Documents: documents})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b Confused) int { return cmp.Compare(b.Documents, a.Documents) })
	return pairs[:min(n, len(pairs))]
}
