package storetest

import (
	"bayestream/internal/core/fold"
	"bayestream/internal/core/race"
)

// Scores returns scores of up to so many records, of a list.
func Scores(l *race.List, scored int, draw Chance) *fold.Scores {
	s := race.NewSums(len(l.Scored()))
	s.Scored = int64(draw(scored + 1))
	count := func() int64 { return int64(draw(int(s.Scored) + 1)) }
	s.Decided.Errors = count()
	s.Decided.Loss = s.Decided.Errors * race.Unit / 3
	for range min(s.Scored, 3) {
		s.Decided.Confidence.Add(float64(1+draw(99))/100, draw(3) > 0)
	}
	for i := range s.By {
		c := &s.By[i]
		c.Errors = count()
		c.Cost = c.Errors * race.Unit / 2
		if draw(2) > 0 {
			c.Confidence = s.Decided.Confidence
		}
		best := draw(len(c.Loss))
		for j := range c.Loss {
			c.Loss[j] = s.Scored * int64(1+max(j-best, best-j))
		}
	}
	return &fold.Scores{List: l.Fingerprint(), Sums: s, Classes: tallies(s, draw)}
}

// tallies returns those of the classes of the records of sums.
func tallies(s *race.Sums, draw Chance) race.Tallies {
	t := race.Tallies{}
	for i := range s.Scored {
		truth := string(rune('a' + draw(3)))
		decided := truth
		if i < s.Decided.Errors {
			decided = string(rune('d' + draw(2)))
		}
		t.Score(truth, decided)
	}
	return t
}
