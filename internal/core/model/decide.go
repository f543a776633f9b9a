package model

import (
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
)

// tie is how close two costs must be, relative to the better one, to be the same: they are sums of
// many terms, and equal sums that were taken in different orders differ in their last digits.
const tie = 1e-12

// Decide sets dst to the decision on a document. id seeds the choice between tied classes where the
// spec asks for that. dst.ModelInfo.Offset, which a model does not know, is left alone.
//
// Where candidates race, their leader decides, and the best multinomial where a score that is no
// likelihood says nothing: with a prior of the document's own, and where no word is known.
func (s *Scorer) Decide(dst *Decision, m *Model, f *Features, id string, o Options) {
	by := m.scoringFor(o)
	s.score(m, by, f, o)
	if s.known == 0 && by != m.fallback {
		by = m.fallback
		s.score(m, by, f, o)
	}
	s.decide(dst, m, by, f, id, o)
}

// decide sets dst to the decision by the scores of one way of scoring.
func (s *Scorer) decide(dst *Decision, m *Model, by *scoring, f *Features, id string, o Options) {
	choices := m.classes.Choices()
	s.tau = by.tau(s.known)
	if m.spec.Race != nil && s.known > 0 {
		s.tau = s.calibrated(by.calibrate)
	}
	*dst = Decision{
		Classes:   dst.Classes[:0],
		Evidence:  dst.Evidence[:0],
		Tokens:    f.Bag.Total(),
		Known:     s.known,
		Truncated: f.Bag.Cut(),
		Scoring:   Scoring{Temper: 1},
		ModelInfo: ModelInfo{Name: m.spec.Name, Spec: m.id, Offset: dst.ModelInfo.Offset, Documents: m.classes.Total()},
	}
	if by.name != "" {
		dst.Scoring = Scoring{Candidate: by.name, Temper: s.tau}
	}
	if len(choices) == 0 {
		dst.Status = StatusEmpty
		return
	}
	if !s.isPossible(choices) {
		s.setImpossible(dst)
		return
	}
	s.setPosteriors(dst)
	label := s.choose(dst, id)
	dst.Label = dst.Classes[label].Name
	dst.Labelled = true
	runnerUp := s.runnerUp(label)
	dst.Status = s.status(dst, label, runnerUp)
	if runnerUp >= 0 {
		s.setMargin(dst, f, label, runnerUp, o)
	}
}

// isPossible reports whether a class has a probability above 0.
func (s *Scorer) isPossible(choices []int) bool {
	return slices.ContainsFunc(choices, func(c int) bool { return !math.IsInf(s.joint[c], -1) })
}

// setImpossible sets dst to the decision on a document that no class can have.
func (s *Scorer) setImpossible(dst *Decision) {
	dst.Status = StatusImpossible
	for _, c := range s.m.classes.Choices() {
		dst.Classes = append(dst.Classes,
			ClassScore{Name: s.m.classes.Name(c), LogPosterior: math.Inf(-1), LogPrior: s.tau * s.prior[c]})
	}
}

// setPosteriors sets dst.Classes, but for the risks, by choice.
func (s *Scorer) setPosteriors(dst *Decision) {
	choices := s.m.classes.Choices()
	s.odds = slices.Grow(s.odds[:0], len(s.joint))[:len(s.joint)]
	largest, sum := normalise(s.joint, choices, s.odds, s.tau)
	rest := math.Log1p(sum)
	dst.Classes = slices.Grow(dst.Classes, len(choices))[:len(choices)]
	for k, c := range choices {
		dst.Classes[k] = ClassScore{
			Name:         s.m.classes.Name(c),
			LogPosterior: min(s.tau*(s.joint[c]-largest)-rest, 0), // rounding can leave it a little above 0
			Posterior:    s.odds[c] / (1 + sum),
			LogPrior:     s.tau * s.prior[c],
		}
	}
}

// runnerUp returns the best choice but the label, -1 if there is no other. Both are indexes of
// choices.
func (s *Scorer) runnerUp(label int) int {
	best := -1
	choices := s.m.classes.Choices()
	for i, c := range choices {
		if i != label && (best < 0 || s.joint[c] > s.joint[choices[best]]) {
			best = i
		}
	}
	return best
}

// setMargin sets the margin of the choice i against the choice j, the evidence and the rest, and
// RunnerUp to j.
func (s *Scorer) setMargin(dst *Decision, f *Features, i, j int, o Options) {
	choices := s.m.classes.Choices()
	a := choices[i]
	b := choices[j]
	dst.RunnerUp = dst.Classes[j].Name
	dst.HasMargin = true
	dst.Margin = dst.Classes[i].LogPosterior - dst.Classes[j].LogPosterior
	dst.Rest = 0
	sum := s.weigh(dst, f, a, b, o.Evidence)
	if !math.IsInf(sum, 0) { // else the margin is as infinite
		dst.Rest = dst.Margin - s.tau*(s.prior[a]-s.prior[b]) - sum
	}
}

// choose sets the risks, if the spec has a loss or a reject option, and returns the choice of
// minimum expected risk.
func (s *Scorer) choose(dst *Decision, id string) int {
	d := &s.m.spec.Decision
	dst.HasRisk = len(d.Loss) > 0 || d.Reject != nil
	if dst.HasRisk {
		s.setRisks(dst)
	}
	s.setCosts(dst)
	best := slices.Min(s.costs)
	slack := tie * math.Abs(best)
	if len(d.Loss) == 0 {
		slack = max(slack, tie) // of sums that cancel, such as those of one against all, the parts have the size of 1
	}
	s.tied = s.tied[:0]
	for k, cost := range s.costs {
		if cost-best <= slack {
			s.tied = append(s.tied, k)
		}
	}
	if d.Ties == "random" {
		return s.tied[draw(id, len(s.tied))]
	}
	return s.tied[0]
}

// setCosts sets what orders the decisions for each class. Under 0-1 loss the risk is 1 - P, which
// cannot tell posteriors near 1 apart: the joint log likelihood can. It is that without the temper,
// which then changes no label, not even by rounding.
func (s *Scorer) setCosts(dst *Decision) {
	choices := s.m.classes.Choices()
	s.costs = slices.Grow(s.costs[:0], len(choices))[:len(choices)]
	byRisk := len(s.m.spec.Decision.Loss) > 0
	for k, c := range choices {
		s.costs[k] = -s.joint[c]
		if byRisk {
			s.costs[k] = dst.Classes[k].Risk
		}
	}
}

// draw returns a number below n that depends on the id alone, the same on every machine.
func draw(id string, n int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	x := h.Sum64()
	x ^= x >> 33 // FNV's high bits are poor for short ids: the finaliser of MurmurHash3 mixes them
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	hi, _ := bits.Mul64(x, uint64(n))
	return int(hi)
}

// status returns the first status that holds; label and runnerUp are indexes of choices.
func (s *Scorer) status(dst *Decision, label, runnerUp int) string {
	known := s.known > 0
	for i := range len(s.m.numbers) + s.m.fields() {
		known = known || s.votes[i].ok
	}
	if !known {
		return StatusEmpty
	}
	d := &s.m.spec.Decision
	choices := s.m.classes.Choices()
	for _, k := range [...]int{label, runnerUp} {
		if k >= 0 && s.m.classes.Documents(choices[k]) < max(1, d.MinDocuments) {
			return StatusCold
		}
	}
	if d.Reject != nil && *d.Reject < dst.Classes[label].Risk {
		return StatusUnsure
	}
	return StatusOK
}
