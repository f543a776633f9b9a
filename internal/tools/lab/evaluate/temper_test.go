package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/lab/evaluate"
)

// outcome returns an outcome of three classes with the given log posteriors, multiplied by tau and
// normalised.
func outcome(truth, label string, known int, tau float64, joint [3]float64) *evaluate.Outcome {
	sum := 0.0
	for _, j := range joint {
		sum += math.Exp(tau * j)
	}
	o := &evaluate.Outcome{Truth: truth, Label: label, Known: known, Classes: []string{"a", "b", "c"}}
	for _, j := range joint {
		o.LogPosterior = append(o.LogPosterior, min(tau*j-math.Log(sum), 0))
	}
	return o
}

// TestTemperIsThatOfDecisions: what the report says of a temper is what outcomes with that temper
// score, whichever temper the outcomes had that it was found by.
func TestTemperIsThatOfDecisions(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		had := spec.Temper{T: 0.1 + 3*r.Float64(), Gamma: r.Float64()}
		options := evaluate.Options{Spec: modeltest.Spec(t, "text: {alpha: 1}"), Unranked: true}
		plain, tempered := evaluate.NewScores(options), evaluate.NewScores(options)
		type document struct {
			truth, label string
			known        int
			joint        [3]float64
		}
		var documents []document
		for range 200 {
			d := document{truth: []string{"a", "a", "b", "c", "unknown"}[r.IntN(5)], label: "a", known: r.IntN(300)}
			for i := range d.joint {
				d.joint[i] = -30 + 20*r.Float64()
			}
			d.joint[0] = -9 * r.Float64()
			documents = append(documents, d)
			add(t, plain, *outcome(d.truth, d.label, d.known, 1, d.joint))
			o := outcome(d.truth, d.label, d.known, had.Tau(d.known, false), d.joint)
			o.Tau = had.Tau(d.known, false)
			add(t, tempered, *o)
		}
		got := plain.Temper()
		requireNear(t, "log loss without a temper", got.None.LogLoss, plain.LogLoss())
		requireNear(t, "ECE without a temper", got.None.ECE, plain.ECE())
		requireNear(t, "log loss of the tempered", tempered.Temper().None.LogLoss, plain.LogLoss())
		best := evaluate.NewScores(evaluate.Options{Unranked: true})
		for _, d := range documents {
			add(t, best, *outcome(d.truth, d.label, d.known, got.Best.Temper().Tau(d.known, false), d.joint))
		}
		requireNear(t, "log loss of the best", got.Best.LogLoss, best.LogLoss())
		requireNear(t, "ECE of the best", got.Best.ECE, best.ECE())
		if got.Best.LogLoss > got.None.LogLoss {
			t.Fatalf("the best has the log loss %v, none %v", got.Best.LogLoss, got.None.LogLoss)
		}
	}
}

func requireNear(t *testing.T, what string, got evaluate.Number, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-9 {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// TestFewDocumentsChooseNoTemper: nor has a spec without words one, and where candidates race they
// have theirs.
func TestFewDocumentsChooseNoTemper(t *testing.T) {
	for _, c := range []struct {
		options evaluate.Options
		n       int
		want    bool
	}{
		{evaluate.Options{Spec: modeltest.Spec(t, "text: {alpha: 1}")}, 199, false}, {evaluate.Options{Spec: modeltest.Spec(t, "text: {alpha: 1}")}, 200, true},
		{evaluate.Options{}, 200, false}, {evaluate.Options{Spec: modeltest.Spec(t, "numbers: [{fields: [x]}]")}, 200, false}, {evaluate.Options{Spec: modeltest.Spec(t, "scoring: {}")}, 200, false},
	} {
		s := evaluate.NewScores(c.options)
		for i := range c.n {
			o := outcome("a", "a", 10, 1, [3]float64{-1, -40, -50})
			if i%2 == 0 {
				o = outcome("b", "a", 10, 1, [3]float64{-1, -40, -50})
			}
			add(t, s, *o)
		}
		got := s.Temper()
		if (got != nil) != c.want || (s.Coverage() != nil) != (c.n >= 200) {
			t.Errorf("%d documents: got %+v", c.n, got)
		}
		if got != nil && (got.Best == got.None || float64(got.Best.LogLoss) > math.Log(3)) {
			t.Errorf("sure and wrong half of the time: the best is %+v", got.Best)
		}
	}
}

// TestCoverage: a document is accepted if the others have at most the cost of no decision.
func TestCoverage(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{Unranked: true})
	for range 100 {
		add(t, s, evaluate.Outcome{Truth: "a", Label: "a", Classes: []string{"a", "b"}, LogPosterior: []float64{math.Log(0.97), math.Log(0.03)}})
		add(t, s, evaluate.Outcome{Truth: "a", Label: "b", Classes: []string{"a", "b"}, LogPosterior: []float64{math.Log(0.4), math.Log(0.6)}})
		add(t, s, evaluate.Outcome{Truth: "a", Label: "a", Classes: []string{"a", "b"}, LogPosterior: []float64{0, -20}})
		add(t, s, evaluate.Outcome{Truth: "a"})
	}
	want := map[float64][2]float64{0.5: {0.75, 2. / 3}, 0.3: {0.5, 1}, 0.05: {0.5, 1}, 0.02: {0.25, 1}, 0.001: {0.25, 1}}
	for _, c := range s.Coverage() {
		if w, ok := want[c.Reject]; ok && (math.Abs(float64(c.Share)-w[0]) > 1e-12 || math.Abs(float64(c.Accuracy)-w[1]) > 1e-12) {
			t.Errorf("at %v: accepted %v, accuracy %v; want %v", c.Reject, c.Share, c.Accuracy, w)
		}
		delete(want, c.Reject)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v", want)
	}
}
