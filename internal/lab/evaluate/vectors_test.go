package evaluate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"bayestream/internal/lab/evaluate"
	"bayestream/internal/testing/modeltest"
)

// vector is a case of evaluation.json, made with scikit-learn.
type vector struct {
	Name  string
	Input struct {
		Y         []int
		Posterior [][]float64
		Predicted []int
	}
	Want map[string]json.RawMessage
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

func (v *vector) outcomes() []evaluate.Outcome {
	out := make([]evaluate.Outcome, len(v.Input.Y))
	for i := range out {
		o := &out[i]
		o.Truth, o.Label = class(v.Input.Y[i]), class(v.Input.Predicted[i])
		for c, p := range v.Input.Posterior[i] {
			o.Classes, o.LogPosterior = append(o.Classes, class(c)), append(o.LogPosterior, math.Log(p))
		}
	}
	return out
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestReferenceValues compares with scikit-learn: ../shared/vectors names the cases.
func TestReferenceValues(t *testing.T) {
	var file struct{ Cases []vector }
	modeltest.Vectors(t, "evaluation.json", &file)
	if len(file.Cases) < 4 {
		t.Fatalf("%d cases, the file should hold at least 4", len(file.Cases))
	}
	for _, v := range file.Cases {
		t.Run(v.Name, func(t *testing.T) {
			s := evaluate.NewScores(evaluate.Options{})
			add(t, s, v.outcomes()...)
			v.checkTable(t, s)
			v.checkNumbers(t, s)
			if len(v.Input.Posterior[0]) == 2 {
				v.checkCurves(t, s)
			}
		})
	}
}

func (v *vector) checkTable(t *testing.T, s *evaluate.Scores) {
	c := s.Confusion()
	if got, want := fmt.Sprint(c.Rows), fmt.Sprint(decode[[][]int64](t, v.Want["confusion_true_by_predicted"])); got != want {
		t.Errorf("table: got %v, want %v", got, want)
	}
	precision, recall := decode[[]float64](t, v.Want["precision"]), decode[[]float64](t, v.Want["recall"])
	f1, support := decode[[]float64](t, v.Want["f1"]), decode[[]int64](t, v.Want["support"])
	for i, score := range c.Classes() {
		near(t, "precision", score.Precision, precision[i])
		near(t, "recall", score.Recall, recall[i])
		near(t, "F1", score.F1, f1[i])
		if score.Support != support[i] {
			t.Errorf("support: got %d, want %d", score.Support, support[i])
		}
	}
}

func (v *vector) checkNumbers(t *testing.T, s *evaluate.Scores) {
	r, err := s.Report(evaluate.ReportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got := decode[map[string]json.RawMessage](t, b)
	if r.Binary != nil {
		binary := decode[map[string]json.RawMessage](t, got["binary"])
		got["auc"], got["average_precision"] = binary["auc"], binary["average_precision"]
	}
	compared := 0
	for _, key := range []string{
		"accuracy", "macro_f1", "micro_f1", "weighted_f1", "balanced_accuracy", "matthews", "cohen_kappa", "log_loss",
		"brier", "auc", "average_precision", "auc_ovr_macro", "auc_ovo_macro",
	} {
		if want, ok := v.Want[key]; ok {
			near(t, key, decode[float64](t, got[key]), decode[float64](t, want))
			compared++
		}
	}
	if compared < 10 {
		t.Errorf("compared %d numbers, want at least 10", compared)
	}
}

func (v *vector) checkCurves(t *testing.T, s *evaluate.Scores) {
	roc, pr := s.ROC(class(1)), s.PR(class(1))
	fpr, tpr := decode[[]float64](t, v.Want["roc_fpr"]), decode[[]float64](t, v.Want["roc_tpr"])
	if len(roc.Points) != len(fpr) {
		t.Fatalf("ROC has %d points, want %d", len(roc.Points), len(fpr))
	}
	thresholds := decode[[]any](t, v.Want["roc_thresholds"]) // of the posterior; the first is "inf"
	for i, p := range roc.Points {
		near(t, "FPR", float64(p.FPR), fpr[i])
		near(t, "TPR", float64(p.TPR), tpr[i])
		if i > 0 {
			near(t, "ROC threshold", 1/(1+math.Exp(-float64(p.Threshold))), thresholds[i].(float64))
		}
	}
	precision, recall := decode[[]float64](t, v.Want["pr_precision"]), decode[[]float64](t, v.Want["pr_recall"])
	slices.Reverse(precision) // scikit-learn begins at the lowest threshold
	slices.Reverse(recall)
	if len(pr.Points) != len(recall) {
		t.Fatalf("precision-recall curve has %d points, want %d", len(pr.Points), len(recall))
	}
	for i, p := range pr.Points {
		near(t, "precision", float64(p.Precision), precision[i])
		near(t, "recall", float64(p.Recall), recall[i])
	}
}
