package experiment

import (
	"context"
	"math"
	"runtime"

	"bayestream/internal/core/model"
	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/evaluate"

	"golang.org/x/sync/errgroup"
)

// CurvePoint is the error of each classifier after some training documents, over the rounds.
type CurvePoint struct {
	Size       int              `json:"size"`
	Generative evaluate.Summary `json:"generative"`
	Logistic   evaluate.Summary `json:"logistic"`
	Neighbors  evaluate.Summary `json:"neighbors"`
	// Density decides by the densities of the nearest neighbours. It is nil unless CurveOptions asks
	// for it.
	Density *DensityPoint `json:"neighbors_density,omitempty"`
}

// DensityPoint is the density estimate of the nearest neighbours after some training documents.
type DensityPoint struct {
	Error      evaluate.Summary `json:"error"`
	LogDensity evaluate.Summary `json:"log_density"` // mean ln p(x) of the test documents, standardised
}

// CurveOptions are the options of LearningCurve.
type CurveOptions struct {
	Points  int     // training sizes, at most
	Rounds  int     // random splits
	Share   float64 // of the documents that is tested
	Seed    uint64
	K       int  // nearest neighbours
	Density bool // add the densities of the nearest neighbours
}

// LearningCurve compares the spec, a generative classifier, with logistic regression, its
// discriminative counterpart, and with the nearest neighbours (Ng and Jordan 2002). Each round sets
// a random part of the documents aside for testing and trains all classifiers on growing parts of
// the rest.
func LearningCurve(ctx context.Context, c *Corpus, r *Rows, o CurveOptions) ([]CurvePoint, error) {
	if err := c.checkClasses(); err != nil {
		return nil, err
	}
	plan := evaluate.Plan{N: len(r.X), Labels: r.Labels, Seed: o.Seed}
	splits, err := plan.Holdouts(o.Share, o.Rounds)
	if err != nil {
		return nil, err
	}
	sizes := sizesOf(splits, o.Points)
	task := progress.From(ctx).Begin("learning curves", "fits", int64(len(splits)*len(sizes)))
	defer task.End()
	results := make([][measures][]float64, len(sizes)) // by size, measure and round
	for round, s := range splits {
		plan.Round = uint64(round)
		for i, train := range plan.Prefixes(s.Train, sizes) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			measured, err := compareOnce(c, r, train, s.Test, o)
			if err != nil {
				return nil, err
			}
			for k, v := range measured {
				results[i][k] = append(results[i][k], v)
			}
			task.Add(1)
		}
	}
	points := make([]CurvePoint, len(sizes))
	for i, size := range sizes {
		points[i] = newCurvePoint(size, &results[i], o)
	}
	return points, nil
}

// sizesOf returns the sizes at which a curve is measured, up to what every split has for training.
func sizesOf(splits []evaluate.Split, points int) []int {
	most := len(splits[0].Train)
	for _, s := range splits {
		most = min(most, len(s.Train))
	}
	return evaluate.Sizes(min(10, most), most, points)
}

func newCurvePoint(size int, rounds *[measures][]float64, o CurveOptions) CurvePoint {
	p := CurvePoint{
		Size:       size,
		Generative: evaluate.Summarise(rounds[generativeError]),
		Logistic:   evaluate.Summarise(rounds[logisticError]),
		Neighbors:  evaluate.Summarise(rounds[neighborsError]),
	}
	if o.Density {
		p.Density = &DensityPoint{Error: evaluate.Summarise(rounds[densityError]),
			LogDensity: evaluate.Summarise(rounds[logDensity])}
	}
	return p
}

// ErrorCurveOptions are the options of MeasureErrors.
type ErrorCurveOptions struct {
	Points int     // training sizes, at most
	Rounds int     // random splits
	Share  float64 // of the documents that is held out, unless there are test documents
	Seed   uint64
	Ask    ErrorCurveAsked // in a round
}

// ErrorCurve is the learning curve of one spec: the shares of documents that get a wrong label, by
// the number of training documents.
type ErrorCurve struct {
	Points   []ErrorPoint
	Rounds   int
	Learnt   int              // training documents of a round
	HeldOut  int              // documents held out in a round
	Apart    bool             // the held out documents are those of a test corpus, in all rounds
	Asked    ErrorCurveAsked  // in a round
	Majority evaluate.Summary // error on the held out documents of always naming the largest class
	LeftOut  []int            // sizes at which the model could not be evaluated for some class in some round
}

// ErrorCurveAsked limits how many documents are scored at a point.
type ErrorCurveAsked struct{ HeldOut, Learned int }

// ErrorPoint is the error after Size documents, over the rounds.
type ErrorPoint struct {
	Size    int
	Learned evaluate.Summary // on training documents
	HeldOut evaluate.Summary // on held out documents
}

