package race

import (
	"fmt"
	"slices"

	"bayestream/internal/core/spec"
)

const (
	// Enough is how many records must be scored before they choose a leader.
	Enough = 200
	// full is how many scored records halve the sums, so that old ones weigh less.
	full = 1 << 14
)

// State is the race after a record of the log.
type State struct {
	list    *List
	sums    *Sums
	tempers []int // by candidate of List.Scored: that of the least loss, by its place in Tempers
	leader  Leader
}

// Leader is what decides.
type Leader struct {
	Candidate spec.Candidate
	Temper    spec.Temper
}

// NewState returns the race of a list before any record.
func NewState(l *List) *State {
	s := &State{list: l, sums: NewSums(len(l.scored)), leader: l.start()}
	s.temper()
	return s
}

// Restore returns a race that has come so far. It takes the sums over. The error says that it
// cannot have.
func Restore(l *List, sums *Sums, leader Leader) (*State, error) {
	c := leader.Candidate
	switch {
	case sums.Scored >= full:
		return nil, fmt.Errorf("sums of %d records, which are halved", sums.Scored)
	case !c.Races() || !(c.Alpha > 0) || !(c.Corrections >= 0) || !slices.Contains(grid, leader.Temper):
		return nil, fmt.Errorf("%v with the temper %v leads, which cannot race", c, leader.Temper)
	}
	if err := sums.Check(l); err != nil {
		return nil, err
	}
	s := &State{list: l, sums: sums, leader: leader}
	s.temper()
	return s, nil
}

// SetList begins the race of another list, without sums. A leader that records chose stays until
// enough of them are scored again, unless it is no likelihood and the spec has another prior now, or
// other blocks, which cannot be added to its score. The same list changes nothing.
func (s *State) SetList(l *List) {
	chosen := s.leader != s.list.start()
	if l.of != s.list.of {
		s.sums = NewSums(len(l.scored))
	}
	s.list = l
	s.temper()
	if !chosen || l.racing > 0 && !l.scores && !spec.IsLikelihood(s.leader.Candidate.Likelihood) {
		s.leader = l.start()
	}
}

// Fold adds the sums of a delta if they are of the list in force, and reports whether they are. The
// sums must have been checked.
func (s *State) Fold(of Fingerprint, d *Sums) bool {
	if of != s.list.of {
		return false
	}
	isOpen := s.sums.Scored < AllScored
	s.sums.Add(d)
	for s.sums.Scored >= full {
		s.sums.halve()
	}
	s.temper()
	s.choose(isOpen)
	return true
}

// List returns the list in force.
func (s *State) List() *List { return s.list }

// Sums returns the sums. It is a view.
func (s *State) Sums() *Sums { return s.sums }

// Leader returns what decides.
func (s *State) Leader() Leader { return s.leader }

// Multinomial returns the multinomial that decides where the leader cannot: the leader if it is
// one, else Fallback.
func (s *State) Multinomial() Leader {
	if s.leader.Candidate.Likelihood == spec.Multinomial {
		return s.leader
	}
	return s.Fallback()
}

// Fallback returns the multinomial that decides where another likelihood cannot: the best one, the
// first until enough is known.
func (s *State) Fallback() Leader {
	best := -1
	for i, c := range s.list.Racing() {
		if c.Likelihood == spec.Multinomial && (best < 0 || s.isBetter(i, best)) {
			best = i
		}
	}
	if best < 0 || s.sums.Scored < Enough {
		return s.list.startMultinomial()
	}
	return s.lead(best)
}

// Temper returns the temper of a candidate of List.Scored with the least loss, by its place in
// Tempers.
func (s *State) Temper(i int) int { return s.tempers[i] }

func (s *State) temper() {
	s.tempers = s.tempers[:0]
	for i := range s.sums.By {
		s.tempers = append(s.tempers, leastLoss(s.sums.By[i].Loss))
	}
}

// Calibration returns how sure a leader is to be made by what was counted of its decisions; nil if
// that is not known.
func (s *State) Calibration(l Leader) *Calibration {
	i := slices.Index(s.list.scored, l.Candidate)
	if i < 0 {
		return nil
	}
	return s.sums.By[i].Confidence.Calibration()
}

// lead returns a candidate with its temper of the least loss.
func (s *State) lead(i int) Leader {
	return Leader{s.list.scored[i], grid[s.Temper(i)]}
}

// choose sets the leader if enough is known: the best candidate while the race is open, later only
// one that is clearly better than the leader before; with its temper of the least loss.
func (s *State) choose(isOpen bool) {
	if s.sums.Scored < Enough || s.list.racing == 0 {
		return
	}
	best := 0
	incumbent := -1
	for i, c := range s.list.Racing() {
		if s.isBetter(i, best) {
			best = i
		}
		if c == s.leader.Candidate {
			incumbent = i
		}
	}
	if incumbent >= 0 && !isOpen && !s.isClear(best, incumbent) {
		best = incumbent
	}
	s.leader = s.lead(best)
}

// cost returns what the decisions of a candidate cost, in Unit: an error is 1 by accuracy.
func (s *State) cost(i int) int64 {
	if s.list.by == spec.ByAccuracy {
		return s.sums.By[i].Errors * Unit
	}
	return s.sums.By[i].Cost
}

// Nats is how much log loss weighs as much as an error, where candidates or ways to count are
// compared.
const Nats = 4

// Cost returns what a decision costs, in errors. Its log loss, in nats and at most MaxLoss, adds 1 for
// each Nats.
func Cost(isRight bool, loss float64) float64 {
	cost := min(loss, MaxLoss/Unit) / Nats
	if !isRight {
		cost++
	}
	return cost
}

// isBetter reports whether a candidate costs less than another, with its log loss: of two that make
// about as many errors the one that is surer of what is right is better, and errors alone are too few
// to tell that.
func (s *State) isBetter(i, other int) bool { return s.rank(i) < s.rank(other) }

// rank is what orders candidates: the lower, the better. Where all classes weigh alike it is half
// that and half plain errors, so that small classes are not bought by many errors in large ones. The
// log loss is that of the large classes, and no part of it then.
func (s *State) rank(i int) int64 {
	if s.list.by == spec.ByBalanced {
		return s.cost(i) + s.sums.By[i].Errors*Unit
	}
	return Nats*s.cost(i) + s.loss(i)
}

// loss returns the least log loss of a candidate.
func (s *State) loss(i int) int64 { return s.sums.By[i].Loss[s.Temper(i)] }

// isClear reports whether a candidate costs less than the leader by more than 5 + sqrt(cost of the
// leader), which chance alone would make up. Of the difference in units of 1/1024 the square is in
// Unit, and does not overflow.
func (s *State) isClear(best, leader int) bool {
	cost := s.cost(leader)
	more := (cost - s.cost(best) - 5*Unit) >> 10
	return more > 0 && more*more > cost
}

// leastLoss returns the first temper with the least loss.
func leastLoss(loss []int64) int { return slices.Index(loss, slices.Min(loss)) }
