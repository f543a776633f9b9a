package model

import (
	"math"
	"slices"

	"bayestream/internal/bow"
	"bayestream/internal/core/race"
	"bayestream/internal/multinomial"
)

// A RaceScorer scores documents under all candidates and tempers of a race. It is scratch of one goroutine and may serve
// one model after another.
type RaceScorer struct {
	list       *race.List
	candidates []racer
	panel      *multinomial.Panel
	scorer     *Scorer   // of the prior and of the blocks beside the text
	shape      []float64 // by class number: log likelihood of the shape of the last document
	edges      []float64 // likewise, of its first and its last word
	value      []float64 // likewise, of one size or one word of these
	words      edgeWords // of the words at the ends
	curve      lossCurve // of the last document
	gaps       []float64 // by choice: what its joint log likelihood is less than the largest
	risks      []float64 // by choice: its odds
	top        int       // index of the most probable choice, -1 if all are impossible
	later      *kept     // confidences that wait for their temper; nil: they are taken at once
}

// basis is what scores a document beside its words: a model, or what is left of it without some documents.
type basis struct {
	m       *Model
	choices []int
	prior   []float64 // by class number: ln P(c)
	others  []float64 // by class number: joint log likelihood of the fields
	known   int       // tokens of the document that the model knows

	shape *shape
	edges *edges
	bag   *bow.Bag
}

// racer is a candidate as the panel has it.
type racer struct {
	kind    multinomial.Kind
	column  int // of the panel
	another int // a second column, whose score is added; -1: none
	shape   bool
	edges   bool
}

// NewRaceScorer returns a scorer of the candidates of a list.
func NewRaceScorer(l *race.List) *RaceScorer {
	r := &RaceScorer{list: l, scorer: NewScorer()}
	columns := columnsOf(l)
	for _, c := range l.Scored() {
		x := racer{kind: kindOf(c.Likelihood), another: -1, shape: c.Shape, edges: c.Edges}
		own := slices.Index(columns.Multinomial, weightingOf(c))
		rest := len(columns.Multinomial) + slices.Index(columns.Complement, weightingOf(c))
		switch x.kind {
		case multinomial.Complement:
			x.column = rest
		case multinomial.OneVsAll:
			x.column = own
			x.another = rest
		default:
			x.column = own
		}
		r.candidates = append(r.candidates, x)
	}
	r.panel = multinomial.NewPanel(columns)
	return r
}

// columnsOf returns the columns of a panel for the candidates, each once.
func columnsOf(l *race.List) (columns multinomial.Columns) {
	for _, c := range l.Scored() {
		kind := kindOf(c.Likelihood)
		w := weightingOf(c)
		if kind != multinomial.Complement && !slices.Contains(columns.Multinomial, w) {
			columns.Multinomial = append(columns.Multinomial, w)
		}
		if kind != multinomial.Multinomial && !slices.Contains(columns.Complement, w) {
			columns.Complement = append(columns.Complement, w)
		}
	}
	return columns
}

// Add scores a document, of which label is the true class, by a model of text, and adds what the candidates
// make of it to sums, which are of the list. state is the race so far, whose tempers are those of the confidences and costs. A document
// whose class the model does not have is an error and costs the most.
// Where no token is known, the candidates that are no multinomial decide as the multinomial that takes their place. A model without
// documents scores nothing.
func (r *RaceScorer) Add(sums *race.Sums, state *race.State, m *Model, f *Features, label string) {
	choices := m.classes.Choices()
	if len(choices) == 0 {
		return
	}
	truth := -1 // index of a choice
	if class, ok := m.classes.Choice(label); ok {
		truth = slices.Index(choices, class)
	}
	by := basis{m: m, choices: choices, known: r.panel.Add(m.text, &m.classes, &f.Bag), others: r.scorer.others(m, f), shape: &m.shape, edges: &m.edges, bag: &f.Bag}
	by.prior = r.scorer.prior
	r.add(sums, state, &by, truth, label)
}

