package evaluate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"bayestream/internal/lab/evaluate"
	"bayestream/internal/testing/modeltest"
)

// lecture reads the worked example of a lecture.
func lecture(t *testing.T, name string, input, want any) {
	t.Helper()
	var file struct {
		Cases []struct {
			Name  string
			Input json.RawMessage
			Want  json.RawMessage
		}
	}
	modeltest.Vectors(t, "lectures.json", &file)
	for _, c := range file.Cases {
		if c.Name != name {
			continue
		}
		if err := json.Unmarshal(c.Input, input); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(c.Want, want); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s is not in the file", name)
}

// TestIrisContingency is the lecture's table of three kinds of iris: 22 of 30 right.
func TestIrisContingency(t *testing.T) {
	var in struct {
		Rows [][]int `json:"predicted by true"`
	}
	var want struct {
		Accuracy, Error       float64
		Precision, Recall, F1 []float64
		Macro                 float64 `json:"macro_f1"`
	}
	lecture(t, "iris-contingency", &in, &want)
	var tally evaluate.Tally
	for predicted, row := range in.Rows {
		for truth, n := range row {
			for range n {
				tally.Add(class(truth), class(predicted))
			}
		}
	}
	c := tally.Confusion()
	near(t, "accuracy", c.Accuracy(), want.Accuracy)
	near(t, "error", c.Error(), want.Error)
	near(t, "macro F1", c.Macro().F1, want.Macro)
	for i, s := range c.Classes() {
		near(t, "precision", s.Precision, want.Precision[i])
		near(t, "recall", s.Recall, want.Recall[i])
		near(t, "F1", s.F1, want.F1[i])
	}
}

// TestIrisBinary is the lecture's table of one kind of iris against the others.
func TestIrisBinary(t *testing.T) {
	var b evaluate.Binary
	var want struct {
		Precision                          []float64
		Sensitivity, Specificity, FNR, FPR float64
	}
	lecture(t, "iris-pc-binary", &b, &want)
	if b.TP == 0 {
		t.Fatal("the case was not read")
	}
	near(t, "precision", b.Precision(), want.Precision[0])
	near(t, "negative predictive value", b.NegativePredictiveValue(), want.Precision[1])
	near(t, "sensitivity", b.TPR(), want.Sensitivity)
	near(t, "specificity", b.Specificity(), want.Specificity)
	near(t, "FNR", b.FNR(), want.FNR)
	near(t, "FPR", b.FPR(), want.FPR)
}

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

// TestROCWithTies is the lecture's curve with a diagonal step.
func TestROCWithTies(t *testing.T) {
	var in struct{ Positive, Negative []float64 }
	var want struct {
		Points [][2]float64
		AUC    float64
	}
	lecture(t, "roc-with-ties", &in, &want)
	s := evaluate.NewScores(evaluate.Options{})
	for _, p := range in.Positive {
		add(t, s, scored("spam", p))
	}
	for _, p := range in.Negative {
		add(t, s, scored("ham", p))
	}
	roc := s.ROC("spam")
	near(t, "AUC", roc.AUC, want.AUC)
	if len(roc.Points) != len(want.Points) {
		t.Fatalf("got %v, want %v", roc.Points, want.Points)
	}
	for i, p := range roc.Points {
		near(t, "FPR", float64(p.FPR), want.Points[i][0])
		near(t, "TPR", float64(p.TPR), want.Points[i][1])
	}
}

// The table of the lecture: ten flowers of each kind, of which 22 got their own label.
func ExampleConfusion() {
	c := evaluate.Confusion{
		Labels: []string{"setosa", "versicolor", "virginica"},
		Rows: [][]int64{ // a row for each true kind
			{10, 0, 0},
			{0, 7, 3},
			{0, 5, 5},
		},
	}
	fmt.Printf("accuracy %.3f, error %.3f\n", c.Accuracy(), c.Error())
	for i, s := range c.Classes() {
		fmt.Printf("%-10s  precision %.3f  recall %.3f  F1 %.3f\n", c.Labels[i], s.Precision, s.Recall, s.F1)
	}
	fmt.Printf("macro F1 %.3f\n", c.Macro().F1)
	// Output:
	// accuracy 0.733, error 0.267
	// setosa      precision 1.000  recall 1.000  F1 1.000
	// versicolor  precision 0.583  recall 0.700  F1 0.636
	// virginica   precision 0.625  recall 0.500  F1 0.556
	// macro F1 0.731
}

// Versicolor against the other two, in another run of the lecture.
func ExampleBinary() {
	b := evaluate.Binary{TP: 7, FP: 7, FN: 3, TN: 13}
	fmt.Printf("precision %v and %v\n", b.Precision(), b.NegativePredictiveValue())
	fmt.Printf("sensitivity %v, specificity %v\n", b.TPR(), b.Specificity())
	fmt.Printf("missed %v, false alarms %v\n", b.FNR(), b.FPR())
	// Output:
	// precision 0.5 and 0.8125
	// sensitivity 0.7, specificity 0.65
	// missed 0.3, false alarms 0.35
}

// One message of each kind has the chance .8 of being spam: the step between them is diagonal.
func ExampleROC() {
	s := evaluate.NewScores(evaluate.Options{})
	for _, o := range []evaluate.Outcome{
		scored("spam", 0.9), scored("spam", 0.8), scored("spam", 0.8), scored("ham", 0.8), scored("ham", 0.1),
	} {
		if err := s.Add(&o); err != nil {
			fmt.Println(err)
		}
	}
	roc := s.ROC("spam")
	for _, p := range roc.Points {
		fmt.Printf("(%.3g, %.3g)\n", p.FPR, p.TPR)
	}
	fmt.Printf("AUC %.3f\n", roc.AUC)
	// Output:
	// (0, 0)
	// (0, 0.333)
	// (0.5, 1)
	// (1, 1)
	// AUC 0.833
}
