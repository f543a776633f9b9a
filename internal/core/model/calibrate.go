package model

import (
	"math"

	"bayestream/internal/core/race"
)

const (
	// sharper and softer bound by how much a calibration changes tau: classes that are next to equal
	// must not be told apart by what is known about documents as sure as this one.
	sharper = 4
	softer  = 16
	// shown bounds what a text says against a class of n documents: odds of shown (n + 1).
	shown = 8
)

// calibrated returns the tau at which the most probable class of the last document is as sure as
// the calibration and the documents of the next class say, instead of s.tau. The order of the
// classes stays, and so does the form of all that is written.
//
// docs/examples/sklearn_model.py does the same with what export writes, by Newton's method. The
// second derivative costs two multiplications a class, and a step that fewer exponentials (Halley).
func (s *Scorer) calibrated(c *race.Calibration) float64 {
	top, next := s.best()
	if next < 0 || s.joint[next] == s.joint[top] || math.IsInf(s.joint[next], -1) {
		return s.tau // there is one class, or nothing tells two apart
	}
	least := s.tau / softer
	at := s.logOdds(top, next, s.tau)
	odds := c.Of(-at.log)
	target := -s.bounded(odds, top, next)
	if -target < odds { // few documents may show less: at least this is needed, with two classes just this
		least = min(least, target/(s.joint[next]-s.joint[top]))
	}
	tau := s.tau
	for range 30 {
		step := (target - at.log) / at.slope
		// 1 were Newton's, which is too short where it increases tau: ln R is convex
		step /= max(0.5, 1+0.5*step*at.curvature/at.slope)
		to := min(max(tau+step, least), s.tau*sharper)
		near := math.Abs(to-tau) <= 1e-4*tau // the error that is left is of the order of its cube
		tau = to
		if near || len(s.m.classes.Choices()) == 2 { // ln R of two classes is a line in tau
			break
		}
		at = s.logOdds(top, next, tau)
	}
	return tau
}

// bounded returns the log odds of the most probable class, so that it is no surer than the documents
// of the next class can show (Laplace's rule of succession), and its prior where that speaks for it.
// Above that bound they grow as a logarithm, to keep the order of documents of these two classes.
func (s *Scorer) bounded(odds float64, top, next int) float64 {
	prior := s.prior
	if !s.by.prior {
		prior = s.m.logPrior
	}
	evidence := math.Log(shown * (1 + float64(s.m.classes.Documents(next))))
	most := evidence + max(0, prior[top]-prior[next])
	if !(odds > most) { // or there is no bound, as neither class has a document
		return odds
	}
	return most + math.Log1p(odds-most)
}

// best returns the two choices with the largest joint log likelihood; next is -1 if there is one.
func (s *Scorer) best() (top, next int) {
	top = -1
	next = -1
	for _, c := range s.m.classes.Choices() {
		switch {
		case top < 0 || s.joint[c] > s.joint[top]:
			next = top
			top = c
		case next < 0 || s.joint[c] > s.joint[next]:
			next = c
		}
	}
	return top, next
}

// logOdds are the logarithm of the odds R of all classes but the best against it, and its
// derivatives in tau.
type logOdds struct{ log, slope, curvature float64 }

// logOdds returns those under a tau.
func (s *Scorer) logOdds(top, next int, tau float64) logOdds {
	gap := s.joint[next] - s.joint[top]
	sum := 1.0 // the odds of next against itself
	var first, second float64
	for _, c := range s.m.classes.Choices() {
		behind := s.joint[c] - s.joint[next]
		if c == top || c == next || tau*behind < negligible {
			continue
		}
		odds := math.Exp(tau * behind)
		sum += odds
		first += behind * odds
		second += behind * behind * odds
	}
	if sum == 1 {
		return logOdds{log: tau * gap, slope: gap}
	}
	mean := first / sum
	return logOdds{tau*gap + math.Log(sum), gap + mean, second/sum - mean*mean}
}
