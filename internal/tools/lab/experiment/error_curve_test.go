package experiment_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/testing/modeltest"
	"bayestream/internal/tools/demo/news"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/evaluate"
	"bayestream/internal/tools/lab/experiment"
)

// newCorpus reads JSON Lines as a spec in YAML sees them.
func newCorpus(t *testing.T, text string, lines []byte) *experiment.Corpus {
	t.Helper()
	s := modeltest.Spec(t, text)
	r, err := dataset.Open(dataset.Options{Format: dataset.JSONL, Spec: s}, bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	c, err := experiment.ReadCorpus(s, r, &dataset.OnBad{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newsLines returns n documents of the demo as JSON Lines.
func newsLines(n int) []byte {
	var out []byte
	g := news.New(1)
	for i := range n {
		x := g.Next()
		out = append(labelled.AppendTraining(out, fmt.Sprintf("id-%d", i), x.Label, x.Text), '\n')
	}
	return out
}

var curveOptions = experiment.ErrorCurveOptions{Points: 5, Rounds: 4, Share: 0.25, Seed: 3, Ask: experiment.ErrorCurveAsked{HeldOut: 1000, Learned: 1000}}

func TestErrorCurve(t *testing.T) {
	lines := newsLines(400)
	c := newCorpus(t, "", lines)
	curve, err := experiment.MeasureErrors(t.Context(), c, nil, curveOptions)
	if err != nil {
		t.Fatal(err)
	}
	if curve.Learnt != 300 || curve.HeldOut != 100 || curve.Apart || len(curve.Points) != 5 || len(curve.LeftOut) != 0 {
		t.Fatalf("got %+v: want 300 learned, 100 held out, 5 points", curve)
	}
	first, last := curve.Points[0], curve.Points[4]
	if first.Size != 10 || last.Size != 300 || last.HeldOut.N != 4 {
		t.Errorf("from %+v to %+v: want sizes 10 to 300 over 4 rounds", first, last)
	}
	if !(last.HeldOut.Mean < first.HeldOut.Mean && last.HeldOut.Mean < curve.Majority.Mean && last.Learned.Mean < last.HeldOut.Mean) {
		t.Errorf("held out %v after 10 and %v after 300, learned %v, largest class %v: the news can be learned", first.HeldOut, last.HeldOut, last.Learned, curve.Majority)
	}
	again, err := experiment.MeasureErrors(t.Context(), c, nil, curveOptions)
	if err != nil || !reflect.DeepEqual(again, curve) {
		t.Errorf("measured again it is %+v, %v, not %+v", again, err, curve)
	}
}

// With a test file the last point is the plain evaluation on it, in every round.
func TestErrorCurveEndsInTrainTest(t *testing.T) {
	lines := newsLines(300)
	all := bytes.SplitAfter(lines, []byte("\n"))
	learn, ask := newCorpus(t, "", bytes.Join(all[:200], nil)), newCorpus(t, "", bytes.Join(all[200:], nil))
	want, err := experiment.TrainTest(t.Context(), learn, ask, evaluate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	curve, err := experiment.MeasureErrors(t.Context(), learn, ask, curveOptions)
	if err != nil {
		t.Fatal(err)
	}
	last := curve.Points[len(curve.Points)-1]
	if e := want.Scores.Confusion().Error(); !curve.Apart || last.Size != 200 || math.Abs(float64(last.HeldOut.Mean)-e) > 1e-12 || last.HeldOut.SD > 1e-12 {
		t.Errorf("after all of %d documents the error is %v, the test says %v", last.Size, last.HeldOut, e)
	}
}

// Sizes at which a class has too few rows for its covariance are no points, and are named.
func TestErrorCurveLeavesOutWhatCannotBeFitted(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		label := "common"
		if i%25 == 0 {
			label = "rare"
		}
		fmt.Fprintf(&b, `{"label": %q, "numbers": {"a": %d, "b": %d}}`+"\n", label, i*i%17, i*7%23)
	}
	c := newCorpus(t, "numbers: [{fields: [a, b], likelihood: qda}]", []byte(b.String()))
	curve, err := experiment.MeasureErrors(t.Context(), c, nil, curveOptions)
	if err != nil {
		t.Fatal(err)
	}
	// Ten documents have no rare one yet, so that there is one class; 20 and 39 have one or two, all
	// have six.
	if !slices.Equal(curve.LeftOut, []int{20, 39}) || len(curve.Points) != 3 {
		t.Errorf("left out %v, points %+v: want 20 and 39 left out", curve.LeftOut, curve.Points)
	}
	for _, p := range curve.Points {
		if math.IsNaN(float64(p.HeldOut.Mean)) || p.HeldOut.N != curveOptions.Rounds {
			t.Errorf("point %+v is not over all rounds", p)
		}
	}
}

func TestErrorCurveAsksAtMost(t *testing.T) {
	lines := newsLines(200)
	o := curveOptions
	o.Ask, o.Rounds = experiment.ErrorCurveAsked{HeldOut: 7, Learned: 3}, 1
	curve, err := experiment.MeasureErrors(t.Context(), newCorpus(t, "", lines), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range curve.Points {
		for of, share := range map[float64]float64{7: float64(p.HeldOut.Mean), 3: float64(p.Learned.Mean)} {
			if n := share * of; math.Abs(n-math.Round(n)) > 1e-9 {
				t.Errorf("an error of %v is not of %v documents", share, of)
			}
		}
		if !math.IsNaN(float64(p.HeldOut.SD)) {
			t.Errorf("one round has the spread %v", p.HeldOut.SD)
		}
	}
}
