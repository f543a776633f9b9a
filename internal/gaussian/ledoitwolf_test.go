package gaussian_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/gaussian"
	"bayestream/internal/testing/modeltest"
)

// TestLedoitWolf compares with scikit-learn's LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").
func TestLedoitWolf(t *testing.T) {
	var file struct{ Cases []numericCase }
	modeltest.Vectors(t, "gaussian.json", &file)
	sets := map[string]numericSet{}
	ran := 0
	for _, c := range file.Cases {
		name, _, _ := strings.Cut(c.Name, "-")
		var set numericSet
		if json.Unmarshal(c.Input, &set) == nil {
			sets[name] = set
		}
		if c.Params["kind"] != "LDA-ledoit-wolf" {
			continue
		}
		ran++
		set = sets[name]
		d, err := gaussian.FitLedoitWolf(set.Train, set.Y, slices.Max(set.Y)+1)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		right := 0
		for i, x := range set.T {
			post := d.AppendLogPosterior(nil, x)
			near(t, c.Name, post, c.Want.Posterior[i], c.Want.Tolerance)
			if slices.Index(post, slices.Max(post)) == set.TY[i] {
				right++
			}
		}
		if got := float64(right) / float64(len(set.T)); math.Abs(got-c.Want.Accuracy) > 1e-12 {
			t.Errorf("%s: accuracy %v, want %v", c.Name, got, c.Want.Accuracy)
		}
	}
	if ran == 0 {
		t.Fatal("the file has no case of Ledoit-Wolf shrinkage")
	}
}

func TestLedoitWolfRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		rows  [][]float64
		class []int
	}{
		"no rows":              {nil, nil},
		"a class without rows": {[][]float64{{1}, {2}}, []int{0, 0}},
		"one value":            {[][]float64{{1}, {1}, {1}, {1}}, []int{0, 0, 1, 1}},
	} {
		if _, err := gaussian.FitLedoitWolf(c.rows, c.class, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
