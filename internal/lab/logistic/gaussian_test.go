package logistic_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"bayestream/internal/lab/logistic"
	"bayestream/internal/testing/modeltest"

	"pgregory.net/rapid"
)

// logNormal returns the logarithm of the normal density.
func logNormal(x, mean, variance float64) float64 {
	return -0.5*math.Log(2*math.Pi*variance) - (x-mean)*(x-mean)/(2*variance)
}

// TestGaussianIsLogistic is the identity of the lecture: both forms, on any two classes with shared
// variances.
func TestGaussianIsLogistic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "fields")
		draw := func(name string, least, most float64) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(least, most), d, d).Draw(t, name)
		}
		p := rapid.Float64Range(0.001, 0.999).Draw(t, "prior")
		m0, m1, v, x := draw("m0", -20, 20), draw("m1", -20, 20), draw("variance", 0.1, 10), draw("x", -20, 20)
		h, err := logistic.FromGaussian(p, m0, m1, v)
		if err != nil {
			t.Fatal(err)
		}
		zero, one, err := h.LogPosterior(x)
		if err != nil {
			t.Fatal(err)
		}
		joint0, joint1 := math.Log(1-p), math.Log(p)
		for j := range x {
			joint0 += logNormal(x[j], m0[j], v[j])
			joint1 += logNormal(x[j], m1[j], v[j])
		}
		largest := max(joint0, joint1)
		all := largest + math.Log(math.Exp(joint0-largest)+math.Exp(joint1-largest))
		if off := worst([]float64{zero, one}, []float64{joint0 - all, joint1 - all}); off > 1e-9 {
			t.Fatalf("got %v and %v, want %v and %v", zero, one, joint0-all, joint1-all)
		}
	})
}

// TestLectureFormula reads the formula of the lecture, so that it is this one that is tested.
func TestLectureFormula(t *testing.T) {
	var file struct {
		Cases []struct {
			Name string
			Want json.RawMessage
		}
	}
	modeltest.Vectors(t, "lectures.json", &file)
	for _, c := range file.Cases {
		if c.Name != "gnb-is-logistic" {
			continue
		}
		var want struct {
			W0, Wj string
			P      string `json:"P(1|x)"`
		}
		if err := json.Unmarshal(c.Want, &want); err != nil {
			t.Fatal(err)
		}
		if want.W0 != "ln((1-p)/p) + sum (m1^2 - m0^2)/(2 v)" || want.Wj != "(m0 - m1)/v" || want.P != "1/(1 + exp(w0 + sum wj xj))" {
			t.Fatalf("the lecture says %+v", want)
		}
		const p, m0, m1, v, x = 0.3, -1.0, 2.0, 1.5, 0.25
		h, err := logistic.FromGaussian(p, []float64{m0}, []float64{m1}, []float64{v})
		if err != nil {
			t.Fatal(err)
		}
		w0, w1 := math.Log((1-p)/p)+(m1*m1-m0*m0)/(2*v), (m0-m1)/v
		_, one, err := h.LogPosterior([]float64{x})
		if err != nil || worst([]float64{h.W0, h.W[0], math.Exp(one)}, []float64{w0, w1, 1 / (1 + math.Exp(w0+w1*x))}) > 1e-12 {
			t.Errorf("got %+v and %v, %v", h, one, err)
		}
		return
	}
	t.Fatal("gnb-is-logistic is not in the file")
}

// TestCancerIsLogistic compares with the naive Gaussian posteriors of gaussian.json.
func TestCancerIsLogistic(t *testing.T) {
	var file struct {
		Cases []struct {
			Name string
			Want struct {
				Mean         [][]float64
				LogPosterior [][]float64 `json:"log_posterior"`
			}
		}
	}
	modeltest.Vectors(t, "gaussian.json", &file)
	d := splits(t)["cancer"]
	for _, c := range file.Cases {
		if c.Name != "cancer-naive-shared-mle" {
			continue
		}
		variance, ones := make([]float64, len(d.Train[0])), 0.0
		for i, row := range d.Train {
			ones += float64(d.Y[i])
			for j := range row {
				off := row[j] - c.Want.Mean[d.Y[i]][j]
				variance[j] += off * off / float64(len(d.Train))
			}
		}
		h, err := logistic.FromGaussian(ones/float64(len(d.Train)), c.Want.Mean[0], c.Want.Mean[1], variance)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range d.T {
			zero, one, err := h.LogPosterior(x)
			if err != nil || worst([]float64{zero, one}, c.Want.LogPosterior[i]) > 1e-9 {
				t.Fatalf("row %d: got %v and %v, want %v: %v", i, zero, one, c.Want.LogPosterior[i], err)
			}
		}
		return
	}
	t.Fatal("cancer-naive-shared-mle is not in the file")
}

// Two classes with the means -1 and 1 and the variance 1, equally likely: the plane between them is
// at 0.
func ExampleFromGaussian() {
	h, err := logistic.FromGaussian(0.5, []float64{-1}, []float64{1}, []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P(1|x) = 1/(1 + exp(%v + %v x))\n", h.W0, h.W[0])
	_, one, err := h.LogPosterior([]float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("P(1|1) = %.4f\n", math.Exp(one))
	// Output:
	// P(1|x) = 1/(1 + exp(0 + -2 x))
	// P(1|1) = 0.8808
}
