package bayestream

import (
	"strconv"

	"bayestream/internal/core/digest"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
)

// contest scores documents under the candidates of a race before they are learned, so that it is
// found out which of them decides.
type contest struct {
	scorer *model.RaceScorer
	list   *race.List
	sums   *race.Sums // of what the state has not
}

// score scores a document, which will be the number-th of the model, if it is drawn. Where nothing
// races it does nothing.
func (c *contest) score(s *fold.State, f *model.Features, label string, number int64) {
	m := s.Model()
	if !races(s) || len(m.Classes().Live()) == 0 || !race.Draws(number, digest.HashString(strconv.FormatInt(number, 10)),
		s.Spec().Race.Share) {
		return
	}
	if l := s.Race().List(); c.list == nil || c.list.Fingerprint() != l.Fingerprint() {
		c.list = l
		c.sums = race.NewSums(len(l.Scored()))
		c.scorer = model.NewRaceScorer(l)
	}
	c.scorer.Add(c.sums, s.Race(), m, f, label)
}

// races reports whether a state has candidates to score.
func races(s *fold.State) bool { return s.Race() != nil && len(s.Race().List().Scored()) > 0 }

// flush gives what was scored to the state, whose leader then decides.
func (c *contest) flush(s *fold.State) {
	if c.sums != nil && c.sums.Scored > 0 {
		s.Score(&fold.Scores{List: c.list.Fingerprint(), Sums: c.sums})
		c.sums.Reset()
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
