package choice

import (
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
	heldOut   = 5               // one document of so many tells whether rounds pay
	leastHeld = 2 * race.Enough // fewer tell too little
)

// corrector has the documents of a sample correct a model that has learned them.
type corrector struct {
	model *model.Model
	judge *model.Judge
	delta *model.Builder
	made  []correction // by the rounds
}

// correction says that a document corrected against a class; "": it did not.
type correction struct {
	document *document
	ahead    string
}

// Repeat has the documents, which have raced, correct in more rounds, if that lowers the cost of some
// that are held out by more than chance does. These race again then, as scores are others behind the
// rounds, and correct as the others did. The model counts afterwards what it counted before.
func (s *Sample) Repeat(m *model.Model, r *race.State) error {
	first := s.first
	n := len(first) / heldOut
	if r.Leader().Candidate.Corrections == 0 || n < leastHeld || s.terms() > mostTerms {
		return nil
	}
	c := &corrector{model: m, judge: model.NewJudge(), delta: model.NewBuilder(m.Spec())}
	c.judge.Margin = thick
	rest, held := first[:len(first)-n], first[len(first)-n:]
	if err := c.count(held, -1); err != nil {
		return err
	}
	before := c.costs(held)
	if err := c.rounds(rest); err != nil {
		return err
	}
	saved := c.costs(held)
	for i := range saved {
		saved[i] = before[i] - saved[i]
	}
	if evaluate.Summarise(saved).IsMoreThanChance(1) {
		c.race(r, held)
	} else if err := c.takeBack(); err != nil {
		return err
	}
	if err := c.count(held, 1); err != nil || c.made == nil {
		return err
	}
	return c.rounds(held)
}

// terms returns how many terms the documents have, each once a document.
func (s *Sample) terms() (n int) {
	for i := range s.documents {
		n += s.documents[i].features.Bag.Len()
	}
	return n
}

// count adds documents and what they corrected n times.
func (c *corrector) count(of []correction, n int64) error {
	for _, x := range of {
		d := x.document
		c.delta.Observe(d.label, n*d.weight, d.features)
		c.correct(x, n)
	}
	return c.apply()
}

// correct adds what a document corrected n times.
func (c *corrector) correct(x correction, n int64) {
	if x.ahead != "" {
		c.delta.Correct(x.document.label, x.ahead, n*x.document.weight, x.document.features)
	}
}

// apply adds the delta to the model.
func (c *corrector) apply() error {
	err := c.model.Apply(c.delta.Delta())
	c.delta.Reset()
	return err
}

// rounds has documents that have corrected once correct in the other rounds.
func (c *corrector) rounds(of []correction) error {
	size := (len(of) + blocks - 1) / blocks
	for range rounds - 1 {
		for left := of; len(left) > 0; {
			n := min(len(left), size)
			if err := c.block(left[:n]); err != nil {
				return err
			}
			left = left[n:]
		}
	}
	return nil
}

// block has documents correct that the counts do not hold meanwhile: a model is too sure of what it
// has learned. What they corrected before stays.
func (c *corrector) block(of []correction) error {
	for _, x := range of {
		c.delta.Observe(x.document.label, -x.document.weight, x.document.features)
	}
	if err := c.apply(); err != nil {
		return err
	}
	for _, x := range of {
		d := x.document
		c.delta.Observe(d.label, d.weight, d.features)
		if ahead := c.judge.Correct(c.model, c.delta, d.label, d.weight, d.features, 0); ahead != "" {
			c.made = append(c.made, correction{d, ahead})
		}
	}
	return c.apply()
}

// takeBack takes out what the rounds have corrected.
func (c *corrector) takeBack() error {
	for _, x := range c.made {
		c.correct(x, -1)
	}
	c.made = nil
	return c.apply()
}

// race begins the race again with documents that the model has not learned, whose leader decides.
func (c *corrector) race(r *race.State, held []correction) {
	*r = *race.NewState(r.List())
	trial := model.NewTrial()
	trial.Use(r.List())
	for i, x := range held {
		if i == race.Enough { // the others say how sure the tempers make it
			r.Fold(r.List().Fingerprint(), trial.Sums)
			trial.Reset()
		}
		trial.Race(c.model, r, x.document.features, x.document.label)
	}
	r.Fold(r.List().Fingerprint(), trial.Sums)
	c.model.Lead(r)
}

// costs returns what each document costs that the model decides.
func (c *corrector) costs(of []correction) []float64 {
	scorer := model.NewScorer()
	costs := make([]float64, len(of))
	var decision model.Decision
	for i, x := range of {
		scorer.Decide(&decision, c.model, x.document.features, "", model.Options{Evidence: -1})
		costs[i] = race.Cost(decision.Label == x.document.label, decision.LogLoss(x.document.label))
	}
	return costs
}
