package console

import (
	"slices"
	"strings"
)

// filter says which decisions a page shows.
type filter struct {
	label, status, word, truth string
	byTruth                    bool
	min, max                   float64
}

// filterOf reads the filter of a query.
func filterOf(q *query) filter {
	f := filter{
		label: q.text("label"), status: q.oneOf("status", "", "ok", "unsure", "cold", "empty", "impossible"),
		word: strings.ToLower(q.text("word")),
		min:  q.number("min", 0, 0, 1), max: q.number("max", 1, 0, 1),
	}
	f.truth = q.text("truth")
	f.byTruth = q.has("truth")
	return f
}

// matches reports whether a decision is shown. The lock of the memory is held, at least shared.
func (f *filter) matches(e *entry) bool {
	switch {
	case f.label != "" && (e.label == nil || *e.label != f.label):
		return false
	case f.status != "" && e.status != f.status:
		return false
	case f.byTruth && (e.truth == nil || *e.truth != f.truth):
		return false
	case f.min > 0 && (e.confidence == nil || *e.confidence < f.min):
		return false
	case f.max < 1 && (e.confidence == nil || *e.confidence > f.max):
		return false
	}
	return f.word == "" || e.has(f.word)
}

// has reports whether a word, in lower case, is in the snippet or the evidence.
func (e *entry) has(word string) bool {
	if e.snippet != nil && strings.Contains(strings.ToLower(*e.snippet), word) {
		return true
	}
	return slices.ContainsFunc(e.evidence, func(x evidenceJSON) bool {
		return strings.EqualFold(x.Term, word) || slices.ContainsFunc(x.As,
			func(as string) bool { return strings.EqualFold(as, word) })
	})
}
