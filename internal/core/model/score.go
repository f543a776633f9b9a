package model

import (
	"math"
	"slices"

	"bayestream/internal/core/spec"
	"bayestream/internal/counts"
	"bayestream/internal/gaussian"
)

// Options are the settings of one decision.
type Options struct {
	Evidence int                // the most entries of evidence; 0: all, negative: none
	Prior    map[string]float64 // by class, instead of the spec's, up to a factor; nil: the spec's
}

// A Scorer scores documents with a model. It is scratch of one goroutine and may serve one model
// after another. Its slices are valid until the next document; what a Decision holds is copied from
// them.
type Scorer struct {
	m  *Model   // of the last document, as are all fields
	by *scoring // of m

	// By class number; only the entries of choices mean anything. Joint returns the first.
	joint []float64 // ln P(c) + ln P(x|c)
	odds  []float64 // against the most probable class
	prior []float64 // ln P(c)
	text  []float64 // score of the text
	runs  []float64 // what corrections say of its characters

	// The text.
	words textScorer // of by
	lead  ownScorer  // of what leads
	other ownScorer  // of what decides where the leader does not
	tau   float64    // of the temper: what it makes of the joint log likelihood
	terms int        // how many distinct terms the bag has; 0 if the spec has no text
	known int        // tokens of terms that any class has counted

	// The other blocks.
	votes   []vote   // by block of numbers, then block of values
	abstain []int    // blocks of numbers that abstained
	row     []Number // of one block of numbers
	diff    []float64
	key     []byte
	finders [spec.TextTables]counts.Finder // of the values of texts

	// The decision.
	costs   []float64 // of deciding for each choice
	tied    []int     // indexes of choices
	weights []float64 // by term of the bag, then block: of the label against the runner-up
	found   []found   // the evidence
	byField []float64 // the weights of its blocks by field
}

// ownScorer is a scorer of the words and what it reads.
type ownScorer struct {
	event eventModel
	words textScorer
}

// vote is what one block of numbers or values says of a document.
type vote struct {
	ok     bool      // it votes
	scores []float64 // by class number: ln p(block | c); only if ok
}

// NewScorer returns a scorer.
func NewScorer() *Scorer { return &Scorer{} }

// Joint returns the joint log likelihood ln P(c) + ln P(x|c) of the classes in m.Classes().Live(),
// indexed by class number. The slice is a view, valid until the next call of Joint or Decide.
func (s *Scorer) Joint(m *Model, f *Features, o Options) []float64 {
	return s.score(m, m.scoringFor(o), f, o)
}

// score is Joint by one way of scoring.
func (s *Scorer) score(m *Model, by *scoring, f *Features, o Options) []float64 {
	s.reset(m, by, o)
	if m.text != nil {
		s.addText(f)
	}
	s.vote(f, by.shape, by.edges)
	return s.join(&by.joined)
}

// join sets s.joint to the sum of what enters: the score of the text, the votes and the prior.
func (s *Scorer) join(by *joined) []float64 {
	choices := s.m.classes.Choices()
	weight := s.m.weight(by)
	for _, c := range choices {
		s.joint[c] = weight * s.text[c]
	}
	ofShape := len(s.m.numbers) + s.m.fields()
	ofEdges := ofShape + firstTable
	for i := range s.votes {
		v := &s.votes[i]
		if !v.ok || i >= ofEdges && !by.edges || i >= ofShape && i < ofEdges && !by.shape {
			continue
		}
		for _, c := range choices {
			s.joint[c] += v.scores[c]
		}
	}
	if by.prior {
		for _, c := range choices {
			s.joint[c] += s.prior[c]
		}
	}
	return s.joint
}

