package modeltest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/tools/lab/evaluate"
)

// exact is the tolerance of scores: they are sums of a few thousand numbers between 0 and 1.
const exact = 1e-13

type predictions struct {
	Y         []int
	Posterior [][]float64
	Predicted []int
}

func (p *predictions) scores(t *testing.T) *evaluate.Scores {
	t.Helper()
	s := evaluate.NewScores(evaluate.Options{})
	for i, y := range p.Y {
		o := evaluate.Outcome{Truth: class(y), Label: class(p.Predicted[i])}
		for c, v := range p.Posterior[i] {
			o.Classes = append(o.Classes, class(c))
			o.LogPosterior = append(o.LogPosterior, math.Log(v))
		}
		if err := s.Add(&o); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func checkEvaluation(t *testing.T, r *reference) {
	var in predictions
	r.decode(t, nil, &in, nil)
	s := in.scores(t)
	checkConfusion(t, r, s.Confusion())
	checkNumbers(t, r, s)
	if len(in.Posterior[0]) == 2 {
		checkCurves(t, r, s)
	}
}

func checkConfusion(t *testing.T, r *reference, c *evaluate.Confusion) {
	t.Helper()
	var want struct {
		Rows                  [][]int64 `json:"confusion_true_by_predicted"`
		Precision, Recall, F1 []float64
		Support               []int64
	}
	r.decode(t, nil, nil, &want)
	if fmt.Sprint(c.Rows) != fmt.Sprint(want.Rows) {
		t.Errorf("confusion matrix: got %v, want %v", c.Rows, want.Rows)
	}
	for i, score := range c.Classes() {
		near(t, "precision", float64(score.Precision), want.Precision[i], exact)
		near(t, "recall", float64(score.Recall), want.Recall[i], exact)
		near(t, "F1", float64(score.F1), want.F1[i], exact)
		if score.Support != want.Support[i] {
			t.Errorf("support: got %d, want %d", score.Support, want.Support[i])
		}
	}
}

// checkNumbers compares the numbers of a report, which has the names of scikit-learn.
func checkNumbers(t *testing.T, r *reference, s *evaluate.Scores) {
	t.Helper()
	report, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]json.RawMessage
	decode(t, encode(t, report), &got)
	if report.Binary != nil {
		var binary map[string]json.RawMessage
		decode(t, got["binary"], &binary)
		got["auc"] = binary["auc"]
		got["average_precision"] = binary["average_precision"]
	}
	r.decode(t, nil, nil, &want)
	compared := 0
	for _, key := range []string{
		"accuracy", "macro_f1", "micro_f1", "weighted_f1", "balanced_accuracy", "matthews", "cohen_kappa", "log_loss",
		"brier", "auc", "average_precision", "auc_ovr_macro", "auc_ovo_macro",
	} {
		if want[key] == nil {
			continue
		}
		var g, w float64
		decode(t, got[key], &g)
		decode(t, want[key], &w)
		near(t, key, g, w, exact)
		compared++
	}
	if compared < 10 {
		t.Errorf("compared %d numbers, want at least 10", compared)
	}
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func checkCurves(t *testing.T, r *reference, s *evaluate.Scores) {
	t.Helper()
	var want struct {
		FPR        []float64 `json:"roc_fpr"`
		TPR        []float64 `json:"roc_tpr"`
		Thresholds []any     `json:"roc_thresholds"` // the first is "inf"
		Precision  []float64 `json:"pr_precision"`
		Recall     []float64 `json:"pr_recall"`
	}
	r.decode(t, nil, nil, &want)
	roc := s.ROC(class(1))
	if len(roc.Points) != len(want.FPR) {
		t.Fatalf("ROC has %d points, want %d", len(roc.Points), len(want.FPR))
	}
	for i, p := range roc.Points {
		near(t, "FPR", float64(p.FPR), want.FPR[i], exact)
		near(t, "TPR", float64(p.TPR), want.TPR[i], exact)
		if i > 0 { // ours are log-odds
			near(t, "ROC threshold", 1/(1+math.Exp(-float64(p.Threshold))), want.Thresholds[i].(float64), exact)
		}
	}
	slices.Reverse(want.Precision) // scikit-learn starts at the lowest threshold
	slices.Reverse(want.Recall)
	pr := s.PR(class(1))
	if len(pr.Points) != len(want.Recall) {
		t.Fatalf("the precision-recall curve has %d points, want %d", len(pr.Points), len(want.Recall))
	}
	for i, p := range pr.Points {
		near(t, "precision", float64(p.Precision), want.Precision[i], exact)
		near(t, "recall", float64(p.Recall), want.Recall[i], exact)
	}
}
