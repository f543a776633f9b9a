package choice

import (
	"slices"

	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/tools/lab/evaluate"
)

const (
	// rounds is how often the documents of a sample correct, if more than once pays.
	rounds = 8
	// thick is the margin of the rounds after the first, in nats. With that of a stream, 1, they gain
	// less.
	thick  = 3
	blocks = 10 // of documents in a round
	// mostTerms is how many terms the documents of a sample have at most, each once a document, if they
	// correct in rounds. A round takes longer than to learn them, and long texts gain nothing.
	mostTerms = 250_000
	mostRuns  = 1_000_000       // likewise, of characters
	heldOut   = 5               // one document of so many tells whether rounds pay
	leastHeld = 2 * race.Enough // fewer tell too little
	folds     = 5               // of those that are held out, each decided by the leader of the others
)

// corrector has the documents of a sample correct a model that has learned them.
type corrector struct {
	model *model.Model
	judge *model.Judge
	delta *model.Builder
	made  []correction // by the rounds
}

// correction says against which class a document corrected.
type correction struct {
	document *document
	ahead    string
}

// repeat has the documents, which have raced, correct in more rounds, if that lowers the cost of some
// that are held out by more than chance does. Scores are others behind the rounds, so these race
// again then, and correct as the others did.
func (s *Sample) repeat(m *model.Model, r *race.State) error {
	n := len(s.documents) / heldOut
	if r.Leader().Candidate.Corrections == 0 || n < leastHeld || s.isLong() {
		return nil
	}
	c := newCorrector(m)
	rest, held := s.documents[:len(s.documents)-n], s.documents[len(s.documents)-n:]
	if err := c.count(held, -1); err != nil {
		return err
	}
	before := c.costs(held)
	if err := c.rounds(rest); err != nil {
		return err
	}
	pays := isLess(c.costs(held), before) || isLess(c.costsRaced(r.List(), held), before)
	if pays {
		c.race(r, held)
	} else if err := c.takeBack(r); err != nil {
		return err
	}
	if err := c.count(held, 1); err != nil || !pays {
		return err
	}
	return c.rounds(held)
}

// isLess reports whether documents cost less than before, by more than chance.
func isLess(costs, before []float64) bool {
	saved := make([]float64, len(costs))
	for i := range saved {
		saved[i] = before[i] - costs[i]
	}
	return evaluate.Summarise(saved).IsMoreThanChance(1)
}

func newCorrector(m *model.Model) *corrector {
	c := &corrector{model: m, judge: model.NewJudge(), delta: model.NewBuilder(m.Spec())}
	c.judge.Margin = thick
	return c
}

// isLong reports whether the documents are too long for rounds.
func (s *Sample) isLong() bool {
	terms, runs := 0, 0
	for i := range s.documents {
		terms += s.documents[i].features.Bag.Len()
		runs += s.documents[i].features.Runs.Len()
	}
	return runs > mostRuns || runs == 0 && terms > mostTerms
}

// count adds documents, and what they corrected in the race, n times.
func (c *corrector) count(of []document, n int64) error {
	for i := range of {
		d := &of[i]
		c.delta.Observe(d.label, n*d.weight, d.features)
		if d.ahead != "" {
			c.delta.Correct(d.label, d.ahead, n*d.weight, d.features)
		}
	}
	return c.apply()
}

// apply adds the delta to the model.
func (c *corrector) apply() error {
	err := c.model.Apply(c.delta.Delta())
	c.delta.Reset()
	return err
}

// rounds has documents that have corrected once correct in the other rounds.
func (c *corrector) rounds(of []document) error {
	for range rounds - 1 {
		for block := range slices.Chunk(of, (len(of)+blocks-1)/blocks) {
			if err := c.correct(block); err != nil {
				return err
			}
		}
	}
	return nil
}

// correct has documents correct that the counts do not hold meanwhile: a model is too sure of what it
// has learned. What they corrected before stays.
func (c *corrector) correct(block []document) error {
	if err := c.learn(block, -1); err != nil {
		return err
	}
	for i := range block {
		d := &block[i]
		if ahead := c.judge.Correct(c.model, c.delta, d.label, d.weight, d.features, 0); ahead != "" {
			c.made = append(c.made, correction{d, ahead})
		}
	}
	return c.learn(block, 1)
}

// learn adds documents without their corrections, n times. Characters are judged without the counts,
// which need not change then.
func (c *corrector) learn(block []document, n int64) error {
	for i := 0; i < len(block) && !c.model.Spec().Text.Characters; i++ {
		c.delta.Observe(block[i].label, n*block[i].weight, block[i].features)
	}
	return c.apply()
}

// takeBack takes out what the rounds have corrected, and has the leader of before decide.
func (c *corrector) takeBack(r *race.State) error {
	c.model.Lead(r)
	for _, x := range c.made {
		c.delta.Correct(x.document.label, x.ahead, -x.document.weight, x.document.features)
	}
	return c.apply()
}

// race begins the race again with documents that the model has not learned, whose leader decides.
func (c *corrector) race(r *race.State, held []document) {
	*r = *race.NewState(r.List())
	trial := model.NewTrial()
	trial.Use(r.List())
	for i := range held {
		if i == race.Enough { // the others say how sure the tempers make it
			r.Fold(r.List().Fingerprint(), trial.Sums)
			trial.Reset()
		}
		trial.Race(c.model, r, held[i].features, held[i].label)
	}
	r.Fold(r.List().Fingerprint(), trial.Sums)
	c.model.Lead(r)
}

// costsRaced is costs where the leader of a race of the others decides, in folds: the temper that
// was chosen without the rounds may make the model too sure behind them.
func (c *corrector) costsRaced(l *race.List, held []document) (costs []float64) {
	leader := race.NewState(l)
	for fold := range folds {
		from, to := fold*len(held)/folds, (fold+1)*len(held)/folds
		c.race(leader, slices.Concat(held[:from], held[to:]))
		costs = append(costs, c.costs(held[from:to])...)
	}
	return costs
}

// costs returns what each document costs that the model decides.
func (c *corrector) costs(of []document) []float64 {
	scorer := model.NewScorer()
	costs := make([]float64, len(of))
	var decision model.Decision
	for i := range of {
		d := &of[i]
		scorer.Decide(&decision, c.model, d.features, "", model.Options{Evidence: -1})
		costs[i] = race.Cost(decision.Label == d.label, decision.LogLoss(d.label))
	}
	return costs
}
