package experiment_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bayestream/internal/tools/lab/experiment"
)

// curve measures 3 nearest neighbours on rows of two classes, three times as many of a as of b.
func curve(t *testing.T, prior string) experiment.CurvePoint {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var lines bytes.Buffer
	for i := range 200 {
		label, mean := "a", 0.0
		if i%4 == 0 {
			label, mean = "b", 1
		}
		fmt.Fprintf(&lines, `{"label":%q,"numbers":{"x":%.4f,"y":%.4f}}`+"\n", label, mean+random.NormFloat64(), mean+random.NormFloat64())
	}
	c := newCorpus(t, "numbers: [{fields: [x, y]}]\nprior: "+prior, lines.Bytes())
	rows, err := experiment.NumericRows(c)
	if err != nil {
		t.Fatal(err)
	}
	points, err := experiment.LearningCurve(t.Context(), c, rows, experiment.CurveOptions{Points: 1, Rounds: 4, Share: 0.3, Seed: 1, K: 3, Density: true})
	if err != nil {
		t.Fatal(err)
	}
	return points[0]
}

// By Bayes' rule the densities p(x|j) = K_j/(N_j V) with the prior N_j/N decide as the vote K_j/K
// does. A uniform prior moves decisions to the rare class.
func TestNeighborsDensity(t *testing.T) {
	empirical := curve(t, "empirical")
	if empirical.Density.Error != empirical.Neighbors {
		t.Errorf("with the prior of the rows the error is %+v, that of the vote %+v", empirical.Density.Error, empirical.Neighbors)
	}
	uniform := curve(t, "uniform")
	if uniform.Neighbors != empirical.Neighbors || uniform.Density.Error == uniform.Neighbors {
		t.Errorf("with a uniform prior the error is %+v, that of the vote %+v", uniform.Density.Error, uniform.Neighbors)
	}
	// Two standardised, nearly normal fields: the mean of ln p(x) is near -(1 + ln 2 pi) = -2.84.
	if got := float64(empirical.Density.LogDensity.Mean); math.Abs(got+2.84) > 0.3 || uniform.Density.LogDensity != empirical.Density.LogDensity {
		t.Errorf("the mean of ln p(x) is %v", got)
	}
}
