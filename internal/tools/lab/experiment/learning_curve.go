package experiment

import (
	"context"

	"bayestream/internal/tools/cli/progress"
	"bayestream/internal/tools/lab/evaluate"
)

// CurvePoint is the error of each classifier after some training documents, over the rounds.
type CurvePoint struct {
	Size       int              `json:"size"`
	Generative evaluate.Summary `json:"generative"`
	Logistic   evaluate.Summary `json:"logistic"`
	Neighbors  evaluate.Summary `json:"neighbors"`
	// LedoitWolf is linear discriminant analysis with that shrinkage. It is nil unless CurveOptions
	// asks for it.
	LedoitWolf *evaluate.Summary `json:"lda_ledoit_wolf,omitempty"`
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
	Points     int     // training sizes, at most
	Rounds     int     // random splits
	Share      float64 // of the documents that is tested
	Seed       uint64
	K          int  // nearest neighbours
	LedoitWolf bool // add linear discriminant analysis with Ledoit and Wolf's shrinkage
	Density    bool // add the densities of the nearest neighbours
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
	most := len(splits[0].Train)
	for _, s := range splits {
		most = min(most, len(s.Train))
	}
	sizes, err := evaluate.Sizes(min(10, most), most, o.Points)
	if err != nil {
		return nil, err
	}
	task := progress.From(ctx).Begin("learning curves", "fits", int64(len(splits)*len(sizes)))
	defer task.End()
	results := make([][measures][]float64, len(sizes)) // by size, measure and round
	for round, s := range splits {
		plan.Round = uint64(round)
		parts, err := plan.Prefixes(s.Train, sizes)
		if err != nil {
			return nil, err
		}
		for i, train := range parts {
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

func newCurvePoint(size int, rounds *[measures][]float64, o CurveOptions) CurvePoint {
	p := CurvePoint{
		Size:       size,
		Generative: evaluate.Summarise(rounds[generativeError]),
		Logistic:   evaluate.Summarise(rounds[logisticError]),
		Neighbors:  evaluate.Summarise(rounds[neighborsError]),
	}
	if o.LedoitWolf {
		lda := evaluate.Summarise(rounds[ledoitWolfError])
		p.LedoitWolf = &lda
	}
	if o.Density {
		p.Density = &DensityPoint{Error: evaluate.Summarise(rounds[densityError]),
			LogDensity: evaluate.Summarise(rounds[logDensity])}
	}
	return p
}
