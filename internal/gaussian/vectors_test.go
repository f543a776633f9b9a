package gaussian_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/gaussian"
	"bayestream/internal/testing/modeltest"
)

type numericSet struct {
	Train [][]float64
	Y     []int
	T     [][]float64
	TY    []int `json:"ty"`
}

type numericCase struct {
	Name   string
	Params map[string]any
	Input  json.RawMessage
	Want   struct {
		Mean      [][]float64
		Variance  json.RawMessage
		Joint     [][]float64 `json:"joint_log_likelihood"`
		Posterior [][]float64 `json:"log_posterior"`
		Tolerance float64
		Accuracy  float64
	}
}

func row(t *testing.T, x []float64) []gaussian.Number {
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

// fit learns the rows in random order.
func fit(t *testing.T, o gaussian.Options, x [][]float64, y []int) (b *gaussian.Block, live []int, n []float64) {
	o.Fields, o.Digits = len(x[0]), gaussian.DefaultDigits
	b = gaussian.NewBlock(o)
	order := rand.Perm(len(x))
	for _, i := range order {
		s := gaussian.NewSums(o.Fields, o.Full())
		s.Observe(row(t, x[i]), 1)
		b.Add(y[i], s)
		for len(n) <= y[i] {
			live = append(live, len(n))
			n = append(n, 0)
		}
		n[y[i]]++
	}
	b.Prepare(live)
	return b, live, n
}

// joint returns ln P(c) + ln p(x|c) and its normalised form.
func joint(t *testing.T, b *gaussian.Block, live []int, n []float64, x []float64) (j, post []float64) {
	j = make([]float64, len(live))
	if got := b.LogLikelihood(j, live, row(t, x), make([]float64, len(x))); got != gaussian.Voted {
		t.Fatalf("got outcome %v: %s", got, b.Problem(0, row(t, x)))
	}
	total := 0.0
	for _, v := range n {
		total += v
	}
	for c := range j {
		j[c] += math.Log(n[c] / total)
	}
	top, sum := slices.Max(j), 0.0
	for _, v := range j {
		sum += math.Exp(v - top)
	}
	for _, v := range j {
		post = append(post, v-top-math.Log(sum))
	}
	return j, post
}

// options maps a reference case to options; ok is false for what only an offline fit can do.
func options(c numericCase) (o gaussian.Options, ok bool) {
	kind, _ := c.Params["kind"].(string)
	o.Unbiased = c.Params["denominator"] == "unbiased"
	if v, has := c.Params["var_smoothing"].(float64); has {
		o.VarSmoothing = v
	}
	switch kind {
	case "naive":
	case "naive-shared":
		o.Variance = gaussian.Shared
	case "isotropic":
		o.Variance = gaussian.Isotropic
	case "full", "QDA":
		o.Kind = gaussian.QDA
	case "pooled", "LDA":
		o.Kind = gaussian.LDA
	case "LDA-shrinkage-0.3":
		o.Kind, o.Shrinkage = gaussian.LDA, 0.3
	case "LDA-oas":
		o.Kind, o.OAS = gaussian.LDA, true
	case "QDA-reg-0.1":
		o.Kind, o.RegParam = gaussian.QDA, 0.1
	case "LDA-ledoit-wolf": // needs fourth-order sums
		return o, false
	default:
		return o, false
	}
	return o, true
}

func TestReferenceValues(t *testing.T) {
	var file struct{ Cases []numericCase }
	modeltest.Vectors(t, "gaussian.json", &file)
	sets := map[string]numericSet{}
	for _, c := range file.Cases {
		name, _, _ := strings.Cut(c.Name, "-")
		var set numericSet
		if json.Unmarshal(c.Input, &set) == nil {
			sets[name] = set
		}
		o, ok := options(c)
		if !ok {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { checkCase(t, c, o, sets[name]) })
	}
}

func checkCase(t *testing.T, c numericCase, o gaussian.Options, set numericSet) {
	tolerance := 1e-9
	if c.Want.Tolerance > 0 {
		tolerance = c.Want.Tolerance
	}
	b, live, n := fit(t, o, set.Train, set.Y)
	correct := 0
	for i, x := range set.T {
		j, post := joint(t, b, live, n, x)
		if c.Want.Joint != nil {
			near(t, "joint", j, c.Want.Joint[i], tolerance)
		}
		near(t, "log posterior", post, c.Want.Posterior[i], tolerance)
		if slices.Index(post, slices.Max(post)) == set.TY[i] {
			correct++
		}
	}
	if got := float64(correct) / float64(len(set.T)); math.Abs(got-c.Want.Accuracy) > 1e-12 {
		t.Errorf("accuracy: got %v, want %v", got, c.Want.Accuracy)
	}
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			t.Fatalf("%s of class %d: got %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestLargeOffsetDoesNotCancel(t *testing.T) {
	var file struct {
		Cases []struct {
			Name  string
			Input struct{ X [][]float64 }
			Want  struct{ Mean, Variance json.RawMessage }
		}
	}
	modeltest.Vectors(t, "moments.json", &file)
	for _, c := range file.Cases {
		if c.Name != "large-offset" {
			continue
		}
		var mean, variance []float64
		if json.Unmarshal(c.Want.Mean, &mean) != nil || json.Unmarshal(c.Want.Variance, &variance) != nil {
			t.Fatal("unreadable case")
		}
		b, _, _ := fit(t, gaussian.Options{}, c.Input.X, make([]int, len(c.Input.X)))
		m, v, ok := b.Moments(0, 0)
		if !ok || math.Abs(m-mean[0]) > 1e-9*mean[0] || math.Abs(v-variance[0]) > 1e-9 {
			t.Fatalf("got mean %v, variance %v; want %v, %v", m, v, mean[0], variance[0])
		}
		return
	}
	t.Fatal("the case is not in the file")
}

func TestWineInSevenPartsEqualsTheWhole(t *testing.T) {
	var file struct {
		Cases []struct {
			Name  string
			Input struct {
				X     [][]float64
				Y     []int
				Sizes []int
			}
			Want struct{ Mean, Variance json.RawMessage }
		}
	}
	modeltest.Vectors(t, "moments.json", &file)
	c := file.Cases[0]
	var mean, variance [][]float64
	if json.Unmarshal(c.Want.Mean, &mean) != nil || json.Unmarshal(c.Want.Variance, &variance) != nil {
		t.Fatal("unreadable case")
	}
	b := gaussian.NewBlock(gaussian.Options{Fields: len(c.Input.X[0]), Digits: gaussian.DefaultDigits})
	from := 0
	for _, size := range c.Input.Sizes {
		part := map[int]*gaussian.Sums{}
		for i := from; i < from+size; i++ {
			y := c.Input.Y[i]
			if part[y] == nil {
				part[y] = gaussian.NewSums(len(c.Input.X[0]), false)
			}
			part[y].Observe(row(t, c.Input.X[i]), 1)
		}
		for y, s := range part {
			b.Add(y, s)
		}
		from += size
	}
	b.Prepare([]int{0, 1, 2})
	for class := range 3 {
		for f := range mean[class] {
			m, v, _ := b.Moments(class, f)
			near(t, "moments", []float64{m, v}, []float64{mean[class][f], variance[class][f]}, 1e-12)
		}
	}
}
