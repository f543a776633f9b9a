package modeltest_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/gaussian"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/logistic"
)

// lectures has the check of each worked example.
var lectures = map[string]func(*testing.T, *reference){
	"balls":               checkBalls,
	"children-and-adults": checkChildren,
	"election-or-sports":  checkElection,
	"gnb-is-logistic":     checkGaussianIsLogistic,
	"insects":             checkInsects,
	"iris-binary":         checkIrisBinary,
	"iris-contingency":    checkIrisContingency,
	"lda-midpoint":        checkMidpoint,
	"play-tennis":         checkPlayTennis,
	"roc-with-ties":       checkROCWithTies,
	"temperature":         checkTemperature,
}

func checkLecture(t *testing.T, r *reference) {
	check, ok := lectures[r.Name]
	if !ok {
		t.Fatal("no check for this example")
	}
	check(t, r)
}

// noSmoothing is an alpha so small that the estimates are those of maximum likelihood, which a spec
// does not allow.
const noSmoothing = 1e-12

// byName returns exp(joint) by the name of the class.
func byName(m *model.Model, f *model.Features) map[string]float64 {
	out := map[string]float64{}
	values := joint(m, f)
	for i, id := range m.Classes().Live() {
		out[m.Classes().Name(id)] = math.Exp(values[i])
	}
	return out
}

// sameRatio compares numbers however small.
func sameRatio(t *testing.T, what string, got, want float64) {
	t.Helper()
	near(t, what, got/want, 1, 1e-9)
}

// checkElection has 20 documents of each class, of which the share of the slide has each word.
func checkElection(t *testing.T, r *reference) {
	var in struct {
		E map[string]float64 `json:"P(word=1|E)"`
		S map[string]float64 `json:"P(word=1|S)"`
		X map[string]uint32
	}
	var want struct{ Joint map[string]float64 }
	r.decode(t, nil, &in, &want)
	m := model.New(modeltest.Spec(t, fmt.Sprintf("text: {likelihood: bernoulli, alpha: %v}", noSmoothing)))
	for label, shares := range map[string]map[string]float64{"E": in.E, "S": in.S} {
		for i := range 20 {
			f := &model.Features{}
			for w, share := range shares {
				if float64(i) < math.Round(share*20) {
					f.Bag.Add([]byte(w))
				}
			}
			learn(t, m, modeltest.Document{Label: label, Weight: 1, Features: f})
		}
	}
	f := &model.Features{}
	for w, n := range in.X {
		f.Bag.AddN([]byte(w), n)
	}
	got := byName(m, f)
	for label, p := range want.Joint {
		sameRatio(t, "P("+label+", x)", got[label], p)
	}
}

func checkChildren(t *testing.T, r *reference) {
	var in struct {
		Child, Adult [][]float64
		X            []float64
	}
	var want struct {
		Mean, Variance, Density map[string]float64
		Printed                 float64 `json:"density printed parameters"`
		Label                   string
	}
	r.decode(t, nil, &in, &want)
	y := append(make([]int, len(in.Child)), slices.Repeat([]int{1}, len(in.Adult))...)
	b := fitBlock(t, gaussian.Options{}, slices.Concat(in.Child, in.Adult), y)
	density := blockJoint(t, b, []float64{0, 0}, in.X)
	for c, label := range []string{"child", "adult"} {
		for field := range in.X {
			mean, variance, _ := b.Moments(c, field)
			near(t, "mean of "+label, mean, want.Mean[label], 1e-12)
			near(t, "variance of "+label, variance, want.Variance[label], 1e-12)
		}
		sameRatio(t, "density of "+label, math.Exp(density[c]), want.Density[label])
	}
	joint := blockJoint(t, b, logPriors(y), in.X)
	if label := map[bool]string{true: "child", false: "adult"}[joint[0] > joint[1]]; label != want.Label {
		t.Errorf("got %s, want %s", label, want.Label)
	}
	printed := math.Exp(-(120-60)*(120-60)/425.0) / (2 * math.Pi * 425)
	sameRatio(t, "density of the slide's parameters", printed, want.Printed)
}

