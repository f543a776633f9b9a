package model

import (
	"math"
	"slices"

	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
)

// A lossCurve is the normaliser of the posterior of one document, ln sum_k exp(tau gap_k), as a
// function of tau: with it the log loss under each temper of the grid is known. Computing it for
// each of them would take an exponential for each class.
//
// It is computed, with its first two derivatives, where tau is a power of two: the odds at one are
// the squares of those at the next lower one. In between, a polynomial of degree 5 in log2 tau has
// all of these at both ends (Hermite). The sixth derivative of the normaliser in log2 tau does not
// depend on the scale of the gaps, so that the error of the polynomial has a bound for all
// documents: see TestLossCurve.
type lossCurve struct {
	taus   []float64   // by temper, of the last document
	places []place     // by family, of its first temper
	depth  int         // the least power is 2^-depth
	nodes  []node      // by negated exponent of tau
	odds   []classOdds // of the live classes, without what is negligible
}

// place is where a tau lies: behind a node, and how much each number of this node and of the next
// counts. A tau above 1, which counts as 1, is behind a node below 0.
type place struct {
	node   int
	weight [2]node
}

// node is the normaliser, and its derivatives in -log2 tau.
type node struct{ value, slope, curvature float64 }

// classOdds is what is left of a class: its joint log likelihood less the largest, and exp of tau
// times that.
type classOdds struct{ gap, odds float64 }

// family is tempers of one gamma of which each has half the T of that before: their taus lie behind
// successive nodes, and their weights are the same.
type family struct {
	gamma   float64
	t       float64
	log     float64 // of base 2 of t
	tempers []int   // their places in race.Tempers
}

var families = func() (all []family) {
	for i, t := range race.Tempers() {
		at := slices.IndexFunc(all, func(f family) bool {
			last := race.Tempers()[f.tempers[len(f.tempers)-1]]
			return last == spec.Temper{T: 2 * t.T, Gamma: t.Gamma}
		})
		if at < 0 {
			at = len(all)
			all = append(all, family{gamma: t.Gamma, t: t.T, log: math.Log2(t.T)})
		}
		all[at].tempers = append(all[at].tempers, i)
	}
	return all
}()

// ofTemper is, by temper, its family and its place in it.
var ofTemper = func() [][2]int {
	all := make([][2]int, len(race.Tempers()))
	for i := range families {
		for k, temper := range families[i].tempers {
			all[temper] = [2]int{i, k}
		}
	}
	return all
}()

// setLength sets the places of the tempers for a document with n known tokens.
func (l *lossCurve) setLength(n int) {
	l.taus = slices.Grow(l.taus[:0], len(ofTemper))[:len(ofTemper)]
	l.places = slices.Grow(l.places[:0], len(families))[:len(families)]
	l.depth = 0
	log := math.Log2(float64(n))
	gamma := 0.0
	power := 1.0
	for i := range families {
		f := &families[i]
		if f.gamma != gamma {
			gamma = f.gamma
			power = spec.Damping(n, gamma)
		}
		p := &l.places[i]
		p.set(gamma*log - f.log)
		tau := f.t / power
		if n == 0 { // nothing is tempered
			p.node = -len(f.tempers)
			tau = math.Inf(1)
		}
		for _, temper := range f.tempers {
			l.taus[temper] = min(1, tau)
			tau /= 2
		}
		l.depth = max(l.depth, p.node+len(f.tempers))
	}
}

// set sets the place of a tau whose logarithm of base 2 is -x.
func (p *place) set(x float64) {
	p.node = int(math.Floor(x))
	x -= float64(p.node)
	c := x * x * x
	end := c * (10 - x*(15-6*x))
	p.weight = [2]node{{
		value:     1 - end,
		slope:     x - c*(6-x*(8-3*x)),
		curvature: x*x*0.5 - c*(1.5-x*(1.5-0.5*x)),
	}, {
		value:     end,
		slope:     c * (-4 + x*(7-3*x)),
		curvature: c * (0.5 - x*(1-0.5*x)),
	}}
}

// negligible is the logarithm of odds that do not change a sum in race.Unit, however many classes
// there are.
const negligible = -32

var leastOdds = math.Exp(negligible)

// set computes the nodes from the gaps of the live classes: their joint log likelihoods less the
// largest.
func (l *lossCurve) set(gaps []float64) {
	if len(l.nodes) <= l.depth {
		l.nodes = make([]node, l.depth+1)
	}
	tau := math.Ldexp(1, -l.depth)
	l.odds = l.odds[:0]
	for _, gap := range gaps {
		if x := tau * gap; !(x < negligible) {
			l.odds = append(l.odds, classOdds{gap: gap, odds: math.Exp(x)})
		}
	}
	for at := l.depth; at >= 0; at-- {
		l.nodes[at] = l.node(tau)
		tau *= 2
	}
}

// node returns the node of a tau, of which l.odds are, and sets l.odds to those under twice the
// tau.
func (l *lossCurve) node(tau float64) node {
	if len(l.odds) == 1 {
		return node{}
	}
	var sum, first, second float64
	kept := 0
	for i := range l.odds {
		c := l.odds[i]
		x := c.odds * c.gap
		sum += c.odds
		first += x
		second += x * c.gap
		c.odds *= c.odds
		l.odds[kept] = c
		next := kept + 1
		if c.odds < leastOdds {
			next = kept
		}
		kept = next
	}
	l.odds = l.odds[:kept]
	mean := tau * first / sum
	return node{
		value:     math.Log(sum),
		slope:     -math.Ln2 * mean,
		curvature: math.Ln2 * math.Ln2 * (tau*tau*second/sum - mean*mean + mean),
	}
}

// between returns the normaliser behind node a and before node b.
func (p *place) between(a, b *node) float64 {
	u := &p.weight[0]
	v := &p.weight[1]
	return u.value*a.value + u.slope*a.slope + u.curvature*a.curvature + v.value*b.value + v.slope*b.slope +
		v.curvature*b.curvature
}

// addLosses adds the log loss of a document to that of each temper. gap is that of the true class.
func (l *lossCurve) addLosses(loss []int64, gap float64) {
	for i := range families {
		p := &l.places[i]
		at := p.node
		for _, temper := range families[i].tempers {
			value := l.nodes[0].value
			if at >= 0 {
				value = p.between(&l.nodes[at], &l.nodes[at+1])
			}
			loss[temper] += race.FixedLoss(value - l.taus[temper]*gap)
			at++
		}
	}
}

// confidence returns the posterior of the most probable class under a temper.
func (l *lossCurve) confidence(temper int) float64 {
	of := ofTemper[temper]
	p := &l.places[of[0]]
	value := l.nodes[0].value
	if at := p.node + of[1]; at >= 0 {
		value = p.between(&l.nodes[at], &l.nodes[at+1])
	}
	return math.Exp(-max(0, value)) // the polynomial can be a little below 0
}
