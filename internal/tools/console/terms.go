package console

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"bayestream/internal/bow"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
)

// classJSON is a class with the words that speak most for and against it.
type classJSON struct {
	Name         string     `json:"name"`
	Documents    int64      `json:"documents"`
	Tokens       int64      `json:"tokens"`
	Against      string     `json:"against"`
	WordsFor     []wordJSON `json:"words_for"`
	WordsAgainst []wordJSON `json:"words_against"`
	Hashed       bool       `json:"hashed"`
}

// wordJSON is a term with its counts in a class and in the others, and what they say for the class.
type wordJSON struct {
	Term   string  `json:"term"`
	Weight float64 `json:"weight"`
	Count  int64   `json:"count"`
	Others int64   `json:"others"`
}

type termCountsJSON struct {
	Term      string          `json:"term"`
	Asked     string          `json:"asked"`
	Known     bool            `json:"known"`
	Counts    []termClassJSON `json:"counts"`
	Series    []termTimeJSON  `json:"series"`
	Classes   []string        `json:"classes"`
	Decisions []string        `json:"decisions"`
}

type termClassJSON struct {
	Class       string   `json:"class"`
	Count       int64    `json:"count"`
	PerThousand float64  `json:"per_thousand"`
	Weight      *float64 `json:"weight"`
}

type termTimeJSON struct {
	Time   time.Time `json:"time"`
	Offset int64     `json:"offset"`
	Counts []int64   `json:"counts"`
}

// class answers GET /v1/model/classes/{class}.
func (c *Console) class(r *http.Request, q *query) (any, error) {
	against, limit := q.text("against"), q.limit()
	err := q.check()
	if err != nil {
		return nil, err
	}
	out := classJSON{Name: r.PathValue("class"), Against: against, WordsFor: []wordJSON{}, WordsAgainst: []wordJSON{}}
	c.replica.Read(func(s *fold.State) {
		m := s.Model()
		switch {
		case m == nil:
			err = errNoSpec
		case m.Text() == nil:
			err = errNoText
		default:
			out.Hashed = m.Spec().HashesTerms()
			err = out.describe(m, limit)
		}
	})
	return out, err
}

// describe sets the words of a class, by the difference of their smoothed logarithmic shares.
func (out *classJSON) describe(m *model.Model, limit int) error {
	classes, t := m.Classes(), m.Text()
	id, ok := classes.ID(out.Name)
	if !ok || classes.Documents(id) == 0 {
		return noClass(out.Name)
	}
	other := model.AllOthers
	if out.Against != "" {
		if other, ok = classes.ID(out.Against); !ok || classes.Documents(other) == 0 {
			return noClass(out.Against)
		}
	}
	out.Documents, out.Tokens = classes.Documents(id), t.Total(id)
	most, least := &best{limit: limit}, &best{limit: limit}
	for x := range m.TermWeights(id, other) {
		word := wordJSON{Weight: x.Weight, Count: x.Count, Others: x.Others}
		if x.Weight > 0 {
			most.add(x.Term, word)
		} else if x.Weight < 0 {
			least.add(x.Term, word)
		}
	}
	out.WordsFor, out.WordsAgainst = most.sorted(), least.sorted()
	return nil
}

// best keeps the words with the largest weights.
type best struct {
	limit int
	words []wordJSON
	least float64 // size of the smallest that is kept, when full
}

func (b *best) add(term []byte, w wordJSON) {
	if len(b.words) >= 4*b.limit {
		b.cut()
	}
	if math.Abs(w.Weight) < b.least {
		return
	}
	w.Term = string(term)
	b.words = append(b.words, w)
}

func (b *best) cut() {
	slices.SortFunc(b.words, func(x, y wordJSON) int {
		return cmp.Or(cmp.Compare(math.Abs(y.Weight), math.Abs(x.Weight)), cmp.Compare(x.Term, y.Term))
	})
	if len(b.words) > b.limit {
		b.words = b.words[:b.limit]
		b.least = math.Abs(b.words[b.limit-1].Weight)
	}
}

func (b *best) sorted() []wordJSON {
	b.cut()
	return append([]wordJSON{}, b.words...)
}

// term answers GET /v1/model/terms/{term}.
func (c *Console) term(r *http.Request) (any, error) {
	out := termCountsJSON{Asked: r.PathValue("term"), Counts: []termClassJSON{}, Series: []termTimeJSON{},
		Classes: []string{}, Decisions: []string{}}
	l, err := c.lens()
	if err != nil {
		return nil, err
	}
	var counted []byte
	if out.Term, counted, err = c.countedTerm(l, out.Asked); err != nil {
		return nil, err
	}
	points := c.trend.follow(time.Now(), c.replica, string(counted))
	c.replica.Read(func(s *fold.State) {
		if m := s.Model(); m != nil && m.Text() != nil {
			out.describe(m, counted)
		}
	})
	for _, p := range points {
		at := termTimeJSON{Time: p.at, Offset: p.offset, Counts: []int64{}}
		for _, class := range out.Classes {
			at.Counts = append(at.Counts, p.counts[class])
		}
		out.Series = append(out.Series, at)
	}
	out.Decisions = c.memory.with(out.Term, out.Asked)
	return out, nil
}

// countedTerm returns the first term of a word, and what the counts know it by. A term is its own
// word.
func (c *Console) countedTerm(l *lens, word string) (term string, counted []byte, err error) {
	if l.spec.Text == nil {
		return "", nil, errNoText
	}
	isCounted := false
	c.replica.Read(func(s *fold.State) {
		if m := s.Model(); m != nil && m.Text() != nil {
			isCounted = m.Text().Lookup(bow.Hash([]byte(word)), []byte(word)) >= 0
		}
	})
	if isCounted || l.hashed {
		return word, []byte(word), nil
	}
	x := l.lanes.Get().(*model.Lane)
	defer l.lanes.Put(x)
	x.Extractor.Extract(&x.Features, wordInput(word, l))
	if x.Features.Bag.Len() == 0 {
		return word, []byte(word), nil
	}
	return x.Features.Bag.Name(0), slices.Clone(x.Features.Bag.Term(0)), nil
}

// wordInput returns a document of one word.
func wordInput(word string, l *lens) *model.Input {
	return &model.Input{Segments: []model.Segment{{Mark: l.firstMark(), Text: []byte(word)}}}
}

// describe sets the counts of a term.
func (out *termCountsJSON) describe(m *model.Model, term []byte) {
	classes, t := m.Classes(), m.Text()
	var sum int64
	by := countsOf(classes, t, term)
	for i := range by {
		sum += by[i].Count
	}
	out.Known = sum > 0
	for i, c := range classes.Live() {
		n, total := by[i].Count, t.Total(c)
		x := termClassJSON{Class: by[i].Class, Count: n, PerThousand: 1000 * float64(n) / float64(max(1, total))}
		if out.Known {
			x.Weight = finite(m.TermShares(c, model.AllOthers).Weight(n, sum-n))
		}
		out.Counts = append(out.Counts, x)
		out.Classes = append(out.Classes, x.Class)
	}
}

// mostWith is how many decisions are named that have a word.
const mostWith = 20

// with returns the places of the newest decisions that have one of the words.
func (m *memory) with(words ...string) []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := []string{}
	for _, e := range slices.Backward(m.entries) {
		has := func(w string) bool { return w != "" && e.has(strings.ToLower(w)) }
		if len(out) < mostWith && slices.ContainsFunc(words, has) {
			out = append(out, e.Place)
		}
	}
	return out
}
