package model

import (
	"math"
	"slices"

	"bayestream/internal/multinomial"
	"bayestream/internal/race"
	"bayestream/internal/spec"
)

// A RaceScorer scores documents under all candidates and tempers of a race. It is scratch of one goroutine and may serve
// one model after another.
type RaceScorer struct {
	list       *race.List
	candidates []racer
	panel      *multinomial.Panel
	scorer     *Scorer   // of the prior and of the blocks beside the text
	tempers    []taus    // in which the tempers are scored
	tau        []float64 // by temper, of the last document
	text       []float64 // by class number: score of the text
	gaps       []float64 // by live class: what its joint log likelihood is less than the largest
	odds       []float64 // exp of tau times that, of the live classes in their order, without what is negligible
	risks      []float64 // by live class: its odds
	top        int       // index of the most probable live class, -1 if all are impossible
}

// racer is a candidate as the panel has it.
type racer struct {
	kind  multinomial.Kind
	alpha int // of the panel
}

// taus are tempers of one gamma, by their place in the grid, each with half the T of the next: the odds under one temper are those
// under the temper before, squared.
type taus []int

// NewRaceScorer returns a scorer of the candidates of a list.
func NewRaceScorer(l *race.List) *RaceScorer {
	r := &RaceScorer{list: l, scorer: NewScorer(), tempers: doubling(race.Tempers())}
	var alphas []float64
	for _, c := range l.Scored() {
		a := slices.Index(alphas, c.Alpha)
		if a < 0 {
			a = len(alphas)
			alphas = append(alphas, c.Alpha)
		}
		kind := multinomial.Multinomial
		if c.Likelihood == spec.Complement {
			kind = multinomial.Complement
		}
		r.candidates = append(r.candidates, racer{kind, a})
	}
	r.panel = multinomial.NewPanel(alphas)
	return r
}

// doubling divides a grid of tempers into runs in which T doubles.
func doubling(grid []spec.Temper) (runs []taus) {
	for i, t := range grid {
		half := spec.Temper{T: t.T / 2, Gamma: t.Gamma}
		if slices.Contains(grid, half) {
			continue
		}
		run := taus{i}
		for next := i; next >= 0; {
			t := grid[next]
			next = slices.Index(grid, spec.Temper{T: 2 * t.T, Gamma: t.Gamma})
			if next >= 0 {
				run = append(run, next)
			}
		}
		runs = append(runs, run)
	}
	return runs
}

// Add scores a document, of which label is the true class, by a model of text, and adds what the candidates and the leader
// make of it to sums, which are of the list. A document whose class the model does not have is an error and costs the most.
// Where no token is known, all candidates decide as the multinomial does. A model without documents scores nothing.
func (r *RaceScorer) Add(sums *race.Sums, m *Model, f *Features, label string) {
	live := m.classes.Live()
	if len(live) == 0 {
		return
	}
	truth := -1 // index of a live class
	if class, ok := m.classes.ID(label); ok {
		truth = slices.Index(live, class)
	}
	known := r.panel.Score(m.text, &m.classes, &f.Bag)
	others := r.scorer.others(m, f)
	r.setTau(known)
	sums.Scored++
	sums.Lead(m.leader.of)
	for i, c := range r.candidates {
		if known == 0 {
			c.kind = multinomial.Multinomial
		}
		r.setGaps(m, c, others)
		isError := truth < 0 || truth != r.top
		if isError {
			sums.By[i].Errors++
		}
		r.addLosses(&sums.By[i], truth)
		if r.list.HasLosses() {
			sums.By[i].Cost += r.list.Cost(label, m.classes.Name(live[r.cheapest(m, i)]))
		}
		if i == m.leader.of && r.top >= 0 {
			r.setOdds(m.leader.any.Temper.Tau(known, false))
			sums.Leader.Confidence.Add(1/r.sum(), !isError)
		}
	}
}