// vote sets the votes of the fields, and where they may enter those of the shape of the text and of
// the words at its ends.
func (s *Scorer) vote(f *Features, shape, edges bool) {
	for i := range s.m.numbers {
		s.voteOnNumbers(i, f)
	}
	fields := s.m.fields()
	for i := range fields {
		s.voteOnValue(i, f)
	}
	for i := range s.m.values[fields:] {
		if isShape := i < spec.ShapeTables; isShape && !shape || !isShape && !edges {
			continue
		}
		v := &s.votes[len(s.m.numbers)+fields+i]
		values, number, ok := textValue(&f.Bag, i)
		v.ok = ok && s.m.values[fields+i].like.SetNumber(v.scores, &s.finders[i], values, number)
	}
}

// addText sets s.text to the score of the text, and s.terms and s.known with it.
func (s *Scorer) addText(f *Features) {
	own := &s.lead
	if s.by != s.m.lead {
		own = &s.other
	}
	if own.event != s.by.event {
		*own = ownScorer{s.by.event, newTextScorer(s.by.event)}
	}
	s.words = own.words
	s.terms = f.Bag.Len()
	s.known = s.words.Add(s.text, &f.Bag)
	if s.runsWeight(&s.by.joined) > 0 {
		s.setRuns(f)
		s.addCharacters(&s.by.joined)
	}
}

func (s *Scorer) voteOnNumbers(i int, f *Features) {
	b := &s.m.numbers[i]
	v := &s.votes[i]
	s.row = pick(s.row[:0], f.Numbers, b.fields)
	s.diff = slices.Grow(s.diff[:0], len(s.row))[:len(s.row)]
	outcome := b.LogLikelihood(v.scores, s.m.classes.Choices(), s.row, s.diff)
	v.ok = outcome == gaussian.Voted
	if outcome == gaussian.Abstained {
		s.abstain = append(s.abstain, i)
	}
}

func (s *Scorer) voteOnValue(i int, f *Features) {
	v := &s.votes[len(s.m.numbers)+i]
	var value []byte
	value, s.key = s.m.finder.of(f, i, s.key)
	v.ok = len(value) > 0 && s.m.values[i].like.Set(v.scores, value)
}

// Abstained returns the blocks of numbers that could not be evaluated in the last call of Joint or
// Decide, by index. The slice is a view.
func (s *Scorer) Abstained() []int { return s.abstain }

func (s *Scorer) reset(m *Model, by *scoring, o Options) {
	n := m.classes.Cap()
	s.m = m
	s.by = by
	s.known = 0
	s.terms = 0
	s.abstain = s.abstain[:0]
	s.joint = zeros(s.joint, n)
	s.text = zeros(s.text, n)
	blocks := len(m.numbers) + len(m.values)
	s.votes = slices.Grow(s.votes[:0], blocks)[:blocks]
	for i := range s.votes {
		s.votes[i].ok = false
		s.votes[i].scores = slices.Grow(s.votes[i].scores[:0], n)[:n]
	}
	if !by.prior {
		s.prior = zeros(s.prior, n)
		return
	}
	s.prior = append(s.prior[:0], m.logPrior...)
	if o.Prior != nil {
		m.logPriors(s.prior, &spec.Prior{Kind: spec.Given, Given: o.Prior})
	}
}

// zeros returns n zeros, in the memory of x if they fit.
func zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	x = x[:n]
	clear(x)
	return x
}

// normalise returns the largest of x_c over the choices and the sum of exp(tau (x_c - largest))
// over the others, so that ln P(c|x) = tau (x_c - largest) - log1p(sum). Nothing overflows,
// subtracting the largest first keeps the digits of small differences between large sums, and log1p
// those of a posterior next to 1, which a log-sum-exp over all classes loses (Blanchard, Higham and
// Higham 2021). Unless odds is nil it sets odds_c to exp(tau (x_c - largest)), the odds against the
// most probable class.
func normalise(x []float64, choices []int, odds []float64, tau float64) (largest, sum float64) {
	top := choices[0]
	largest = x[top]
	for _, c := range choices {
		if x[c] > largest {
			top = c
			largest = x[c]
		}
	}
	for _, c := range choices {
		e := 1.0
		if c != top {
			e = math.Exp(tau * (x[c] - largest))
			sum += e
		}
		if odds != nil {
			odds[c] = e
		}
	}
	return largest, sum
}
