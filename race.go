package bayestream

import (
	"strconv"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
)

// score scores the document of m.learn under the candidates of a race before it is learned, if it
// is drawn: so it is found out which of them decides. It will be the number-th of the model. Where
// nothing races score does nothing.
func (m *Model) score(label string, number int64) {
	s := m.state
	if !races(s) || !m.trial.Draws(s.Model(), number, digest.HashString(strconv.FormatInt(number, 10))) {
		return
	}
	m.trial.Use(s.Race().List())
	m.trial.Race(s.Model(), s.Race(), &m.learn.lane.Features, label)
}

// races reports whether a state has candidates to score.
func races(s *fold.State) bool { return s.Race() != nil && len(s.Race().List().Scored()) > 0 }

// lead gives what was scored to the state, whose leader then decides.
func (m *Model) lead() {
	if scores := fold.ScoresOf(m.trial); scores != nil {
		m.state.Score(scores)
		m.trial.Reset()
	}
}

// most returns how many documents Learn collects: where candidates race few beside those that the
// model has, so that none is scored by a model that is far behind.
func most(s *fold.State, documents int64) int {
	if !races(s) {
		return flushAt
	}
	return int(min(flushAt, race.MostAhead(documents)))
}
