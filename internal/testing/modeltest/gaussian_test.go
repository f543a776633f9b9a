package modeltest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bayestream/internal/gaussian"
	"bayestream/internal/tools/lab/logistic"
)

// split is a numeric data set: rows to learn, and rows to classify.
type split struct {
	Train [][]float64
	Y     []int
	T     [][]float64
	TY    []int
}

// checkAccuracy compares the share of rows whose label is right; classify gives the class of a row.
func (s *split) checkAccuracy(t *testing.T, want float64, classify func(i int, x []float64) int) {
	t.Helper()
	right := 0
	for i, x := range s.T {
		if classify(i, x) == s.TY[i] {
			right++
		}
	}
	near(t, "accuracy", float64(right)/float64(len(s.T)), want, 1e-12)
}

type gaussianWant struct {
	Mean      [][]float64
	Variance  [][]float64
	Joint     [][]float64 `json:"joint_log_likelihood"`
	Posterior [][]float64 `json:"log_posterior"`
	Tolerance float64
	Accuracy  float64
}

// densities has the options of each kind of reference.
var densities = map[string]gaussian.Options{
	"naive":             {},
	"naive-shared":      {Variance: gaussian.Shared},
	"isotropic":         {Variance: gaussian.Isotropic},
	"full":              {Kind: gaussian.QDA},
	"QDA":               {Kind: gaussian.QDA},
	"QDA-reg-0.1":       {Kind: gaussian.QDA, RegParam: 0.1},
	"pooled":            {Kind: gaussian.LDA},
	"LDA":               {Kind: gaussian.LDA},
	"LDA-shrinkage-0.3": {Kind: gaussian.LDA, Shrinkage: 0.3},
	"LDA-oas":           {Kind: gaussian.LDA, OAS: true},
}

func checkGaussian(t *testing.T, r *reference) {
	var params struct {
		Kind         string
		Denominator  string
		VarSmoothing float64 `json:"var_smoothing"`
	}
	var in split
	want := gaussianWant{Tolerance: 1e-9}
	r.decode(t, &params, &in, &want)
	o, ok := densities[params.Kind]
	if !ok {
		t.Fatalf("there is no kind %q", params.Kind)
	}
	o.Unbiased = params.Denominator == "unbiased"
	o.VarSmoothing = params.VarSmoothing
	b := fitBlock(t, o, in.Train, in.Y)
	if o.Kind == gaussian.Naive {
		checkFitted(t, b, want.Mean, want.Variance)
	}
	prior := logPriors(in.Y)
	in.checkAccuracy(t, want.Accuracy, func(i int, x []float64) int {
		joint := blockJoint(t, b, prior, x)
		if want.Joint != nil {
			nearAll(t, "joint", joint, want.Joint[i], want.Tolerance)
		}
		posterior := normalised(joint)
		nearAll(t, "log posterior", posterior, want.Posterior[i], want.Tolerance)
		return slices.Index(posterior, slices.Max(posterior))
	})
	if params.Kind == "naive-shared" && params.Denominator == "mle" && len(prior) == 2 {
		checkHyperplane(t, &in, &want)
	}
}

// checkFitted compares the means and the variances of a naive block, each by class and field;
// without variances the means alone.
func checkFitted(t *testing.T, b *gaussian.Block, means, variances [][]float64) {
	t.Helper()
	for c := range means {
		for field, want := range means[c] {
			mean, variance, ok := b.Moments(c, field)
			if !ok {
				t.Fatalf("class %d has no moments of field %d", c, field)
			}
			near(t, "mean", mean, want, 1e-9)
			if variances != nil {
				near(t, "variance", variance, variances[c][field], 1e-9)
			}
		}
	}
}

// fitBlock learns the rows in random order.
func fitBlock(t *testing.T, o gaussian.Options, x [][]float64, y []int) *gaussian.Block {
	t.Helper()
	o.Fields = len(x[0])
	o.Digits = gaussian.DefaultDigits
	b := gaussian.NewBlock(o)
	for _, i := range rand.Perm(len(x)) {
		s := gaussian.NewSums(o.Fields, o.Full())
		s.Observe(fixed(t, x[i]), 1)
		b.Add(y[i], s)
	}
	b.Prepare(classes(slices.Max(y) + 1))
	return b
}

