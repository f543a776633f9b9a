package model

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/digest"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/multinomial"
)

// A RaceScorer scores documents under all candidates and tempers of a race. It is scratch of one
// goroutine and may serve one model after another.
type RaceScorer struct {
	list       *race.List
	candidates []racer
	words      []wording // of the candidates, each once
	of         counted   // what the words were scored by
	scorer     *Scorer   // adds up what is beside the words
	curve      lossCurve // of the last document
	gaps       []float64 // by choice: what its joint log likelihood is less than the largest
	risks      []float64 // by choice: its odds
	top        int       // index of the most probable choice, -1 if all are impossible
}

// racer is a candidate.
type racer struct {
	words int // the place of its words
	joined
}

// wording is a way to score words.
type wording struct {
	form   multinomial.Form
	like   *multinomial.Likelihood
	scorer *multinomial.Scorer
	scores []float64 // by class number, of the last document
}

// counted identifies the counts of a model.
type counted struct {
	m       *Model
	counts  digest.Sum
	classes int
}

// NewRaceScorer returns a scorer of the candidates of a list.
func NewRaceScorer(l *race.List) *RaceScorer {
	r := &RaceScorer{list: l, scorer: NewScorer()}
	for _, c := range l.Scored() {
		form := formOf(c)
		at := slices.IndexFunc(r.words, func(w wording) bool { return w.form == form })
		if at < 0 {
			at = len(r.words)
			r.words = append(r.words, wording{form: form})
		}
		r.candidates = append(r.candidates, racer{at, joinedOf(c)})
	}
	return r
}

// scoreWords scores the words of a document, and returns how many of its tokens are known. What is
// remembered of words is of one state of the counts.
func (r *RaceScorer) scoreWords(m *Model, bag *bow.Bag) (known int) {
	of := counted{m, m.Digest(), m.classes.Cap()}
	for i := range r.words {
		w := &r.words[i]
		if r.of.m != m {
			w.like = multinomial.New(w.form, m.text, &m.classes, m.wordCorrections())
			w.scorer = multinomial.NewScorer(w.like)
		}
		if r.of != of {
			w.like.Prepare()
		}
		w.scores = zeros(w.scores, of.classes)
		known = w.scorer.Add(w.scores, bag)
	}
	r.of = of
	return known
}

// Add scores a document, of which label is the true class, by a model of text, and adds what the
// candidates make of it to sums, which are of the list. state is the race so far, whose tempers are
// those of the confidences and costs. A document whose class the model does not have is an error
// and costs the most. Where no token is known, the candidates that are no multinomial decide as the
// multinomial that takes their place. A model without documents scores nothing.
func (r *RaceScorer) Add(sums *race.Sums, state *race.State, m *Model, f *Features, label string) {
	choices := m.classes.Choices()
	if len(choices) == 0 {
		return
	}
	truth := -1 // index of a choice
	if class, ok := m.classes.Choice(label); ok {
		truth = slices.Index(choices, class)
	}
	r.scorer.reset(m, m.fallback, Options{})
	r.scorer.vote(f, true, true)
	if m.spec.Text.Characters {
		r.scorer.setRuns(f)
	}
	known := r.scoreWords(m, &f.Bag)
	r.scorer.known = known
	r.curve.setLength(known)
	sums.Scored++
	isTold := state.Sums().Scored >= race.Enough // which temper is the best
	for i, c := range r.candidates {
		if known == 0 && !c.prior { // the fallback decides; all scores of words are 0
			c.joined = joinedOf(state.Fallback().Candidate)
		}
		r.setGaps(m, &c)
		isError := truth < 0 || truth != r.top
		if isError {
			sums.By[i].Errors++
		}
		r.curve.set(r.gaps)
		r.addLosses(&sums.By[i], truth)
		switch {
		case r.list.By() == spec.ByLoss:
			sums.By[i].Cost += r.list.Cost(label, m.classes.Name(choices[r.cheapest(m, state.Temper(i))]))
		case r.list.By() == spec.ByBalanced && isError:
			sums.By[i].Cost += m.balancedCost(truth)
		}
		if isTold && r.top >= 0 && known > 0 {
			sums.By[i].Confidence.Add(r.curve.confidence(state.Temper(i)), !isError)
		}
	}
}

// balancedCost returns what an error on a document of a choice costs by spec.ByBalanced; -1: of
// another class.
func (m *Model) balancedCost(truth int) int64 {
	choices := m.classes.Choices()
	documents := int64(0)
	if truth >= 0 {
		documents = m.classes.Documents(choices[truth])
	}
	return race.BalancedCost(documents, m.classes.Total(), len(choices))
}

func (r *RaceScorer) setGaps(m *Model, c *racer) {
	choices := m.classes.Choices()
	copy(r.scorer.text, r.words[c.words].scores)
	r.scorer.addCharacters(&c.joined)
	joint := r.scorer.join(&c.joined)
	r.gaps = r.gaps[:0]
	largest := math.Inf(-1)
	for _, class := range choices {
		largest = max(largest, joint[class])
	}
	r.top = -1
	for k, class := range choices {
		gap := joint[class] - largest
		r.gaps = append(r.gaps, gap)
		if r.top < 0 && -gap <= max(tie, tie*math.Abs(largest)) {
			r.top = k
		}
	}
}

// cheapest returns the choice with the least risk under a temper, by index, where the spec names
// losses.
func (r *RaceScorer) cheapest(m *Model, temper int) int {
	r.risks = r.risks[:0]
	sum := 0.0
	for _, gap := range r.gaps {
		odds := math.Exp(r.curve.taus[temper] * gap)
		r.risks = append(r.risks, odds)
		sum += odds
	}
	best := 0
	least := math.Inf(1)
	for k, class := range m.classes.Choices() {
		risk := sum - r.risks[k]
		if losses := m.losses[class]; losses != nil {
			risk = 0
			for i, c := range m.classes.Choices() {
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

func (r *RaceScorer) addLosses(sums *race.CandidateSums, truth int) {
	if truth < 0 {
		for j := range sums.Loss {
			sums.Loss[j] += race.MaxLoss
		}
		return
	}
	r.curve.addLosses(sums.Loss, r.gaps[truth])
}