func checkTemperature(t *testing.T, r *reference) {
	var in struct{ Yes, No []float64 }
	var want struct{ Mean, Deviation []float64 }
	r.decode(t, nil, &in, &want)
	var rows [][]float64
	var y []int
	for c, values := range [][]float64{in.Yes, in.No} {
		for _, v := range values {
			rows = append(rows, []float64{v})
			y = append(y, c)
		}
	}
	b := fitBlock(t, gaussian.Options{Unbiased: true}, rows, y)
	for c := range want.Mean {
		mean, variance, _ := b.Moments(c, 0)
		near(t, "mean", mean, want.Mean[c], 1e-12)
		near(t, "standard deviation", math.Sqrt(variance), want.Deviation[c], 1e-12)
	}
}

func checkPlayTennis(t *testing.T, r *reference) {
	var in struct {
		Data string
		X    map[string]string
	}
	var want struct {
		Joint map[string]float64
		Label string
	}
	r.decode(t, nil, &in, &want)
	rows := readCSV(t, in.Data)
	spec := "categories:\n"
	var x []string
	last := len(rows[0]) - 1
	for _, field := range rows[0][:last] {
		spec += fmt.Sprintf("  - {field: %s, alpha: %v}\n", field, noSmoothing)
		x = append(x, in.X[field])
	}
	m := model.New(modeltest.Spec(t, spec))
	for _, row := range rows[1:] {
		learn(t, m, modeltest.Document{Label: row[last], Weight: 1, Features: categories(row[:last]...)})
	}
	got := byName(m, categories(x...))
	for label, p := range want.Joint {
		sameRatio(t, "P("+label+", x)", got[label], p)
	}
	if d := modeltest.Decide(m, categories(x...)); d.Label != want.Label {
		t.Errorf("got %s, want %s", d.Label, want.Label)
	}
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(modeltest.Open(t, modeltest.Data(t, name))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// checkBalls draws balls from one urn: the joint of a single class is the parameter.
func checkBalls(t *testing.T, r *reference) {
	var in struct{ Red, Blue uint32 }
	var want struct {
		One     []float64 `json:"alpha 1"`
		Hundred []float64 `json:"alpha 100"`
		None    []float64 `json:"maximum likelihood"`
	}
	r.decode(t, nil, &in, &want)
	drawn := &model.Features{}
	drawn.Bag.AddN([]byte("red"), in.Red)
	drawn.Bag.AddN([]byte("blue"), in.Blue)
	for alpha, share := range map[float64][]float64{1: want.One, 100: want.Hundred, noSmoothing: want.None} {
		m := model.New(modeltest.Spec(t, fmt.Sprintf("text: {alpha: %v}", alpha)))
		learn(t, m, modeltest.Document{Label: "urn", Weight: 1, Features: drawn})
		for i, color := range []string{"red", "blue"} {
			f := &model.Features{}
			f.Bag.Add([]byte(color))
			sameRatio(t, fmt.Sprintf("P(%s) with alpha %v", color, alpha), byName(m, f)["urn"], share[i])
		}
	}
}

// checkInsects counts lengths of antennae in bins of the width 1.
func checkInsects(t *testing.T, r *reference) {
	var in map[string]map[string]int64
	var want map[string][]float64
	r.decode(t, nil, &in, &want)
	m := model.New(modeltest.Spec(t, fmt.Sprintf("histograms: [{field: antennae, from: 0, to: 10, bins: 10, alpha: %v}]", noSmoothing)))
	insect := func(length string) *model.Features {
		f, err := gaussian.ParseFixed([]byte(length), gaussian.DefaultDigits)
		if err != nil {
			t.Fatal(err)
		}
		return &model.Features{Numbers: []model.Number{{Value: f, Present: true}}}
	}
	for length, insects := range in {
		for label, n := range insects {
			learn(t, m, modeltest.Document{Label: label, Weight: n, Features: insect(length)})
		}
	}
	for length, posterior := range want {
		d := modeltest.Decide(m, insect(length))
		slices.SortFunc(d.Classes, func(a, b model.ClassScore) int { return len(b.Name) - len(a.Name) }) // grasshopper first
		nearAll(t, "posterior of length "+length, []float64{d.Classes[0].Posterior, d.Classes[1].Posterior}, posterior, 1e-9)
	}
}

// checkIrisContingency is the table of three kinds of iris: 22 of 30 are right.
func checkIrisContingency(t *testing.T, r *reference) {
	var in struct {
		Rows [][]int `json:"predicted by true"`
	}
	var want struct {
		Accuracy, Error       float64
		Precision, Recall, F1 []float64
		Macro                 float64 `json:"macro_f1"`
	}
	r.decode(t, nil, &in, &want)
	scores := evaluate.NewScores(evaluate.Options{})
	for predicted, row := range in.Rows {
		for truth, n := range row {
			for range n {
				if err := scores.Add(&evaluate.Outcome{Truth: class(truth), Label: class(predicted)}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	c := scores.Confusion()
	near(t, "accuracy", c.Accuracy(), want.Accuracy, exact)
	near(t, "error", c.Error(), want.Error, exact)
	near(t, "macro F1", c.Macro().F1, want.Macro, exact)
	for i, s := range c.Classes() {
		near(t, "precision", float64(s.Precision), want.Precision[i], exact)
		near(t, "recall", float64(s.Recall), want.Recall[i], exact)
		near(t, "F1", float64(s.F1), want.F1[i], exact)
	}
}

// checkIrisBinary is the table of one kind of iris against the others.
func checkIrisBinary(t *testing.T, r *reference) {
	var b evaluate.Binary
	var want struct {
		Precision                          []float64
		Sensitivity, Specificity, FNR, FPR float64
	}
	r.decode(t, nil, &b, &want)
	got := b.Report()
	near(t, "precision", float64(got.Precision), want.Precision[0], exact)
	near(t, "negative predictive value", float64(got.NPV), want.Precision[1], exact)
	near(t, "sensitivity", float64(got.TPR), want.Sensitivity, exact)
	near(t, "specificity", float64(got.Specificity), want.Specificity, exact)
	near(t, "FNR", float64(got.FNR), want.FNR, exact)
	near(t, "FPR", float64(got.FPR), want.FPR, exact)
}

// checkROCWithTies is the curve with a diagonal step.
func checkROCWithTies(t *testing.T, r *reference) {
	var in struct{ Positive, Negative []float64 }
	var want struct {
		Points [][2]float64
		AUC    float64
	}
	r.decode(t, nil, &in, &want)
	var p predictions
	for truth, shares := range [][]float64{in.Negative, in.Positive} {
		for _, share := range shares {
			p.Y = append(p.Y, truth)
			p.Predicted = append(p.Predicted, int(math.Round(share)))
			p.Posterior = append(p.Posterior, []float64{1 - share, share})
		}
	}
	roc := p.scores(t).ROC(class(1))
	near(t, "AUC", roc.AUC, want.AUC, exact)
	if len(roc.Points) != len(want.Points) {
		t.Fatalf("got %v, want %v", roc.Points, want.Points)
	}
	for i, point := range roc.Points {
		near(t, "FPR", float64(point.FPR), want.Points[i][0], exact)
		near(t, "TPR", float64(point.TPR), want.Points[i][1], exact)
	}
}

// checkMidpoint has two rows of each class, one standard deviation to either side of the mean.
func checkMidpoint(t *testing.T, r *reference) {
	var in struct {
		Means    []float64
		Variance float64
	}
	var want struct{ Boundary float64 }
	r.decode(t, nil, &in, &want)
	var rows [][]float64
	var y []int
	for c, mean := range in.Means {
		deviation := math.Sqrt(in.Variance)
		rows = append(rows, []float64{mean - deviation}, []float64{mean + deviation})
		y = append(y, c, c)
	}
	b := fitBlock(t, gaussian.Options{Kind: gaussian.LDA}, rows, y)
	w0, constant0, ok0 := b.Discriminant(0)
	w1, constant1, ok1 := b.Discriminant(1)
	if !ok0 || !ok1 {
		t.Fatal("LDA has no discriminant")
	}
	near(t, "boundary", (constant1-constant0)/(w0[0]-w1[0]), want.Boundary, 1e-12)
	mean, covariance, ok := b.Normal(1)
	if !ok {
		t.Fatal("LDA has no normal")
	}
	off := rows[3][0] - mean[0]
	distance := off * off / covariance[0][0]
	near(t, "squared Mahalanobis distance one standard deviation from the mean", distance, 1, 1e-12)
}

func checkGaussianIsLogistic(t *testing.T, r *reference) {
	var in struct{ P, M0, M1, V, X float64 }
	var want map[string]float64
	r.decode(t, nil, &in, &want)
	h := logistic.FromGaussian(in.P, []float64{in.M0}, []float64{in.M1}, []float64{in.V})
	_, one := h.LogPosterior([]float64{in.X})
	got := map[string]float64{"w0": h.W0, "w1": h.W[0], "P(1|x)": math.Exp(one)}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		near(t, name, got[name], want[name], 1e-12)
	}
}
