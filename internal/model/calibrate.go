package model

import (
	"math"

	"bayestream/internal/race"
)

const (
	// sharper bounds by how much a calibration changes tau, either way: classes that are next to equal must not be told apart by
	// what is known about documents as sure as this one.
	sharper = 4
	softer  = 16
)

// calibrated returns the tau at which the most probable class of the last document is as sure as the calibration says, instead of s.tau. The order
// of the classes stays, and so does the form of all that is written.
//
// docs/examples/sklearn_model.py does the same with what export writes. With R the odds of the other classes, ln R is convex in tau: Newton's steps come to its value from below, and never pass it.
func (s *Scorer) calibrated(c *race.Calibration) float64 {
	top, next := s.best()
	if next < 0 || s.joint[next] == s.joint[top] || math.IsInf(s.joint[next], -1) {
		return s.tau // there is one class, or nothing tells two apart
	}
	log, slope := s.logOdds(top, next, s.tau)
	target := -c.Of(-log)
	tau := s.tau
	for range 30 {
		to := min(max(tau+(target-log)/slope, s.tau/softer), s.tau*sharper)
		near := math.Abs(to-tau) <= 1e-9*tau // then the step has squared that
		tau = to
		if near {
			break
		}
		log, slope = s.logOdds(top, next, tau)
	}
	return tau
}

// best returns the two live classes with the largest joint log likelihood; next is -1 if there is one.
func (s *Scorer) best() (top, next int) {
	top = -1
	next = -1
	for _, c := range s.m.classes.Live() {
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

// logOdds returns the logarithm of the odds of all classes but the best against it, and its derivative in tau.
func (s *Scorer) logOdds(top, next int, tau float64) (log, slope float64) {
	gap := s.joint[next] - s.joint[top]
	sum := 0.0
	for _, c := range s.m.classes.Live() {
		behind := s.joint[c] - s.joint[next]
		if c == top || tau*behind < negligible {
			continue
		}
		odds := math.Exp(tau * behind)
		sum += odds
		slope += behind * odds
	}
	return tau*gap + math.Log(sum), gap + slope/sum
}
