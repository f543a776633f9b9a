package evaluate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/core/model"
	"bayestream/internal/tools/lab/evaluate"
)

// scored returns an outcome of a spam filter that gives a message this chance of being spam.
func scored(truth string, spam float64) evaluate.Outcome {
	label := "ham"
	if spam > 0.5 {
		label = "spam"
	}
	return evaluate.Outcome{
		Truth: truth, Label: label, Classes: []string{"ham", "spam"},
		LogPosterior: []float64{math.Log(1 - spam), math.Log(spam)},
	}
}

func class(c int) string { return fmt.Sprintf("c%02d", c) }

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func add(t testing.TB, s *evaluate.Scores, outcomes ...evaluate.Outcome) {
	t.Helper()
	for i := range outcomes {
		if err := s.Add(&outcomes[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCurvesRankBeyondSaturation: all these posteriors are 1 in float64, their margins differ.
func TestCurvesRankBeyondSaturation(t *testing.T) {
	margin := func(truth string, m float64) evaluate.Outcome {
		return evaluate.Outcome{Truth: truth, Label: "spam", Classes: []string{"ham", "spam"}, LogPosterior: []float64{-m, 0}}
	}
	three := func(truth string, m float64) evaluate.Outcome {
		return evaluate.Outcome{Truth: truth, Label: "spam", Classes: []string{"eggs", "ham", "spam"}, LogPosterior: []float64{-m - 1, -m, 0}}
	}
	for _, f := range []func(string, float64) evaluate.Outcome{margin, three} {
		s := evaluate.NewScores(evaluate.Options{})
		add(t, s, f("ham", 50), f("ham", 300), f("spam", 200), f("spam", 800), f("spam", 40))
		// Of six pairs, 800 wins two and 200 wins one.
		near(t, "AUC of spam", s.ROC("spam").AUC, 3.0/6)
	}
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, margin("ham", 50), margin("spam", 51))
	near(t, "AUC of ham", s.ROC("ham").AUC, 1)
}

// TestEqualPosteriorsAreTied: votes of neighbours are the same posterior however the others voted.
func TestEqualPosteriorsAreTied(t *testing.T) {
	votes := func(truth string, counts ...float64) evaluate.Outcome {
		o := evaluate.Outcome{Truth: truth, Label: class(0)}
		for i, n := range counts {
			o.Classes, o.LogPosterior = append(o.Classes, class(i)), append(o.LogPosterior, math.Log(n/30))
		}
		return o
	}
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, votes(class(0), 27, 1, 2), votes(class(1), 27, 3, 0), votes(class(1), 27, 0, 3), votes(class(0), 27, 2, 1))
	if n := len(s.ROC(class(0)).Points); n != 2 {
		t.Errorf("four equal posteriors make %d points, want 2", n)
	}
}

func TestImpossibleOutcomes(t *testing.T) {
	two := []string{"ham", "spam"}
	half := []float64{math.Log(0.5), math.Log(0.5)}
	for want, o := range map[string]evaluate.Outcome{
		"no true label":       {Label: "ham", Classes: two, LogPosterior: half},
		"2 classes and 1 log": {Truth: "ham", Label: "ham", Classes: two, LogPosterior: half[:1]},
		`class "spam" is NaN`: {Truth: "ham", Label: "ham", Classes: two, LogPosterior: []float64{-1, math.NaN()}},
		`class "ham" is 0.5`:  {Truth: "ham", Label: "ham", Classes: two, LogPosterior: []float64{0.5, -1}},
		`class "ham" is +Inf`: {Truth: "ham", Label: "ham", Classes: two, LogPosterior: []float64{math.Inf(1), -1}},
		"probability 0":       {Truth: "ham", Label: "ham", Classes: two, LogPosterior: []float64{math.Inf(-1), math.Inf(-1)}},
	} {
		s := evaluate.NewScores(evaluate.Options{})
		if err := s.Add(&o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if s.N() != 0 || len(s.Classes()) != 0 {
			t.Errorf("%q: the outcome was refused and counted", want)
		}
	}
}

func TestSetDecision(t *testing.T) {
	d := model.Decision{Label: "spam", Labelled: true, Classes: []model.ClassScore{{Name: "ham", LogPosterior: -3}, {Name: "spam", LogPosterior: -0.05}}}
	var o evaluate.Outcome
	o.SetDecision("spam", &d)
	if o.Label != "spam" || len(o.Classes) != 2 || o.LogPosterior[0] != -3 || o.Classes[1] != "spam" {
		t.Errorf("got %+v", o)
	}
	if n := testing.AllocsPerRun(10, func() { o.SetDecision("spam", &d) }); n != 0 {
		t.Errorf("%v allocations in an outcome used again", n)
	}
	o.SetDecision("spam", &model.Decision{Status: model.StatusEmpty})
	if o.Label != "" || len(o.Classes) != 0 {
		t.Errorf("without a class: got %+v", o)
	}
}

// TestNoLabelIsWrong: before it knows a class a model gives no label.
func TestNoLabelIsWrong(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, evaluate.Outcome{Truth: "spam"}, evaluate.Outcome{Truth: "ham"}, scored("spam", 0.9), scored("ham", 0.1))
	c := s.Confusion()
	near(t, "accuracy", c.Accuracy(), 0.5)
	near(t, "recall", float64(c.Classes()[1].Recall), 0.5)
	near(t, "precision", float64(c.Classes()[1].Precision), 1)
	near(t, "micro F1", c.Micro().F1, 2*2/(4+2.0))
	near(t, "kappa", c.Kappa(), (4*2-4)/(16-4.0))
	near(t, "Matthews", c.Matthews(), (4*2-4)/math.Sqrt((16-1-1-4)*(16-4-4)))
	if b, want := c.Binary("spam"), (evaluate.Binary{TP: 1, FP: 1, FN: 1, TN: 1}); b != want {
		t.Errorf("got %+v, want %+v", b, want)
	}
	if b, want := c.Binary("eggs"), (evaluate.Binary{FP: 2, TN: 2}); b != want {
		t.Errorf("a class that never came: got %+v, want %+v", b, want)
	}
	near(t, "log loss", s.LogLoss(), (2*-math.Log(1e-15)-2*math.Log(0.9))/4)
	near(t, "Brier score", s.Brier(), (2*0.5+2*0.01)/4)
	// Both without a label stand in the middle, as equals: only their pair is not won.
	near(t, "AUC", s.ROC("spam").AUC, (1+1+1+0.5)/4)
}

func TestOneClassOnly(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, evaluate.Outcome{Truth: "ham", Label: "ham", Classes: []string{"ham"}, LogPosterior: []float64{0}})
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Accuracy != 1 || r.LogLoss != 0 || r.Brier != 0 || r.ECE != 0 || r.Matthews != 0 || r.Binary != nil {
		t.Errorf("got %+v", r)
	}
	for what, n := range map[string]evaluate.Number{"kappa": r.CohenKappa, "AUC": r.Classes["ham"].AUC, "mean AUC": r.OneVersusRest} {
		if !math.IsNaN(float64(n)) {
			t.Errorf("%s is %v: one class does not define it", what, n)
		}
	}
}

// TestRanksOfOneClass: a document whose model knew one class, or none, is ranked neither above nor
// below another one.
func TestRanksOfOneClass(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	both := []string{"ham", "spam"}
	sure := func(p float64) []float64 { return []float64{math.Log(1 - p), math.Log(p)} }
	add(t, s, evaluate.Outcome{Truth: "ham"})
	add(t, s, evaluate.Outcome{Truth: "ham", Label: "ham", Classes: both[:1], LogPosterior: []float64{0}})
	add(t, s, evaluate.Outcome{Truth: "spam", Label: "spam", Classes: both, LogPosterior: sure(.6)})
	add(t, s, evaluate.Outcome{Truth: "spam", Label: "ham", Classes: both, LogPosterior: sure(.4)})
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Of the four pairs two are in the right order, by the odds .6/.4 against even ones, and two in
	// the wrong one.
	for _, class := range both {
		near(t, "AUC of "+class, float64(r.Classes[class].AUC), .5)
	}
}

// TestBinEdges: a posterior on an edge belongs to the bin below, 0 to the first.
func TestBinEdges(t *testing.T) {
	for p, want := range map[float64]int{
		0.2: 2, math.Nextafter(0.2, 1): 3, 1.0 / 15: 0, math.Nextafter(1.0/15, 1): 1, 0.6: 8, 14.0 / 15: 13, math.Nextafter(14.0/15, 1): 14, 1: 14,
	} {
		s := evaluate.NewScores(evaluate.Options{})
		lp := math.Log(p)
		p = math.Exp(lp) // not always p itself
		o := evaluate.Outcome{Truth: "a", Label: "a", Classes: []string{"a"}, LogPosterior: []float64{lp}}
		add(t, s, o)
		for i, b := range s.Reliability() {
			if b.N == 1 && !(p > b.Lower && p <= b.Upper) {
				t.Errorf("%v is in the bin from %v to %v", p, b.Lower, b.Upper)
			}
			if b.N == 1 && math.Abs(float64(i-want)) > 1 {
				t.Errorf("%v is in bin %d, want %d", p, i, want)
			}
		}
	}
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, evaluate.Outcome{Truth: "a"})
	if b := s.Reliability()[0]; b.N != 1 || b.Confidence != 0 || b.Accuracy != 0 {
		t.Errorf("without a posterior: got %+v in the first bin", b)
	}
}

