package model

import (
	"math"
	"slices"

	"bayestream/internal/race"
)

// A lossCurve is the normaliser of the posterior of one document, ln sum_k exp(tau gap_k), as a function of tau: with it the log
// loss under each temper of the grid is known. Computing it for each of them would take an exponential for each class.
//
// It is computed, with its first two derivatives, where tau is a power of two: the odds at one are the squares of those at the next
// lower one. In between, a polynomial of degree 5 in log2 tau has all of these at both ends (Hermite). The sixth derivative of the
// normaliser in log2 tau does not depend on the scale of the gaps, so that the error of the polynomial has a bound for all documents:
// see TestLossCurve.
type lossCurve struct {
	places []place     // by temper, of the last document
	depth  int         // the least power is 2^-depth
	nodes  []node      // by negated exponent of tau
	odds   []classOdds // of the live classes, without what is negligible
}

// place is where the tau of a temper lies: behind a node, and how much each number of this node and of the next counts.
type place struct {
	tau    float64
	node   int
	weight [2]node
}

// node is the normaliser, and its derivatives in -log2 tau.
type node struct{ value, slope, bend float64 }

// classOdds is what is left of a class: its joint log likelihood less the largest, and exp of tau times that.
type classOdds struct{ gap, odds float64 }

// setLength sets the places of the tempers for a document with n known tokens.
func (l *lossCurve) setLength(n int) {
	l.places = slices.Grow(l.places[:0], len(logT))[:len(logT)]
	l.depth = 0
	log := math.Log2(float64(n))
	gamma := 0.0
	power := 1.0
	for i, t := range race.Tempers() {
		if t.Gamma != gamma {
			gamma = t.Gamma
			power = math.Pow(float64(n), gamma)
		}
		p := &l.places[i]
		tau := t.TauOf(n, power)
		x := 0.0
		if tau < 1 {
			x = max(0, gamma*log-logT[i])
		}
		p.set(tau, x)
		l.depth = max(l.depth, p.node+1)
	}
}

// logT is the logarithm of base 2 of each T of the grid.
var logT = func() (logs []float64) {
	for _, t := range race.Tempers() {
		logs = append(logs, math.Log2(t.T))
	}
	return logs
}()

// set sets the place of a tau whose logarithm of base 2 is -x, at most 0.
func (p *place) set(tau, x float64) {
	p.tau = tau
	p.node = int(x)
	x -= float64(p.node)
	c := x * x * x
	end := c * (10 - x*(15-6*x))
	p.weight = [2]node{{
		value: 1 - end,
		slope: x - c*(6-x*(8-3*x)),
		bend:  x*x*0.5 - c*(1.5-x*(1.5-0.5*x)),
	}, {
		value: end,
		slope: c * (-4 + x*(7-3*x)),
		bend:  c * (0.5 - x*(1-0.5*x)),
	}}
}

// negligible is the logarithm of odds that do not change a sum in race.Unit, however many classes there are.
const negligible = -32

var leastOdds = math.Exp(negligible)

// set computes the nodes from the gaps of the live classes: their joint log likelihoods less the largest.
func (l *lossCurve) set(gaps []float64) {
	if len(l.nodes) <= l.depth {
		l.nodes = make([]node, l.depth+1)
	}
	tau := math.Ldexp(1, -l.depth)
	l.odds = l.odds[:0]
	for _, gap := range gaps {
		if x := tau * gap; !(x < negligible) {
			l.odds = append(l.odds, classOdds{gap: gap, odds: exp(x)})
		}
	}
	for at := l.depth; at >= 0; at-- {
		l.nodes[at] = l.node(tau)
		tau *= 2
	}
}

// node returns the node of a tau, of which l.odds are, and sets l.odds to those under twice the tau.
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
		value: math.Log(sum),
		slope: -math.Ln2 * mean,
		bend:  math.Ln2 * math.Ln2 * (tau*tau*second/sum - mean*mean + mean),
	}
}

// at returns the normaliser under a temper of the grid.
func (l *lossCurve) at(temper int) float64 {
	p := &l.places[temper]
	a := &l.nodes[p.node]
	b := &l.nodes[p.node+1]
	u := &p.weight[0]
	v := &p.weight[1]
	return u.value*a.value + u.slope*a.slope + u.bend*a.bend + v.value*b.value + v.slope*b.slope + v.bend*b.bend
}

// addLosses adds the log loss of a document to that of each temper. gap is that of the true class.
func (l *lossCurve) addLosses(loss []int64, gap float64) {
	for j := range loss {
		loss[j] += race.FixedLoss(l.at(j) - l.places[j].tau*gap)
	}
}

// confidence returns the posterior of the most probable class under a temper.
func (l *lossCurve) confidence(temper int) float64 {
	return math.Exp(-max(0, l.at(temper))) // the polynomial can be a little below 0
}
