package logistic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Options of Fit. Zero values mean the defaults.
type Options struct {
	C float64 // weight of the data against the penalty; default 1, larger fits more closely
	// divide each field by its standard deviation (denominator n) first, so that units do not change
	// the penalty
	Standardise bool
	Iterations  int // the largest number of iterations; default 10,000
}

// Fit learns from rows and their labels.
func Fit(rows [][]float64, labels []string, o Options) (*Model, error) {
	if o.C == 0 {
		o.C = 1
	}
	if !(o.C > 0) || math.IsInf(o.C, 0) {
		return nil, fmt.Errorf("logistic regression: C is %v, want a number above 0", o.C)
	}
	if o.Iterations == 0 {
		o.Iterations = 10_000
	}
	if err := check(rows, labels); err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	classes := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(classes) < 2 {
		return nil, fmt.Errorf("logistic regression: all rows are of class %q, at least two classes are needed", classes[0])
	}
	p := newProblem(rows, labels, classes, o)
	theta, err := p.minimise(o.Iterations)
	if err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	return p.model(classes, theta, o.Standardise), nil
}

// check returns an error unless each row has a label and as many numbers as the first, all finite.
func check(rows [][]float64, labels []string) error {
	if len(rows) == 0 || len(rows) != len(labels) {
		return fmt.Errorf("%d rows have %d labels: want at least one row and a label for each", len(rows), len(labels))
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return fmt.Errorf("row %d has %d numbers, row 0 has %d", i, len(row), len(rows[0]))
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d: number %d is %v, want finite numbers", i, j, v)
			}
		}
	}
	return nil
}

// moments returns the mean and the standard deviation of each field; for a constant field its value
// and 1.
func moments(rows [][]float64) (mean, sd []float64) {
	n := float64(len(rows))
	mean = make([]float64, len(rows[0]))
	sd = make([]float64, len(rows[0]))
	for j := range mean {
		constant := true
		for _, row := range rows {
			mean[j] += row[j] / n
			constant = constant && row[j] == rows[0][j]
		}
		squares := 0.0
		for _, row := range rows {
			squares += (row[j] - mean[j]) * (row[j] - mean[j])
		}
		sd[j] = math.Sqrt(squares / n)
		if constant || !(sd[j] > 0) {
			mean[j] = rows[0][j]
			sd[j] = 1
		}
	}
	return mean, sd
}

// model returns the regression with the parameters theta. Softmax does not change when the same
// number is added to all intercepts: their sum is set to 0.
func (p *problem) model(classes []string, theta []float64, standardise bool) *Model {
	fields := p.width - 1
	m := &Model{Classes: classes, Mean: p.mean, Scale: p.sd}
	if !standardise {
		m.Mean = make([]float64, fields)
		m.Scale = slices.Repeat([]float64{1}, fields)
	}
	for k := range p.logits {
		w := slices.Clone(p.logit(theta, k)[:fields])
		intercept := p.logit(theta, k)[fields]
		if !standardise { // w (x - mean)/sd = (w/sd) x - (w/sd) mean
			floats.Div(w, p.sd)
			intercept -= floats.Dot(w, p.mean)
		}
		m.Weights = append(m.Weights, w)
		m.Intercept = append(m.Intercept, intercept)
	}
	if p.logits > 1 {
		floats.AddConst(-floats.Sum(m.Intercept)/float64(p.logits), m.Intercept)
	}
	return m
}