// TestCalibrationOfTheMostProbable: under a loss matrix the label need not be the most probable
// class; of equally probable ones the label counts.
func TestCalibrationOfTheMostProbable(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	o := scored("spam", 0.8)
	o.Label = "ham" // to be safe
	add(t, s, o)
	near(t, "calibration error", s.ECE(), 0.2)
	s = evaluate.NewScores(evaluate.Options{})
	o = scored("spam", 0.5)
	o.Label = "spam"
	add(t, s, o)
	near(t, "calibration error of a tie", s.ECE(), 0.5)
	if b := s.Reliability()[7]; b.Accuracy != 1 {
		t.Errorf("the label is right, the bin says %+v", b)
	}
}

func TestPositive(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	if _, err := s.Positive(""); err == nil {
		t.Error("no documents have a positive class")
	}
	add(t, s, scored("ham", 0.2), scored("spam", 0.9))
	for named, want := range map[string]string{"": "spam", "ham": "ham", "spam": "spam"} {
		if got, err := s.Positive(named); got != want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", named, got, err, want)
		}
	}
	if _, err := s.Report(evaluate.ReportOptions{Positive: "eggs"}); err == nil || !strings.Contains(err.Error(), `["ham" "spam"]`) {
		t.Errorf("got %v, want an error that names the classes", err)
	}
}