// MeasureErrors measures the learning curve of the corpus. Each round holds out a stratified part
// of the documents, unless test is not nil, and trains on growing stratified parts of the rest,
// each a subset of the next. Equal options give an equal curve.
func MeasureErrors(ctx context.Context, c, test *Corpus, o ErrorCurveOptions) (*ErrorCurve, error) {
	plan := evaluate.Plan{N: len(c.Documents), Labels: c.Labels(), Seed: o.Seed}
	splits, err := curveSplits(plan, c, test, o)
	if err != nil {
		return nil, err
	}
	apart := test != nil
	if !apart {
		test = c
	}
	sizes := sizesOf(splits, o.Points)
	rounds := make([]*errorRound, o.Rounds)
	task := progress.From(ctx).Begin("learning curve", "parts", int64(o.Rounds*len(sizes)))
	defer task.End()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range splits {
		group.Go(func() error {
			own := plan
			own.Round = uint64(i)
			rounds[i] = &errorRound{corpus: c, test: test, held: spread(s.Test, o.Ask.HeldOut), most: o.Ask.Learned, task: task}
			return rounds[i].run(ctx, own.Prefixes(s.Train, sizes))
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	curve := &ErrorCurve{Rounds: o.Rounds, Learnt: sizes[len(sizes)-1], HeldOut: len(splits[0].Test), Asked: o.Ask,
		Apart: apart}
	curve.fill(sizes, rounds)
	return curve, nil
}

func curveSplits(plan evaluate.Plan, c, test *Corpus, o ErrorCurveOptions) ([]evaluate.Split, error) {
	if test == nil {
		return plan.Holdouts(o.Share, o.Rounds)
	}
	splits := make([]evaluate.Split, o.Rounds)
	for i := range splits {
		splits[i] = evaluate.Split{Train: c.all(), Test: test.all()}
	}
	return splits, nil
}

func (e *ErrorCurve) fill(sizes []int, rounds []*errorRound) {
	var majority []float64
	for _, r := range rounds {
		majority = append(majority, r.majority)
	}
	e.Majority = evaluate.Summarise(majority)
	for i, size := range sizes {
		var learned, held []float64
		for _, r := range rounds {
			learned = append(learned, r.learned[i])
			held = append(held, r.heldOut[i])
		}
		p := ErrorPoint{Size: size, Learned: evaluate.Summarise(learned), HeldOut: evaluate.Summarise(held)}
		if math.IsNaN(float64(p.HeldOut.Mean)) {
			e.LeftOut = append(e.LeftOut, size)
			continue
		}
		e.Points = append(e.Points, p)
	}
}

// errorRound is one split of the documents. NaN marks a size that cannot be evaluated.
type errorRound struct {
	corpus, test     *Corpus
	held             []int
	most             int
	learned, heldOut []float64
	majority         float64
	task             *progress.Task
}

func (r *errorRound) run(ctx context.Context, parts [][]int) error {
	m, b := model.New(r.corpus.Spec), model.NewBuilder(r.corpus.Spec)
	var before []int
	for _, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.corpus.learn(m, b, without(part, before)); err != nil {
			return err
		}
		before = part
		if _, err := r.corpus.choose(m, part, false); err != nil {
			return err
		}
		learned, heldOut := math.NaN(), math.NaN()
		if len(m.Problems()) == 0 {
			learned = r.corpus.wrong(m, spread(part, r.most))
			heldOut = r.test.wrong(m, r.held)
		}
		r.learned = append(r.learned, learned)
		r.heldOut = append(r.heldOut, heldOut)
		r.task.Add(1)
	}
	r.majority = r.wrongIfLargest(m)
	return nil
}

// spread returns at most n elements of a list, evenly spaced.
func spread(list []int, n int) []int {
	if len(list) <= n {
		return list
	}
	out := make([]int, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// wrong returns the share of documents that get a wrong label.
func (c *Corpus) wrong(m *model.Model, indexes []int) float64 {
	scorer := model.NewScorer()
	var decision model.Decision
	n := 0
	for _, i := range indexes {
		d := &c.Documents[i]
		scorer.Decide(&decision, m, d.Features, d.ID, model.Options{Evidence: -1})
		if decision.Label != d.Label {
			n++
		}
	}
	return float64(n) / float64(len(indexes))
}

// wrongIfLargest returns the share of held out documents that are not of the largest class.
func (r *errorRound) wrongIfLargest(m *model.Model) float64 {
	classes := m.Classes()
	largest := classes.Live()[0]
	for _, c := range classes.Live() {
		if classes.Documents(c) > classes.Documents(largest) {
			largest = c
		}
	}
	n := 0
	for _, i := range r.held {
		if r.test.Documents[i].Label != classes.Name(largest) {
			n++
		}
	}
	return float64(n) / float64(len(r.held))
}