// setGaps sets r.gaps and r.top for a candidate. others is the joint log likelihood without the text.
func (r *RaceScorer) setGaps(m *Model, c racer, others []float64) {
	weight := 1.0
	if c.kind == multinomial.Complement {
		weight = m.complementWeight()
	}
	r.text = r.panel.Append(r.text[:0], c.kind, c.alpha)
	r.gaps = r.gaps[:0]
	for _, class := range m.classes.Live() {
		joint := weight*r.text[class] + others[class]
		if c.kind == multinomial.Multinomial {
			joint += r.scorer.prior[class]
		}
		r.gaps = append(r.gaps, joint)
	}
	largest := slices.Max(r.gaps)
	r.top = -1
	for k, joint := range r.gaps {
		r.gaps[k] = joint - largest
		if r.top < 0 && -r.gaps[k] <= tie*math.Abs(largest) {
			r.top = k
		}
	}
}

// cheapest returns the live class with the least risk under a candidate, by index, where the spec names losses.
func (r *RaceScorer) cheapest(m *Model, candidate int) int {
	temper := 0
	if m.race != nil {
		temper = m.race.Temper(candidate)
	}
	r.risks = r.risks[:0]
	sum := 0.0
	for _, gap := range r.gaps {
		odds := math.Exp(r.tau[temper] * gap)
		r.risks = append(r.risks, odds)
		sum += odds
	}
	best := 0
	least := math.Inf(1)
	for k, class := range m.classes.Live() {
		risk := sum - r.risks[k]
		if losses := m.losses[class]; losses != nil {
			risk = 0
			for i, c := range m.classes.Live() {
				risk += r.risks[i] * losses[c]
			}
		}
		if risk < least {
			best = k
			least = risk
		}
	}
	return best
}

// setTau sets the factors of the tempers for a document with n known tokens.
func (r *RaceScorer) setTau(n int) {
	r.tau = r.tau[:0]
	gamma := 0.0
	power := 1.0
	for _, t := range race.Tempers() {
		if t.Gamma != gamma {
			gamma = t.Gamma
			power = math.Pow(float64(n), gamma)
		}
		r.tau = append(r.tau, t.TauOf(n, power))
	}
}

// addLosses adds the log loss of a document by temper.
func (r *RaceScorer) addLosses(sums *race.CandidateSums, truth int) {
	if truth < 0 {
		for j := range sums.Loss {
			sums.Loss[j] += race.MaxLoss
		}
		return
	}
	r.setOdds(1)
	plain := r.loss(truth, 1)
	for _, run := range r.tempers {
		before := 0.0
		for _, j := range run {
			loss := plain
			if tau := r.tau[j]; tau != 1 {
				if before > 0 {
					r.squareOdds()
				} else {
					r.setOdds(tau)
				}
				before = tau
				loss = r.loss(truth, tau)
			}
			sums.Loss[j] += loss
		}
	}
}

// negligible is the logarithm of odds that do not change a sum in Unit, however many classes there are.
const negligible = -32

// setOdds sets r.odds to those under a temper.
func (r *RaceScorer) setOdds(tau float64) {
	r.odds = r.odds[:0]
	for _, gap := range r.gaps {
		if x := tau * gap; !(x < negligible) {
			r.odds = append(r.odds, math.Exp(x))
		}
	}
}

var leastOdds = math.Exp(negligible)

// squareOdds sets r.odds to those under twice the tau.
func (r *RaceScorer) squareOdds() {
	kept := r.odds[:0]
	for _, odds := range r.odds {
		if odds *= odds; !(odds < leastOdds) {
			kept = append(kept, odds)
		}
	}
	r.odds = kept
}

// loss returns the log loss of the true class.
func (r *RaceScorer) loss(truth int, tau float64) int64 {
	if len(r.odds) == 1 { // of the most probable class, 1
		return race.FixedLoss(-tau * r.gaps[truth])
	}
	return race.FixedLoss(math.Log(r.sum()) - tau*r.gaps[truth])
}

// sum returns the sum of r.odds.
func (r *RaceScorer) sum() float64 {
	sum := 0.0
	for _, odds := range r.odds {
		sum += odds
	}
	return sum
}