// fixed returns a row in fixed point.
func fixed(t *testing.T, x []float64) []gaussian.Number {
	t.Helper()
	out := make([]gaussian.Number, len(x))
	for i, v := range x {
		f, err := gaussian.Fixed(v, gaussian.DefaultDigits)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = gaussian.Number{Value: f, Present: true}
	}
	return out
}

// classes returns the numbers 0 to n-1.
func classes(n int) []int {
	out := make([]int, n)
	for c := range out {
		out[c] = c
	}
	return out
}

// logPriors returns the logarithm of the share of each class.
func logPriors(y []int) []float64 {
	out := make([]float64, slices.Max(y)+1)
	for _, c := range y {
		out[c]++
	}
	for c, n := range out {
		out[c] = math.Log(n / float64(len(y)))
	}
	return out
}

// blockJoint returns ln P(c) + ln p(x|c).
func blockJoint(t *testing.T, b *gaussian.Block, logPrior, x []float64) []float64 {
	t.Helper()
	joint := make([]float64, len(logPrior))
	if got := b.LogLikelihood(joint, classes(len(joint)), fixed(t, x), make([]float64, len(x))); got != gaussian.Voted {
		t.Fatalf("got outcome %v: %v", got, b.Problem(0, fixed(t, x)))
	}
	for c := range joint {
		joint[c] += logPrior[c]
	}
	return joint
}

// normalised subtracts the logarithm of the sum of the exponentials.
func normalised(joint []float64) []float64 {
	top := slices.Max(joint)
	sum := 0.0
	for _, v := range joint {
		sum += math.Exp(v - top)
	}
	var out []float64
	for _, v := range joint {
		out = append(out, v-top-math.Log(sum))
	}
	return out
}

// checkHyperplane compares the logistic form of two classes with shared variances with the same
// values.
func checkHyperplane(t *testing.T, in *split, want *gaussianWant) {
	t.Helper()
	variance := make([]float64, len(in.Train[0]))
	for i, row := range in.Train {
		for j, v := range row {
			off := v - want.Mean[in.Y[i]][j]
			variance[j] += off * off / float64(len(in.Train))
		}
	}
	h := logistic.FromGaussian(math.Exp(logPriors(in.Y)[1]), want.Mean[0], want.Mean[1], variance)
	for i, x := range in.T {
		zero, one := h.LogPosterior(x)
		nearAll(t, "log posterior of the hyperplane", []float64{zero, one}, want.Posterior[i], want.Tolerance)
	}
}

func checkMoments(t *testing.T, r *reference) {
	var in struct {
		X     [][]float64
		Y     []int
		Sizes []int
	}
	var want struct{ Mean, Variance [][]float64 }
	r.decode(t, nil, &in, &want)
	b := gaussian.NewBlock(gaussian.Options{Fields: len(in.X[0]), Digits: gaussian.DefaultDigits})
	from := 0
	for _, size := range in.Sizes {
		part := map[int]*gaussian.Sums{}
		for i := from; i < from+size; i++ {
			y := in.Y[i]
			if part[y] == nil {
				part[y] = gaussian.NewSums(len(in.X[0]), false)
			}
			part[y].Observe(fixed(t, in.X[i]), 1)
		}
		for y, s := range part {
			b.Add(y, s)
		}
		from += size
	}
	tolerance := 1e-12
	if r.Name == "large-offset" {
		tolerance = 1e-9
	}
	b.Prepare(classes(len(want.Mean)))
	for c := range want.Mean {
		for f := range want.Mean[c] {
			mean, variance, ok := b.Moments(c, f)
			if !ok {
				t.Fatalf("class %d has no moments of field %d", c, f)
			}
			near(t, "mean", mean, want.Mean[c][f], tolerance)
			near(t, "variance", variance, want.Variance[c][f], tolerance)
		}
	}
}
