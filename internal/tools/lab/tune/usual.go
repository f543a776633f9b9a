package tune

import (
	"fmt"

	"bayestream/internal/core/spec"
)

// usualPoints is how many points the usual grid has at most.
const usualPoints = 64

// Usual returns axes that are worth a try for a spec: how words are scored, whether the shape of
// the text helps, how much each block is smoothed, and whether pairs of words help. Of many blocks
// it has the first, so that the grid has at most usualPoints.
func Usual(s *spec.Spec) []Axis {
	var axes []Axis
	if s.Text != nil {
		if !s.HasFields() && s.Text.Likelihood != spec.Bernoulli && !s.Text.Norm && s.Text.Weight == 0 {
			axes = append(axes,
				Axis{Path: "text.likelihood", Values: []string{spec.Multinomial, spec.Complement, spec.OneVsAll}},
				Axis{Path: "text.shape", Values: []string{"false", "true"}})
		}
		axes = append(axes, Axis{Path: "text.alpha", Values: []string{"0.01", "0.1", "0.3", "1"}})
		if len(s.Text.Chars) == 0 {
			axes = append(axes, Axis{Path: "text.ngrams", Values: []string{"1", "2"}})
		}
	}
	for i, block := range s.Numbers {
		axes = append(axes, usualNumbers(i, block))
	}
	for i := range s.Categories {
		axes = append(axes, Axis{Path: fmt.Sprintf("categories[%d].alpha", i), Values: []string{"0.1", "1"}})
	}
	for i := range s.Histograms {
		axes = append(axes, Axis{Path: fmt.Sprintf("histograms[%d].alpha", i), Values: []string{"0.1", "1"}})
	}
	points := 1
	for i, a := range axes {
		points *= len(a.Values)
		if points > usualPoints {
			return axes[:i]
		}
	}
	return axes
}

// usualNumbers returns the axis of a block of numbers.
func usualNumbers(i int, block spec.Numbers) Axis {
	at := fmt.Sprintf("numbers[%d].", i)
	switch block.Likelihood {
	case spec.LDA:
		return Axis{Path: at + "shrinkage", Values: []string{"0", "0.1", "0.5", "oas"}}
	case spec.QDA:
		return Axis{Path: at + "reg_param", Values: []string{"0", "0.01", "0.1", "0.5"}}
	}
	return Axis{Path: at + "var_smoothing", Values: []string{"1e-9", "1e-6", "1e-3", "0.1"}}
}