func TestUnranked(t *testing.T) {
	s, ranked := evaluate.NewScores(evaluate.Options{Unranked: true}), evaluate.NewScores(evaluate.Options{})
	for _, x := range []*evaluate.Scores{s, ranked} {
		add(t, x, scored("ham", 0.2), scored("spam", 0.9), scored("ham", 0.7))
	}
	if s.ROC("spam") != nil || s.PR("spam") != nil || ranked.ROC("eggs") != nil {
		t.Error("a curve that cannot be drawn was drawn")
	}
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.N != 3 || !math.IsNaN(float64(r.Binary.AUC)) || !math.IsNaN(float64(r.Classes["ham"].AUC)) || r.Binary.SpamTrack != nil {
		t.Errorf("got %+v", r.Binary)
	}
	near(t, "accuracy", float64(r.Accuracy), 2.0/3)
}

func TestNothing(t *testing.T) {
	c := evaluate.NewScores(evaluate.Options{}).Confusion()
	if c.Macro() != (evaluate.Average{}) || c.Weighted() != (evaluate.Average{}) || c.Micro() != (evaluate.Average{}) || c.Matthews() != 0 {
		t.Errorf("without documents: %+v", c)
	}
	s := evaluate.NewScores(evaluate.Options{})
	for what, f := range map[string]float64{
		"accuracy": c.Accuracy(), "error": c.Error(), "balanced accuracy": c.BalancedAccuracy(), "kappa": c.Kappa(),
		"log loss": s.LogLoss(), "Brier score": s.Brier(), "calibration error": s.ECE(),
	} {
		if !math.IsNaN(f) {
			t.Errorf("%s without documents is %v", what, f)
		}
	}
}
