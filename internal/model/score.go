package model

import (
	"math"

	"bayestream/internal/gaussian"
	"bayestream/internal/spec"
)

// Options of a decision.
type Options struct {
	Evidence int                // how many entries of evidence; 0: all, negative: none
	Prior    map[string]float64 // instead of the spec's: the posterior of an earlier step, say
}

// Scorer scores documents with a model. It is scratch of one goroutine and may serve one model after
// another.
type Scorer struct {
	m       *Model
	joint   []float64   // by class number: ln P(c) + ln P(x|c)
	odds    []float64   // by class number: against the most probable class
	prior   []float64   // by class number
	text    []float64   // by class number
	numbers [][]float64 // by block, then class number
	values  [][]float64 // by table of values, then class number
	voted   []bool      // by block of numbers
	valued  []bool      // by table of values
	terms   int         // how many distinct terms the bag has; 0 if the spec has no text
	event   eventModel  // of the last model
	words   textScorer  // of event
	row     []Number
	key     []byte
	buf     []float64
	known   int
	weights []float64 // by term of the bag, then block of numbers, then table of values: of label against runner-up
	found   []found   // in weights: the evidence
	costs   []float64 // of deciding for each live class
	tied    []int
	abstain []int // blocks of numbers that abstained
}

// NewScorer returns a scorer.
func NewScorer() *Scorer { return &Scorer{} }

// Joint returns the joint log likelihood ln P(c) + ln P(x|c) of the classes in
// m.Classes().Live(), indexed by class number. It is valid until the next call.
func (s *Scorer) Joint(m *Model, f *Features, o Options) []float64 {
	s.reset(m, o)
	live := m.classes.Live()
	if m.text != nil {
		s.addText(f)
		weight := m.textWeight()
		for _, c := range live {
			s.joint[c] = weight * s.text[c]
		}
	}
	for i := range m.numbers {
		b := &m.numbers[i]
		s.row = pick(s.row[:0], f.Numbers, b.fields)
		switch b.LogLikelihood(s.numbers[i], live, s.row, s.buf) {
		case gaussian.Voted:
			s.voted[i] = true
			addTo(s.joint, s.numbers[i], live)
		case gaussian.Abstained:
			s.abstain = append(s.abstain, i)
		case gaussian.Missing:
		}
	}
	for i := range m.blocks {
		b := &m.blocks[i]
		var value []byte
		value, s.key = m.values.of(f, i, s.key)
		if len(value) > 0 && b.like.Set(s.values[i], value) {
			s.valued[i] = true
			addTo(s.joint, s.values[i], live)
		}
	}
	for _, c := range live {
		s.joint[c] += s.prior[c]
	}
	return s.joint
}

// addText sets s.text to the score of the text, and s.terms and s.known with it.
func (s *Scorer) addText(f *Features) {
	if s.event != s.m.event {
		s.event = s.m.event
		s.words = newTextScorer(s.event)
	}
	s.terms = f.Bag.Len()
	s.known = s.words.Add(s.text, &f.Bag)
}

// Abstained returns the blocks of numbers that could not be evaluated in the last call of Joint or
// Decide, by index.
func (s *Scorer) Abstained() []int { return s.abstain }

func addTo(dst, x []float64, live []int) {
	for _, c := range live {
		dst[c] += x[c]
	}
}

func (s *Scorer) reset(m *Model, o Options) {
	n := m.classes.Cap()
	s.m, s.known, s.terms, s.abstain = m, 0, 0, s.abstain[:0]
	s.joint = zeros(s.joint, n)
	s.text = zeros(s.text, n)
	s.numbers = rows(s.numbers, len(m.numbers), n)
	s.values = rows(s.values, len(m.blocks), n)
	s.voted = append(s.voted[:0], make([]bool, len(m.numbers))...)
	s.valued = append(s.valued[:0], make([]bool, len(m.blocks))...)
	for i := range m.numbers {
		if d := len(m.numbers[i].fields); len(s.buf) < d {
			s.buf = make([]float64, d)
		}
	}
	s.prior = append(s.prior[:0], m.logPrior...)
	if o.Prior != nil && m.usesPrior() {
		s.overridePrior(o.Prior)
	}
}

// overridePrior renormalises a prior given for one decision over the classes that are there.
func (s *Scorer) overridePrior(p map[string]float64) {
	override := spec.Prior{Kind: spec.Given, Given: p}
	live := s.m.classes.Live()
	for _, c := range live {
		s.prior[c] = priorWeight(&override, s.m.classes.Name(c), 0)
	}
	logShares(s.prior, live)
}

// logShares replaces the weights of the classes in live by the logarithms of their shares. It adds up in
// logarithms, because the weights that somebody gives may be as large as floats are.
func logShares(weights []float64, live []int) {
	if len(live) == 0 {
		return
	}
	for _, c := range live {
		weights[c] = math.Log(weights[c])
	}
	largest, sum := normalise(weights, live, nil)
	rest := math.Log1p(sum)
	for _, c := range live {
		weights[c] = weights[c] - largest - rest
	}
}

func zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	x = x[:n]
	clear(x)
	return x
}

func rows(x [][]float64, count, n int) [][]float64 {
	for len(x) < count {
		x = append(x, nil)
	}
	for i := range count {
		x[i] = zeros(x[i], n)
	}
	return x[:count]
}

// normalise returns the largest of x_c over the classes in live and the sum of exp(x_c - largest) over the
// others, so that ln P(c|x) = (x_c - largest) - log1p(sum). Nothing overflows, subtracting the largest first
// keeps the digits of small differences between large sums, and log1p those of a posterior next to 1
// (Blanchard, Higham and Higham 2021). Unless odds is nil it sets odds_c to exp(x_c - largest), the odds
// against the most probable class.
func normalise(x []float64, live []int, odds []float64) (largest, sum float64) {
	top := live[0]
	largest = x[top]
	for _, c := range live {
		if x[c] > largest {
			top, largest = c, x[c]
		}
	}
	for _, c := range live {
		e := 1.0
		if c != top {
			e = math.Exp(x[c] - largest)
			sum += e
		}
		if odds != nil {
			odds[c] = e
		}
	}
	return largest, sum
}

// textWeight is what the score of the text counts beside the other blocks: 1 for a likelihood.
func (m *Model) textWeight() float64 {
	if w := m.spec.Text.Weight; w > 0 {
		return w
	}
	return 1
}
