package race

import "bayestream/internal/spec"

// State is the race behind a record of the log. The zero State has no list.
type State struct {
	list   List
	of     Fingerprint
	sums   *Sums
	leader Leader
}

// Leader is what decides.
type Leader struct {
	Candidate Candidate
	Temper    spec.Temper
}

// NewState returns the race of a list before any record.
func NewState(l List) *State {
	s := &State{leader: Leader{Fallback, grid[0]}}
	s.SetList(l)
	return s
}

// SetList begins the race of another list, without sums. The leader stays until enough records are scored. The same
// list changes nothing.
func (s *State) SetList(l List) {
	if of := l.Fingerprint(); s.sums == nil || of != s.of {
		s.list = l
		s.of = of
		s.sums = NewSums(len(l))
	}
}

// Fold adds the sums of a delta if they are of the list in force, and reports whether they are. The sums must have
// been checked.
func (s *State) Fold(of Fingerprint, d *Sums) bool {
	if of != s.of {
		return false
	}
	s.sums.Add(d)
	for s.sums.Scored >= full {
		s.sums.halve()
	}
	s.choose()
	return true
}

// Sums returns the sums. It is a view.
func (s *State) Sums() *Sums { return s.sums }

// Leader returns what decides.
func (s *State) Leader() Leader { return s.leader }

// choose sets the leader if enough is known: the candidate with the fewest errors, if that is better by more than 5 and
// the square root of the errors of the leader before, which chance alone would make up; and its temper with the least loss.
func (s *State) choose() {
	if s.sums.Scored < Enough || len(s.list) == 0 {
		return
	}
	best := 0
	incumbent := -1
	for i := range s.list {
		if s.sums.By[i].Errors < s.sums.By[best].Errors {
			best = i
		}
		if s.list[i] == s.leader.Candidate {
			incumbent = i
		}
	}
	if incumbent >= 0 && !s.isClear(best, incumbent) {
		best = incumbent
	}
	s.leader = Leader{s.list[best], grid[leastLoss(s.sums.By[best].Loss)]}
}

// isClear reports whether a candidate is better than the leader by more than 5 + sqrt(errors of the leader), in integers.
func (s *State) isClear(best, leader int) bool {
	errors := s.sums.By[leader].Errors
	more := errors - s.sums.By[best].Errors - 5
	return more > 0 && more*more > errors
}

// leastLoss returns the first temper with the least loss.
func leastLoss(loss []int64) int {
	least := 0
	for i := range loss {
		if loss[i] < loss[least] {
			least = i
		}
	}
	return least
}
