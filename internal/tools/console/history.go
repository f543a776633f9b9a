package console

import (
	"math"
	"net/http"
)

// history answers GET /v1/history.
func (c *Console) history(w http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	f := filterOf(q)
	before := q.integer("before", math.MaxInt64, 0, math.MaxInt64)
	limit := q.limit()
	if !c.checked(w, q) {
		return
	}
	page, more := c.memory.page(&f, before, limit)
	c.describe(r.Context(), page, describeAsks)
	c.memory.mu.RLock()
	h := historyJSON{Decisions: []decisionJSON{}, Kept: len(c.memory.entries), More: more}
	for _, e := range page {
		h.Decisions = append(h.Decisions, e.answer())
	}
	c.memory.mu.RUnlock()
	if more {
		h.Next = &page[len(page)-1].number
	}
	c.answer(w, h)
}

// page returns the newest decisions that match, of those with a smaller number than before, and
// whether there are more.
func (m *memory) page(f *filter, before int64, limit int) (page []*entry, more bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for number := min(before, m.next) - 1; number >= m.oldest(); number-- {
		e := m.at(number)
		if !f.matches(e) {
			continue
		}
		if len(page) == limit {
			return page, true
		}
		page = append(page, e)
	}
	return page, false
}
