package console

import (
	"slices"
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
)

// raceJSON is how the candidates of a spec do.
type raceJSON struct {
	Leader     string              `json:"leader"`
	Candidates []raceCandidateJSON `json:"candidates"`
	Series     []raceTimeJSON      `json:"series"`
}

// raceCandidateJSON is one of the candidates.
type raceCandidateJSON struct {
	Name      string   `json:"name"`
	Errors    int64    `json:"errors"`
	Cost      float64  `json:"cost,omitzero"` // of the decisions by the losses of the spec; absent where it names none
	LogLoss   *float64 `json:"log_loss"`
	Documents int64    `json:"documents"`
}

// raceTimeJSON is how the candidates did at a time.
type raceTimeJSON struct {
	Time    time.Time  `json:"time"`
	LogLoss []*float64 `json:"log_loss"`
}

const mostRaced = 200 // points

// raceTrend is how the candidates of a race did, as this console saw it.
type raceTrend struct {
	table  *race.Table // the newest; nil: no candidates race
	scored int64       // of the last point
	series []raceTimeJSON
}

// note adds a point if records were scored since the last one. Another list of candidates starts
// the trend over.
func (x *raceTrend) note(now time.Time, s *fold.State) {
	var t *race.Table
	if s.Race() != nil {
		t = s.Race().Table()
	}
	if t == nil || !slices.Equal(namesOf(t), namesOf(x.table)) {
		*x = raceTrend{}
	}
	x.table = t
	if t == nil || t.Scored == 0 || t.Scored == x.scored {
		return
	}
	x.scored = t.Scored
	p := raceTimeJSON{Time: now.UTC(), LogLoss: []*float64{}}
	for i := range t.Candidates {
		p.LogLoss = append(p.LogLoss, finite(t.Candidates[i].Loss))
	}
	x.series = thin(append(x.series, p), mostRaced)
}

// namesOf returns the candidates of a race.
func namesOf(t *race.Table) (names []string) {
	if t == nil {
		return nil
	}
	for i := range t.Candidates {
		name := t.Candidates[i].Candidate
		if t.Candidates[i].Shadow {
			name += " (shadow)"
		}
		names = append(names, name)
	}
	return names
}

// race returns how the candidates of the spec do; nil: it names none.
func (t *trend) race() *raceJSON {
	t.mu.Lock()
	defer t.mu.Unlock()
	table := t.raced.table
	if table == nil {
		return nil
	}
	out := &raceJSON{Leader: table.Leader.Candidate, Candidates: []raceCandidateJSON{},
		Series: append([]raceTimeJSON{}, t.raced.series...)}
	for i, name := range namesOf(table) {
		c := raceCandidateJSON{Name: name, Errors: table.Candidates[i].Errors, Cost: table.Candidates[i].Cost,
			Documents: table.Scored}
		if table.Scored > 0 {
			c.LogLoss = finite(table.Candidates[i].Loss)
		}
		out.Candidates = append(out.Candidates, c)
	}
	return out
}