// add adds what the candidates make of the document that the panel has scored.
func (r *RaceScorer) add(sums *race.Sums, state *race.State, by *basis, truth int, label string) {
	r.curve.setLength(by.known)
	r.setShape(by)
	r.setEdges(by)
	sums.Scored++
	isTold := state.Sums().Scored >= race.Enough // which temper is the best
	for i, c := range r.candidates {
		if by.known == 0 && c.kind != multinomial.Multinomial { // the fallback decides; all scores of the panel are 0
			c.kind = multinomial.Multinomial
			c.shape = state.Fallback().Candidate.Shape
			c.edges = state.Fallback().Candidate.Edges
		}
		r.setGaps(by, c)
		isError := truth < 0 || truth != r.top
		if isError {
			sums.By[i].Errors++
		}
		r.curve.set(r.gaps)
		r.addLosses(&sums.By[i], truth)
		if r.list.HasLosses() {
			sums.By[i].Cost += r.list.Cost(label, by.m.classes.Name(by.choices[r.cheapest(by, state.Temper(i))]))
		}
		switch {
		case r.top < 0 || by.known == 0:
		case r.later != nil:
			r.later.add(&r.curve, by.known, i, !isError)
		case isTold:
			sums.By[i].Confidence.Add(r.curve.confidence(state.Temper(i)), !isError)
		}
	}
}

// setShape sets what the shape of the document says.
func (r *RaceScorer) setShape(by *basis) {
	r.shape = zeros(r.shape, by.m.classes.Cap())
	r.value = zeros(r.value, len(r.shape))
	for i, sizes := range by.shape {
		if sizes.Set(r.value, sizeOf(by.bag, i)) {
			r.addValue(r.shape, by)
		}
	}
}

// setEdges sets what the words at the ends of the document say.
func (r *RaceScorer) setEdges(by *basis) {
	r.edges = zeros(r.edges, by.m.classes.Cap())
	for i := range by.edges {
		if r.words.set(r.value, by.edges, by.bag, i) {
			r.addValue(r.edges, by)
		}
	}
}

// addValue adds r.value to a sum, for each choice.
func (r *RaceScorer) addValue(sum []float64, by *basis) {
	for _, class := range by.choices {
		sum[class] += r.value[class]
	}
}

// setGaps sets r.gaps and r.top for a candidate.
func (r *RaceScorer) setGaps(by *basis, c racer) {
	weight := 1.0
	if c.kind != multinomial.Multinomial {
		weight = by.m.scoreWeight()
	}
	r.gaps = r.gaps[:0]
	largest := math.Inf(-1)
	for _, class := range by.choices {
		score := r.panel.Score(class, c.column)
		if c.another >= 0 {
			score += r.panel.Score(class, c.another)
		}
		joint := weight*score + by.others[class]
		if c.shape {
			joint += r.shape[class]
		}
		if c.edges {
			joint += r.edges[class]
		}
		if c.kind == multinomial.Multinomial {
			joint += by.prior[class]
		}
		if joint > largest {
			largest = joint
		}
		r.gaps = append(r.gaps, joint)
	}
	r.top = -1
	for k, joint := range r.gaps {
		r.gaps[k] = joint - largest
		if r.top < 0 && -r.gaps[k] <= max(tie, tie*math.Abs(largest)) {
			r.top = k
		}
	}
}

// cheapest returns the choice with the least risk under a temper, by index, where the spec names losses.
func (r *RaceScorer) cheapest(by *basis, temper int) int {
	r.risks = r.risks[:0]
	sum := 0.0
	for _, gap := range r.gaps {
		odds := math.Exp(r.curve.taus[temper] * gap)
		r.risks = append(r.risks, odds)
		sum += odds
	}
	best := 0
	least := math.Inf(1)
	for k, class := range by.choices {
		risk := sum - r.risks[k]
		if losses := by.m.losses[class]; losses != nil {
			risk = 0
			for i, c := range by.choices {
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

// addLosses adds the log loss of a document by temper.
func (r *RaceScorer) addLosses(sums *race.CandidateSums, truth int) {
	if truth < 0 {
		for j := range sums.Loss {
			sums.Loss[j] += race.MaxLoss
		}
		return
	}
	r.curve.addLosses(sums.Loss, r.gaps[truth])
}
