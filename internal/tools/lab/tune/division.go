package tune

import (
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

// Way is a method of dividing documents.
type Way struct {
	Folds    int     // of cross-validation; 0: Holdout
	Holdout  float64 // share of the documents that points are compared on
	Test     float64 // share that is set aside for the final test
	Seed     uint64
	Stratify bool
}

// division is the result of a Way.
type division struct {
	choose []evaluate.Split // to compare points on
	final  *evaluate.Split  // to test the best point on; nil: nothing was set aside
}

func (w Way) divide(c *experiment.Corpus) (*division, error) {
	labels := c.Labels()
	plan := evaluate.Plan{N: len(labels), Seed: w.Seed}
	if w.Stratify {
		plan.Labels = labels
	}
	if w.Folds == 0 {
		three, err := plan.ThreeWay(w.Holdout, w.Test)
		if err != nil {
			return nil, err
		}
		return &division{
			choose: []evaluate.Split{{Train: three.Train, Test: three.HeldOut}},
			final:  &evaluate.Split{Train: merge(three.Train, three.HeldOut), Test: three.Test},
		}, nil
	}
	if w.Test == 0 {
		folds, err := plan.Folds(w.Folds)
		return &division{choose: folds}, err
	}
	outer, err := plan.Holdout(w.Test)
	if err != nil {
		return nil, err
	}
	inner := evaluate.Plan{N: len(outer.Train), Seed: w.Seed, Round: 1}
	for _, i := range outer.Train {
		if w.Stratify {
			inner.Labels = append(inner.Labels, labels[i])
		}
	}
	folds, err := inner.Folds(w.Folds)
	if err != nil {
		return nil, err
	}
	for _, s := range folds {
		translate(s.Train, outer.Train)
		translate(s.Test, outer.Train)
	}
	return &division{choose: folds, final: &outer}, nil
}

// translate replaces indexes of a list by its elements.
func translate(places, list []int) {
	for i, p := range places {
		places[i] = list[p]
	}
}

// merge joins two ascending lists without common elements.
func merge(a, b []int) []int {
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out = append(out, a[0])
			a = a[1:]
		} else {
			out = append(out, b[0])
			b = b[1:]
		}
	}
	return append(append(out, a...), b...)
}
