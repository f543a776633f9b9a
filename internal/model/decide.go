package model

import (
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
)

// tie is how close two scores must be, relative to the size of the sums they come from, to be the
// same: then they differ only by the order in which these were taken.
const tie = 1e-12

// Decide sets dst to the decision on a document. id seeds the choice between tied classes where the
// spec asks for that. The fields of dst.Model that a model does not know (the offset) are left alone.
func (s *Scorer) Decide(dst *Decision, m *Model, f *Features, id string, o Options) {
	joint := s.Joint(m, f, o)
	live := m.classes.Live()
	*dst = Decision{
		Classes: dst.Classes[:0], Evidence: dst.Evidence[:0], TokensTotal: f.Bag.Total(), TokensKnown: s.known,
		Model: ModelInfo{Name: m.spec.Name, Spec: m.id, Offset: dst.Model.Offset, Documents: m.classes.Total()},
	}
	if len(live) == 0 {
		dst.Status = StatusEmpty
		return
	}
	s.odds = slices.Grow(s.odds[:0], len(joint))[:len(joint)] // of live classes
	largest, sum := normalise(joint, live, s.odds)
	rest := math.Log1p(sum)
	dst.Classes = slices.Grow(dst.Classes, len(live))[:len(live)]
	for k, c := range live {
		dst.Classes[k] = ClassScore{
			Name: m.classes.Name(c), LogPosterior: min(joint[c]-largest-rest, 0), Posterior: s.odds[c] / (1 + sum), LogPrior: s.prior[c],
		}
	}
	label := s.choose(dst, id)
	dst.Label, dst.Labelled = dst.Classes[label].Name, true
	runnerUp := s.compare(dst, f, label, o)
	dst.Status = s.status(dst, label, runnerUp)
}

// compare fills in what sets the label apart from the best other class; -1 with one class.
func (s *Scorer) compare(dst *Decision, f *Features, label int, o Options) (runnerUp int) {
	live := s.m.classes.Live()
	runnerUp, best := -1, math.Inf(-1)
	for i, c := range live {
		if joint := s.joint[c]; i != label && (joint > best || runnerUp < 0) {
			runnerUp, best = i, joint
		}
	}
	if runnerUp < 0 {
		return runnerUp
	}
	a, b := live[label], live[runnerUp]
	dst.RunnerUp, dst.HasMargin = dst.Classes[runnerUp].Name, true
	dst.Margin = dst.Classes[label].LogPosterior - dst.Classes[runnerUp].LogPosterior
	sum := s.weigh(dst, f, a, b, o.Evidence)
	dst.Rest = dst.Margin - (s.prior[a] - s.prior[b]) - sum
	return runnerUp
}

// choose sets the risks, if there are any to weigh, and returns the index of the class of minimum expected risk.
func (s *Scorer) choose(dst *Decision, id string) int {
	d := &s.m.spec.Decision
	dst.HasRisk = len(d.Loss) > 0 || d.Reject != nil
	if dst.HasRisk {
		s.setRisks(dst)
	}
	s.setCosts(dst)
	best := slices.Min(s.costs)
	s.tied = s.tied[:0]
	for k, cost := range s.costs {
		if cost-best <= tie*math.Abs(best) {
			s.tied = append(s.tied, k)
		}
	}
	if d.Ties == "random" {
		return s.tied[draw(id, len(s.tied))]
	}
	return s.tied[0]
}

// setCosts sets what orders the decisions for each class. Under 0-1 loss the risk is 1 - P, which cannot
// tell posteriors near 1 apart: the joint log likelihood can.
func (s *Scorer) setCosts(dst *Decision) {
	live := s.m.classes.Live()
	s.costs = slices.Grow(s.costs[:0], len(live))[:len(live)]
	byRisk := len(s.m.spec.Decision.Loss) > 0
	for k, c := range live {
		if s.costs[k] = -s.joint[c]; byRisk {
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

func (s *Scorer) status(dst *Decision, label, runnerUp int) string {
	known := s.known > 0
	for _, v := range s.voted {
		known = known || v
	}
	for _, v := range s.valued {
		known = known || v
	}
	if !known {
		return StatusEmpty
	}
	d := &s.m.spec.Decision
	live := s.m.classes.Live()
	for _, k := range [...]int{label, runnerUp} {
		if k >= 0 && s.m.classes.Documents(live[k]) < d.MinDocuments {
			return StatusCold
		}
	}
	if d.Reject != nil && *d.Reject < dst.Classes[label].Risk {
		return StatusUnsure
	}
	return StatusOK
}
