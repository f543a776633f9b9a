package console

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/shell/httpapi"
)

// query reads the parameters of an address. The first that is wrong is the error.
type query struct {
	values url.Values
	known  []string
	err    error
}

func queryOf(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = fmt.Errorf("the query of the address cannot be read: %w", err)
	}
	return &query{values: values, err: err}
}

func (q *query) text(name string) string {
	q.known = append(q.known, name)
	if len(q.values[name]) > 1 {
		q.wrong(name, "one value")
	}
	return q.values.Get(name)
}

func (q *query) wrong(name, want string) {
	if q.err == nil {
		q.err = fmt.Errorf("%s=%q: want %s", name, q.values.Get(name), want)
	}
}

func (q *query) oneOf(name, usual string, choices ...string) string {
	value := q.text(name)
	if value == "" {
		return usual
	}
	if !slices.Contains(choices, value) {
		q.wrong(name, "one of "+strings.Join(choices, ", "))
	}
	return value
}

func (q *query) number(name string, usual, least, most float64) float64 {
	text := q.text(name)
	if text == "" {
		return usual
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least && x <= most) {
		q.wrong(name, fmt.Sprintf("a number from %v to %v", least, most))
		return usual
	}
	return x
}

func (q *query) integer(name string, usual, least, most int64) int64 {
	text := q.text(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		q.wrong(name, fmt.Sprintf("an integer from %d to %d", least, most))
		return usual
	}
	return n
}

// limit reads the entries of a page.
func (q *query) limit() int { return int(q.integer("limit", usualPage, 1, mostPage)) }

const (
	usualPage = 50
	mostPage  = 200
)

// check returns what is wrong with the query. It comes after all parameters were read.
func (q *query) check() error {
	for name := range q.values {
		if q.err == nil && !slices.Contains(q.known, name) {
			q.err = fmt.Errorf("unknown query parameter %q", name)
		}
	}
	if q.err != nil {
		return badRequest("%v", q.err)
	}
	return nil
}

// badRequest refuses a request that is wrong by itself.
func badRequest(format string, args ...any) error {
	return httpapi.Refusef(http.StatusBadRequest, "bad_request", format, args...)
}

// notFound refuses a request for what is not there.
func notFound(format string, args ...any) error {
	return httpapi.Refusef(http.StatusNotFound, "not_found", format, args...)
}

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
	f.byTruth = q.values.Has("truth")
	return f
}

// matches reports whether a decision is shown. The lock of the memory is held, at least shared.
func (f *filter) matches(e *entry) bool {
	switch {
	case f.label != "" && (e.Label == nil || *e.Label != f.label):
		return false
	case f.status != "" && e.Status != f.status:
		return false
	case f.byTruth && (e.Truth == nil || *e.Truth != f.truth):
		return false
	case f.min > 0 && (e.Confidence == nil || *e.Confidence < f.min):
		return false
	case f.max < 1 && (e.Confidence == nil || *e.Confidence > f.max):
		return false
	}
	return f.word == "" || e.has(f.word)
}

// has reports whether a word, in lower case, is in the snippet or the evidence.
func (e *entry) has(word string) bool {
	if e.Snippet != nil && strings.Contains(strings.ToLower(*e.Snippet), word) {
		return true
	}
	return slices.ContainsFunc(e.Evidence, func(x evidenceJSON) bool {
		return strings.EqualFold(x.Term, word) || slices.ContainsFunc(x.As,
			func(as string) bool { return strings.EqualFold(as, word) })
	})
}

// history answers GET /v1/history.
func (c *Console) history(r *http.Request, q *query) (any, error) {
	f := filterOf(q)
	before := q.integer("before", math.MaxInt64, 0, math.MaxInt64)
	limit := q.limit()
	if err := q.check(); err != nil {
		return nil, err
	}
	page, more := c.memory.page(&f, before, limit)
	c.describe(r.Context(), page, describeAsks)
	c.memory.mu.RLock()
	h := historyJSON{Decisions: []decisionJSON{}, Kept: len(c.memory.entries), More: more}
	for _, e := range page {
		h.Decisions = append(h.Decisions, e.decisionJSON)
	}
	c.memory.mu.RUnlock()
	if more {
		h.Next = &page[len(page)-1].Number
	}
	return h, nil
}

// page returns the newest decisions that match, of those with a smaller number than before, and
// whether there are more.
func (m *memory) page(f *filter, before int64, limit int) (page []*entry, more bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, e := range slices.Backward(m.entries) {
		if e.Number >= before || !f.matches(e) {
			continue
		}
		if len(page) == limit {
			return page, true
		}
		page = append(page, e)
	}
	return page, false
}
