package logistic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Options of Fit. Zero values mean the defaults.
type Options struct {
	C           float64 // weight of the data against the penalty; default 1, larger fits more closely
	Standardise bool    // subtract each field's mean and divide by its standard deviation (denominator n) first
	Iterations  int     // at most; default 10,000
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
	m := &Model{Classes: classes, Mean: make([]float64, len(rows[0])), Scale: make([]float64, len(rows[0]))}
	m.scale(rows, o.Standardise)
	p := newProblem(m, rows, labels, o.C)
	theta, err := p.minimise(o.Iterations)
	if err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	p.unpack(m, theta)
	return m, nil
}

func check(rows [][]float64, labels []string) error {
	if len(rows) == 0 || len(rows) != len(labels) {
		return fmt.Errorf("%d rows have %d labels: want as many, at least one", len(rows), len(labels))
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

// scale sets the mean and the scale of each field; a field of one value keeps the scale 1.
func (m *Model) scale(rows [][]float64, standardise bool) {
	for j := range m.Scale {
		m.Scale[j] = 1
		if !standardise {
			continue
		}
		n, sum, squares := float64(len(rows)), 0.0, 0.0
		for _, row := range rows {
			sum += row[j]
		}
		m.Mean[j] = sum / n
		for _, row := range rows {
			squares += (row[j] - m.Mean[j]) * (row[j] - m.Mean[j])
		}
		if sd := math.Sqrt(squares / n); sd > 0 {
			m.Scale[j] = sd
		}
	}
}

// unpack sets the weights of the model. Softmax does not change when all intercepts move together:
// they are given with the sum 0.
func (p *problem) unpack(m *Model, theta []float64) {
	fields := p.width - 1
	shift := 0.0
	for k := range p.logits {
		w := theta[k*p.width : (k+1)*p.width]
		m.Weights = append(m.Weights, slices.Clone(w[:fields]))
		m.Intercept = append(m.Intercept, w[fields])
		shift += w[fields] / float64(p.logits)
	}
	if p.logits > 1 {
		floats.AddConst(-shift, m.Intercept)
	}
}
