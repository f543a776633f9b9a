package evaluate_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/lab/evaluate"
)

var update = flag.Bool("update", false, "write the golden files")

func fiveMessages(t *testing.T) *evaluate.Scores {
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, scored("spam", 0.9), scored("spam", 0.8), scored("spam", 0.4), scored("ham", 0.8), scored("ham", 0.1))
	return s
}

// TestReportGolden holds the JSON of `eval --json` still; -update writes it.
func TestReportGolden(t *testing.T) {
	r, err := fiveMessages(t).Report(evaluate.ReportOptions{Curves: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const name = "testdata/report.golden.json"
	if *update {
		filetest.Write(t, name, got)
	}
	want := filetest.Read(t, name)
	if string(got) != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestReportContract: the keys that programs rely on come first, in this order.
func TestReportContract(t *testing.T) {
	r, err := fiveMessages(t).Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"n":5,"accuracy":0.6,"error":0.4,"macro_f1":0.5833333333333333,"micro_f1":0.6,"log_loss":0.5919186453876236,"brier":0.21200000000000002,"ece":0.28,"confusion":{"labels":["ham","spam"],"rows":[[1,1],[1,2]]},"classes":{"ham":{"precision":0.5,"recall":0.5,"f1":0.5,"auc":0.75,"support":2},"spam":{`
	if !strings.HasPrefix(string(b), want) {
		t.Errorf("got %s, want it to begin with %s", b, want)
	}
	if strings.Contains(string(b), `"roc"`) {
		t.Error("curves were not asked for")
	}
}

// TestSpamTrack takes one error in a thousand hams, and 10 of 100 spams missed.
func TestSpamTrack(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, scored("ham", 0.95))
	for range 999 {
		add(t, s, scored("ham", 0.01))
	}
	for i := range 100 {
		// 80 surer than the ham that is taken for spam, 10 less sure, 10 missed
		add(t, s, scored("spam", []float64{0.99, 0.9, 0.3}[max(0, i/10-7)]))
	}
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	track := r.Binary.SpamTrack
	near(t, "hm%", float64(track.HM), 0.1)
	near(t, "sm%", float64(track.SM), 10)
	odds := math.Sqrt(0.001 / 0.999 * 0.1 / 0.9)
	near(t, "lam%", float64(track.LAM), 100*odds/(1+odds))
	near(t, "h=.1%", float64(track.AtLimit), 0)
	near(t, "(1-ROCA)%", float64(track.ROCA), 100*20/(1000*100.0))
	for fpr, want := range map[float64]float64{0: 0.8, 0.0005: 0.8, 0.000999: 0.8, 0.001: 1, 1: 1} {
		near(t, "TPR", s.ROC("spam").TPRAt(fpr), want)
	}
}

func TestLAM(t *testing.T) {
	for want, b := range map[float64]evaluate.Binary{
		0.1: {TP: 90, FN: 10, FP: 10, TN: 90},
		0:   {TP: 90, FN: 10, FP: 0, TN: 90},
		0.5: {TP: 10, FN: 90, FP: 10, TN: 90},
		1:   {TP: 0, FN: 90, FP: 10, TN: 90},
	} {
		near(t, "LAM", b.LAM(), want)
	}
	for _, b := range []evaluate.Binary{{TP: 1}, {TN: 1, FP: 1}, {FN: 1, TN: 1}} {
		if l := b.LAM(); !math.IsNaN(l) {
			t.Errorf("%+v: got %v, want NaN", b, l)
		}
	}
}

// TestTPRBetweenPoints reads a diagonal step by interpolation.
func TestTPRBetweenPoints(t *testing.T) {
	s := evaluate.NewScores(evaluate.Options{})
	add(t, s, scored("spam", 0.9), scored("spam", 0.8), scored("spam", 0.8), scored("ham", 0.8), scored("ham", 0.1))
	near(t, "TPR", s.ROC("spam").TPRAt(0.25), 2.0/3)
}

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.1: "0.1", -2: "-2", 1e-7: "1e-7", -1.5e-12: "-1.5e-12", 1e21: "1e+21", 1e20: "100000000000000000000", 5e-324: "5e-324",
		math.Inf(1): "null", math.Inf(-1): "null",
	} {
		b, err := json.Marshal(evaluate.Number(f))
		if err != nil || string(b) != want {
			t.Errorf("%v: got %s, %v; want %s", f, b, err, want)
		}
		back := evaluate.Number(7)
		if err := json.Unmarshal(b, &back); err != nil || string(b) != "null" && float64(back) != f || string(b) == "null" && !math.IsNaN(float64(back)) {
			t.Errorf("%v: %s reads back as %v, %v", f, b, back, err)
		}
	}
	if b, err := json.Marshal(evaluate.Number(math.NaN())); string(b) != "null" || err != nil {
		t.Errorf("NaN: got %s, %v", b, err)
	}
}

// How a stream of outcomes becomes a report.
func ExampleScores() {
	s := evaluate.NewScores(evaluate.Options{})
	for _, o := range []evaluate.Outcome{scored("spam", 0.9), scored("ham", 0.2), scored("ham", 0.6), scored("spam", 0.7)} {
		if err := s.Add(&o); err != nil {
			fmt.Println(err)
		}
	}
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v of %d right, AUC %v, Brier score %.4f\n", r.Accuracy, r.N, r.Binary.AUC, r.Brier)
	// Output: 0.75 of 4 right, AUC 1, Brier score 0.1250
}
