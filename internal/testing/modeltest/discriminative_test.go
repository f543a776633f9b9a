package modeltest_test

import (
	"strconv"
	"testing"

	"bayestream/internal/tools/lab/logistic"
	"bayestream/internal/tools/lab/neighbors"
)

func checkDiscriminative(t *testing.T, r *reference) {
	var params struct {
		K         int
		C         float64
		Tolerance float64
	}
	var in split
	r.decode(t, &params, &in, nil)
	if params.K > 0 {
		checkNeighbors(t, r, &in, params.K)
		return
	}
	checkLogistic(t, r, &in, params.C, params.Tolerance)
}

func labels(y []int) []string {
	out := make([]string, len(y))
	for i, c := range y {
		out[i] = strconv.Itoa(c)
	}
	return out
}

// number returns the class that a label names, -1 where it names none.
func number(label string) int {
	c, err := strconv.Atoi(label)
	if err != nil {
		return -1
	}
	return c
}

func checkNeighbors(t *testing.T, r *reference, in *split, k int) {
	t.Helper()
	var want struct {
		Posterior [][]float64
		Accuracy  float64
	}
	r.decode(t, nil, nil, &want)
	rows := neighbors.New(in.Train, labels(in.Y))
	in.checkAccuracy(t, want.Accuracy, func(i int, x []float64) int {
		posterior := rows.Posterior(x, k)
		nearAll(t, "posterior", posterior, want.Posterior[i], 1e-9)
		return number(rows.Label(posterior))
	})
}

func checkLogistic(t *testing.T, r *reference, in *split, c, tolerance float64) {
	t.Helper()
	var want struct {
		Coef      [][]float64
		Intercept []float64
		Posterior [][]float64 `json:"log_posterior"`
		Accuracy  float64
	}
	r.decode(t, nil, nil, &want)
	m, err := logistic.Fit(in.Train, labels(in.Y), c)
	if err != nil {
		t.Fatal(err)
	}
	for k := range want.Coef {
		nearAll(t, "weights", m.Weights[k], want.Coef[k], tolerance)
	}
	nearAll(t, "intercepts", m.Intercept, want.Intercept, tolerance)
	in.checkAccuracy(t, want.Accuracy, func(i int, x []float64) int {
		posterior := m.LogPosterior(x)
		nearAll(t, "log posterior", posterior, want.Posterior[i], tolerance)
		return number(m.Label(posterior))
	})
}
